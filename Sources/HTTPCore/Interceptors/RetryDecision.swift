/// What becomes of a call after an attempt: a pure function of what came of it and of how much is left.
enum RetryDecision: Hashable {
    case deliver
    /// Try again after a wait.
    case retry(after: Duration)

    /// What has been done and what is left.
    struct Situation {
        /// The attempts there were after the first.
        var retries = 0
        /// Nil where the time is not limited.
        var timeLeft: Duration?
        /// Seconds since 1970.
        var unixTime = 0.0
        /// From 0 up to 1.
        var jitter = 1.0
    }

    init(_ outcome: Result<Response, HTTPError>, of request: Request, by policy: RetryPolicy, in situation: Situation) {
        guard situation.retries < policy.limit, policy.isTransient(outcome), policy.mayRepeat(request) else {
            self = .deliver
            return
        }
        let asked = outcome.answer.flatMap { RetryAfter.wait($0.headers, unixTime: situation.unixTime) }
        let wait = max(asked ?? .zero, policy.backoff.delay(after: situation.retries, drawn: situation.jitter))
        // A wait that outlives the call would only put off the answer that is there.
        let isTooLong = asked.map { $0 > policy.longestRetryAfter } ?? false
        let isTooLate = situation.timeLeft.map { wait >= $0 } ?? false
        self = isTooLong || isTooLate ? .deliver : .retry(after: wait)
    }
}
