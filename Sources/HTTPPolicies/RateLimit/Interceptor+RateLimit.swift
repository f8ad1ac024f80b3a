import HTTPSupport

extension Interceptor {
    /// Delays requests so that at most `count` are sent per `interval`.
    ///
    ///     let client = CurlTransport().intercepted(by: .rateLimit(5, per: .seconds(1)))
    ///
    /// A request that comes too soon waits, first come, first served. A blocking call waits on its thread;
    /// awaited and batched calls hold no thread. Cancelling the call gives its place to the next. The wait counts
    /// towards the request's total timeout. A request whose turn would come after its timeout does not wait: it fails
    /// at once with `.timedOut`, which names this limit.
    ///
    /// Listed after `.retry()` it counts each attempt, listed before it each call. Redirects that the transport
    /// follows are not counted. What a `Dispatcher` then keeps waiting, because as many calls are running as may, is sent
    /// later, and such requests may follow one another sooner than the limit says. In a batch, a request that waits for its
    /// turn counts as running. A request whose turn is over by a tenth of a second goes before those that do not go, as the
    /// requests of a batch whose thread makes another call. An invalid limit (a count, interval or burst below its range)
    /// makes every call fail with `.unsupported`.
    ///
    /// - Parameters:
    ///   - count: The number of requests; at least 1.
    ///   - interval: The length of the period; above zero.
    ///   - burst: How many may be sent at once after a pause. The default 1 spreads them evenly. With a larger burst,
    ///     an interval can see `burst - 1` more than `count`.
    ///   - scope: Whether all requests share the limit, which is the default, or each host has its own.
    public static func rateLimit(
        _ count: Int, per interval: Duration, burst: Int = 1, scope: RateLimit.Scope = .client
    ) -> Interceptor {
        rateLimit(RateLimit(count, per: interval, burst: burst, scope: scope))
    }

    /// The same for a `RateLimit`.
    public static func rateLimit(_ limit: RateLimit) -> Interceptor { rateLimit(RateLimiter(limit)) }

    static func rateLimit(_ limiter: RateLimiter) -> Interceptor { Interceptor(RateLimiting(limiter: limiter)) }
}

/// One call in the queue of a limit.
private struct RateLimiting: ForeseeablePolicy {
    let limiter: RateLimiter
    var entry: RateLimiter.Entry?

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: return arrive(moment)
        case .resumed: return entry.map { proceed($0, moment) } ?? .pass
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error):
            if let entry { limiter.leave(entry) }
            // The error says only that the call was in a queue, as it does for a dispatcher's.
            return .finish(.failure(error.changingRecord { $0.phase = .queued }))
        }
    }

    private mutating func arrive(_ moment: PolicyMoment) -> PolicyStep {
        if let problem = limiter.limit.problem {
            return .finish(.failure(.unsupported(Unsupported("a rate limit of \(limiter.limit)", problem))))
        }
        if moment.isCancelled { return .finish(.failure(moment.cancelled(.queued))) }
        switch limiter.arrive(moment) {
        case .go: return .pass
        case .tooLate(let wait):
            let blockedBy = "the rate limit of \(limiter.limit) keeps it waiting for \(wait.text)"
            return .finish(.failure(moment.timedOut(.queued, blockedBy: blockedBy)))
        case .wait(let entry):
            self.entry = entry
            return proceed(entry, moment)
        }
    }

    private func proceed(_ entry: RateLimiter.Entry, _ moment: PolicyMoment) -> PolicyStep {
        switch limiter.proceed(entry, moment) {
        case .go: .pass
        case .wait(let end): .wait(until: end.instant, because: .rateLimit, reason: "\(limiter.limit)")
        case .waitBehind(let end):
            .wait(until: end?.instant, for: entry.isFirst, because: .rateLimit, reason: "\(limiter.limit)")
        }
    }
}
