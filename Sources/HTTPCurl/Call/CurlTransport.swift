@_exported public import HTTPEngine
import HTTPSupport
@_exported public import HTTPCore

/// An `HTTPClient` over the system's libcurl (7.81 or later), for Linux and macOS.
///
/// Any number of threads may use one transport at once. Connections are kept and reused. There is nothing to shut down:
/// releasing the transport closes them.
///
/// Before the first use of libcurl in a process, a transport initializes OpenSSL, if that is libcurl's TLS library,
/// with `OPENSSL_INIT_NO_ATEXIT`. OpenSSL then frees nothing at `exit`, which would crash threads that still use it.
/// This holds for the whole process. A program that relies on OpenSSL's clean-up, for an engine or a provider that must
/// be shut down, calls `OPENSSL_cleanup` itself once no thread uses OpenSSL; one that needs another initialization does
/// it first.
///
/// A forked child may use the transport, too: it opens its own connections and leaves those of the parent alone. A call
/// that is running on the forking thread, for example in a sink, fails in the child.
public final class CurlTransport: HTTPClient {
    let configuration: CurlConfiguration
    private let engine: ForkLocal<Engine>

    /// The holders of connections.
    private final class Engine: Sendable {
        let pool: CurlConnectionPool
        let agent: CurlAgent
        private let defaultVersion: VersionPolicy
        private let taskAgents = Locked<[CurlAgent]>([])

        init(_ configuration: CurlConfiguration) {
            pool = CurlConnectionPool(configuration)
            defaultVersion = configuration.version
            agent = CurlAgent(pool, defaultVersion: defaultVersion)
        }

        func taskAgents(_ count: Int) -> [CurlAgent] {
            taskAgents.withLock { agents in
                while agents.count < count { agents.append(CurlAgent(pool, defaultVersion: defaultVersion)) }
                return Array(agents.prefix(count))
            }
        }

        func close() { for agent in taskAgents.withLock({ $0 }) + [agent] { agent.close() } }
    }

    var pool: CurlConnectionPool { engine.value.pool }
    var agent: CurlAgent { engine.value.agent }

    /// A transport with the default configuration. An unusable setting in the environment is reported by the calls it
    /// concerns.
    public init() {
        let configuration = CurlConfiguration()
        self.configuration = configuration
        engine = ForkLocal { Engine(configuration) }
    }

    /// A transport with `configuration`, which is checked.
    ///
    /// - Throws: `.unsupported` if libcurl lacks an option that it needs, and for a setting that can never apply: a pin
    ///   that is none, a name that no host has, a client certificate whose key or password is not its own, an address
    ///   override, a proxy or one of its exclusions, a destination or a local end that cannot be used, a User-Agent with a
    ///   control character.
    public init(_ configuration: CurlConfiguration) throws(HTTPError) {
        self.configuration = configuration
        engine = ForkLocal { Engine(configuration) }
        do { try CurlConfigurationCheck.check(configuration) } catch { throw .unsupported(error) }
    }

    deinit { engine.ifMade?.close() }

    /// The version of libcurl in use.
    public static var engineVersion: String { CurlLibrary.shared.version }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        PoolThreadReport.note("\(request)")
        return request.withinTimeout {
            let token = CancellationToken.current
            var call = CurlCall(request, defaultVersion: configuration.version)
            while true {
                if let token, token.isCancelled { return call.fail(with: call.cancellation) }
                if let result = exchange(&call, token) { return result }
            }
        }
    }

    /// Runs one exchange with a connection for its key. Nil when another exchange follows.
    private func exchange(_ call: inout CurlCall, _ token: CancellationToken?) -> Result<Response, HTTPError>? {
        let now = call.startOfExchange
        do throws(Unsupported) {
            let pool = pool
            let connection = try pool.checkOut(call.key, at: now)
            defer { pool.checkIn(connection, at: call.startOfExchange) }
            let lastBody = connection.transfer.lastBodyByteCount
            connection.transfer.receive(atOnce: ReceiveBuffer.size(of: 1, after: lastBody))
            let ending = call.begin(in: connection.transfer, at: now) ?? connection.drive(&call.deadlines, token: token)
            return call.finish(ending, in: connection.transfer, at: .now) { pool.closeIdle() }
        } catch {
            return call.fail(with: HTTPError(error, sending: call.plan.request))
        }
    }
}

extension CurlTransport: EventLoopClient {
    package var callAgent: any CallAgent {
        let engine = engine.value
        if let agent = ThreadRole.agent, agent.belongs(to: engine.pool) { return agent }
        return engine.agent
    }

    package func taskAgents(_ count: Int) -> [any CallAgent] { engine.value.taskAgents(count) }

    package func execute(_ source: any CallSource) {
        guard !source.isOver else { return }
        PoolThreadReport.note("a batch of requests")
        do throws(Unsupported) {
            let loop = try pool.checkOutLoop(at: .now)
            CurlBatch(source: source, defaultVersion: configuration.version).run(in: loop)
            // Surplus connections can only be closed with the loop.
            if !loop.connections.areTooMany { pool.checkIn(loop) }
        } catch {
            source.batch.fail { HTTPError(error, sending: $0) }
        }
    }
}
