#if canImport(CLibcurl)

/// An `HTTPClient` over the system's libcurl (7.81 or later), for Linux and macOS.
///
/// Any number of threads may use one transport at once. Connections are kept and used again; there is nothing to shut
/// down: letting go of the transport closes them.
public final class CurlTransport: HTTPClient {
    private let configuration: CurlConfiguration
    private let pool: CurlLanePool

    /// A transport with the default configuration. A setting in the environment that cannot be used is reported by the
    /// calls it concerns.
    public init() {
        configuration = CurlConfiguration()
        pool = CurlLanePool(configuration)
    }

    /// A transport with `configuration`. Throws `.unsupported` where the libcurl at hand lacks an option it asks for.
    public init(_ configuration: CurlConfiguration) throws(HTTPError) {
        self.configuration = configuration
        pool = CurlLanePool(configuration)
        do { try CurlConfigurationCheck.check(configuration) } catch { throw .unsupported(error) }
    }

    /// The version of libcurl in use.
    public static var engineVersion: String { CurlLibrary.shared.version }

    @available(*, noasync)
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let call = Call(token: CancellationToken.current)
        var plan = CallPlan(request)
        do throws(HTTPError) {
            while true {
                if call.isCancelled { throw HTTPError.cancelled(CallRecord(plan.request, redirects: plan.redirects)) }
                if let response = try exchange(&plan, call) { return .success(response) }
            }
        } catch {
            return .failure(error)
        }
    }

    /// What stays the same through all exchanges of a call.
    private struct Call {
        let token: CancellationToken?
        let start = ContinuousClock.now

        var isCancelled: Bool { token?.isCancelled ?? false }
    }

    /// Runs one exchange in a lane of its origin. Nil when the call goes on with another one.
    private func exchange(_ plan: inout CallPlan, _ call: Call) throws(HTTPError) -> Response? {
        let start = plan.attempts == 0 ? call.start : .now
        let lane = try lane(for: plan.request, at: start)
        defer {
            lane.exchange.pointee.body.removeAll()
            pool.checkIn(lane)
        }
        plan.begin()
        let run = CurlRun(lane: lane, plan: plan, callStart: call.start, start: start)
        let outcome = run.perform(token: call.token)
        let step = plan.advance(after: outcome) { run.record(phase: .receiving) }
        switch step {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver: return try run.response(redirects: plan.redirects)
        }
    }

    private func lane(for request: Request, at now: ContinuousClock.Instant) throws(HTTPError) -> CurlLane {
        let version = request.version == .automatic ? configuration.version : request.version
        do { return try pool.checkOut(CurlLane.Key(origin: request.url.origin, version: version), at: now) } catch {
            throw .unsupported(error)
        }
    }
}
#endif
