extension Interceptor {
    /// Repeats calls that failed in a way that may pass.
    ///
    ///     let client = CurlTransport().intercepted(by: .retry())
    ///
    /// That is an answer of 408, 429, 500, 502, 503 or 504, and no answer at all: a host name without an address, a
    /// connection that could not be opened or broke, one that fell silent, and a body cut short. Two more attempts are
    /// made, after waits drawn evenly from up to 500 ms and up to 1 s, or as long as the server's Retry-After says if
    /// that is longer. Only requests with an idempotent method (RFC 9110 §9.2.2) or an Idempotency-Key are repeated.
    ///
    /// Each attempt opens the request's destination anew. What a destination like `.lines` had handed over when the
    /// body broke off, it hands over again: leave retries away there, or ask for what is missing. A `download` asks for
    /// the bytes that are missing.
    ///
    /// The request's total timeout covers all of it. A wait that would not end in time is not begun: what there is, is
    /// the outcome. Cancelling the call ends the wait at once. `Metrics.attempts`, of the response or of the error's
    /// record, counts the exchanges of all attempts together, redirects included.
    ///
    /// - Parameters:
    ///   - policy: Which calls are tried again, how often and when.
    ///   - budget: What the retries of all calls through this interceptor share: 20 in store by default. Where it is
    ///     used up, a call ends although `RetryPolicy.limit` would allow another attempt: `Metrics.isRetryRefused` of
    ///     the response or of the error's record is true then, and the error's text and the log's line say so.
    public static func retry(
        _ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget = RetryBudget()
    ) -> Interceptor { Interceptor(Retrying(rule: RetryRule(policy, budget))) }

    /// The same with up to `limit` attempts behind the first; the bound of the waits between them goes on doubling, up to 20 s.
    ///
    ///     client.intercepted(by: .retry(limit: 6)).download(.get(url), to: "image.iso")
    public static func retry(limit: Int, budget: RetryBudget = RetryBudget()) -> Interceptor {
        retry(RetryPolicy(limit: limit), budget: budget)
    }
}

/// What all calls share. An object: a policy is copied for each call, and one of more than three words takes memory for that.
private final class RetryRule: Sendable {
    let policy: RetryPolicy
    let budget: RetryBudget

    init(_ policy: RetryPolicy, _ budget: RetryBudget) { (self.policy, self.budget) = (policy, budget) }
}

/// The attempts of one call.
private struct Retrying: CallPolicy {
    let rule: RetryRule
    private var retries = 0
    /// Whether the server said how long to wait.
    private var hasServerWait = false

    init(rule: RetryRule) { self.rule = rule }

    private var policy: RetryPolicy { rule.policy }
    private var budget: RetryBudget { rule.budget }

    var waitReason: String? {
        "\(hasServerWait ? "Retry-After" : "back-off") before attempt \(retries + 1) of \(policy.limit + 1)"
    }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: return .send(moment.request)
        case .answered(let outcome):
            guard policy.isTransient(outcome) else {
                // An answer shows a server that works; a call that ended for a reason of its own shows nothing.
                if outcome.answer != nil { budget.noteSuccess(after: retries) }
                return .finish(outcome)
            }
            guard let wait = wait(after: outcome, moment) else { return .finish(outcome) }
            guard budget.withdraw() else { return .finish(outcome.changingMetrics { $0.isRetryRefused = true }) }
            retries += 1
            hasServerWait = outcome.answer?.headers.contains("Retry-After") ?? false
            return .wait(until: moment.now + wait, .betweenAttempts)
        case .resumed:
            do { return .send(try moment.request.renewed()) } catch { return .finish(.failure(error)) }
        case .interrupted(let error):
            // It was not tried again.
            budget.deposit()
            return .finish(.failure(error))
        }
    }

    private func wait(after outcome: Result<Response, HTTPError>, _ moment: PolicyMoment) -> Duration? {
        let situation = RetryDecision.Situation(
            retries: retries, timeLeft: moment.timeLeft, unixTime: moment.unixTime, jitter: policy.backoff.jitter())
        switch RetryDecision(outcome, of: moment.request, by: policy, in: situation) {
        case .deliver: return nil
        case .retry(let wait): return wait
        }
    }
}
