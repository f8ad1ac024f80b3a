extension Interceptor {
    /// Holds requests back so that no more are sent than `count` in `interval`.
    ///
    ///     let client = CurlTransport().intercepted(by: .rateLimit(5, per: .seconds(1)))
    ///
    /// One that comes too soon blocks its thread until its turn, first come, first served; cancelling the call gives its
    /// place to those behind. The wait counts towards the request's total timeout. A request whose turn would come after
    /// that is not kept waiting in vain: it fails at once with `.timedOut`, which names this limit.
    ///
    /// What is counted is what passes here. Listed behind `.retry()` it counts each attempt, before it each call.
    /// Redirects that the transport follows are not counted. A limit that is none (a count, interval or burst below its
    /// range) makes every call fail as `.unsupported`.
    ///
    /// - Parameters:
    ///   - count: At least 1.
    ///   - interval: Above zero.
    ///   - burst: How many may go out at once after a pause: 1, which spreads them evenly. With a larger one, an interval
    ///     can see `burst - 1` more than `count`.
    ///   - scope: Whether all requests share the limit, as by default, or each host has its own.
    public static func rateLimit(
        _ count: Int, per interval: Duration, burst: Int = 1, scope: RateLimit.Scope = .client
    ) -> Interceptor {
        rateLimit(RateLimit(count, per: interval, burst: burst, scope: scope))
    }

    /// The same for a limit that was put together before.
    public static func rateLimit(_ limit: RateLimit) -> Interceptor { rateLimit(limit, clock: nil) }

    package static func rateLimit(_ limit: RateLimit, clock: CallClock?) -> Interceptor {
        rateLimit(RateLimiter(limit), clock: clock)
    }

    static func rateLimit(_ limiter: RateLimiter, clock: CallClock?) -> Interceptor {
        Interceptor(clock: clock) { request, next, clock in
            let call = CallContext(request, clock: clock)
            switch limiter.admit(call) {
            case .refused(let error): return .failure(error)
            case .atOnce: return next.executeRequest(request)
            case .afterWait: return call.finished(call.run { next.executeRequest(request) }, after: 0)
            }
        }
    }
}
