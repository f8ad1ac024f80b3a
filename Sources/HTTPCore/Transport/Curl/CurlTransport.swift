#if canImport(CLibcurl)

/// An `HTTPClient` over the system's libcurl (7.81 or later), for Linux and macOS.
///
/// Any number of threads may use one transport at once. Connections are kept and used again; there is nothing to shut
/// down: letting go of the transport closes them.
public final class CurlTransport: HTTPClient {
    let configuration: CurlConfiguration
    let pool: CurlLanePool
    let feed: CurlFeed

    /// A transport with the default configuration. A setting in the environment that cannot be used is reported by the
    /// calls it concerns.
    public init() {
        configuration = CurlConfiguration()
        pool = CurlLanePool(configuration)
        feed = CurlFeed(pool, defaultVersion: configuration.version)
    }

    /// A transport with `configuration`. Throws `.unsupported` where the libcurl at hand lacks an option it asks for.
    public init(_ configuration: CurlConfiguration) throws(HTTPError) {
        self.configuration = configuration
        pool = CurlLanePool(configuration)
        feed = CurlFeed(pool, defaultVersion: configuration.version)
        do { try CurlConfigurationCheck.check(configuration) } catch { throw .unsupported(error) }
    }

    deinit { feed.close() }

    /// The version of libcurl in use.
    public static var engineVersion: String { CurlLibrary.shared.version }

    @available(*, noasync)
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let token = CancellationToken.current
        var call = CurlCall(request, defaultVersion: configuration.version)
        while true {
            if let token, token.isCancelled { return .failure(call.cancellation) }
            if let result = exchange(&call, token) { return result }
        }
    }

    /// Runs one exchange in a lane of its origin. Nil when the call goes on with another one.
    private func exchange(_ call: inout CurlCall, _ token: CancellationToken?) -> Result<Response, HTTPError>? {
        let now = call.startOfExchange
        do throws(Unsupported) {
            let lane = try pool.checkOut(call.key, at: now)
            defer { pool.checkIn(lane) }
            let ending = call.begin(in: lane.transfer, at: now) ?? lane.drive(&call.deadlines, token: token)
            return call.finish(ending, in: lane.transfer, at: .now)
        } catch {
            return .failure(.unsupported(error))
        }
    }
}
#endif
