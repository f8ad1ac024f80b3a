@_exported public import HTTPCore

/// An `HTTPClient` over the system's libcurl (7.81 or later), for Linux and macOS.
///
/// Any number of threads may use one transport at once. Connections are kept and used again; there is nothing to shut
/// down: letting go of the transport closes them.
///
/// Before the first transport of a process uses libcurl it sets OpenSSL up, where that is libcurl's TLS library, with
/// `OPENSSL_INIT_NO_ATEXIT`: OpenSSL then frees nothing at `exit`, which would crash threads that still use it. That holds
/// for the whole process. A program that relies on OpenSSL's clean-up, for an engine or a provider that has to be shut down,
/// calls `OPENSSL_cleanup` itself once no thread uses OpenSSL; one that wants OpenSSL set up otherwise does so before.
///
/// A child that the process forks may use the transport as well: it opens connections of its own, and those of the parent
/// stay as they are. A call that is under way on the thread that forks, in a sink for instance, fails in the child.
public final class CurlTransport: HTTPClient {
    let configuration: CurlConfiguration
    private let engine: ForkLocal<Engine>

    /// What holds connections.
    private struct Engine: Sendable {
        let pool: CurlConnectionPool
        let agent: CurlAgent

        init(_ configuration: CurlConfiguration) {
            pool = CurlConnectionPool(configuration)
            agent = CurlAgent(pool, defaultVersion: configuration.version)
        }
    }

    var pool: CurlConnectionPool { engine.value.pool }
    var agent: CurlAgent { engine.value.agent }

    /// A transport with the default configuration. A setting in the environment that cannot be used is reported by the
    /// calls it concerns.
    public init() {
        let configuration = CurlConfiguration()
        self.configuration = configuration
        engine = ForkLocal { Engine(configuration) }
    }

    /// A transport with `configuration`. Throws `.unsupported` where the libcurl at hand lacks an option it asks for.
    public init(_ configuration: CurlConfiguration) throws(HTTPError) {
        self.configuration = configuration
        engine = ForkLocal { Engine(configuration) }
        do { try CurlConfigurationCheck.check(configuration) } catch { throw .unsupported(error) }
    }

    deinit { engine.ifMade?.agent.close() }

    /// The version of libcurl in use.
    public static var engineVersion: String { CurlLibrary.shared.version }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let token = CancellationToken.current
        var call = CurlCall(request, defaultVersion: configuration.version)
        while true {
            if let token, token.isCancelled { return .failure(call.cancellation) }
            if let result = exchange(&call, token) { return result }
        }
    }

    /// Runs one exchange by a connection of its key. Nil when the call goes on with another one.
    private func exchange(_ call: inout CurlCall, _ token: CancellationToken?) -> Result<Response, HTTPError>? {
        let now = call.startOfExchange
        do throws(Unsupported) {
            let pool = pool
            let connection = try pool.checkOut(call.key, at: now)
            defer { pool.checkIn(connection) }
            let ending = call.begin(in: connection.transfer, at: now) ?? connection.drive(&call.deadlines, token: token)
            return call.finish(ending, in: connection.transfer, at: .now)
        } catch {
            return .failure(HTTPError(error, sending: call.plan.request))
        }
    }
}
