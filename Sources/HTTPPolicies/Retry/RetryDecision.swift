import HTTPCore

/// Whether a call is retried: a pure function of the outcome and the situation.
enum RetryDecision: Hashable {
    case deliver
    /// Retry after a wait.
    case retry(after: Duration)

    /// The attempts made and the time left.
    struct Situation {
        /// The number of retries so far.
        var retries = 0
        /// Whether a stream has had a part of the body, which would come twice.
        var hasDelivered = false
        /// The time left; nil if it is unlimited.
        var timeLeft: Duration?
        /// Seconds since 1970.
        var unixTime = 0.0
        /// From 0 up to 1.
        var jitter = 1.0
    }

    init(_ outcome: Result<Response, HTTPError>, of request: Request, by policy: RetryPolicy, in situation: Situation) {
        guard situation.retries < policy.limit, !situation.hasDelivered, policy.isTransient(outcome),
            policy.mayRepeat(request)
        else {
            self = .deliver
            return
        }
        let asked = outcome.answer.flatMap { RetryAfter.wait($0.headers, unixTime: situation.unixTime) }
        let wait = max(asked ?? .zero, policy.backoff.delay(after: situation.retries, drawn: situation.jitter))
        // A wait beyond the deadline would only delay the result.
        let isTooLong = asked.map { $0 > policy.longestRetryAfter } ?? false
        let isTooLate = situation.timeLeft.map { wait >= $0 } ?? false
        self = isTooLong || isTooLate ? .deliver : .retry(after: wait)
    }
}
