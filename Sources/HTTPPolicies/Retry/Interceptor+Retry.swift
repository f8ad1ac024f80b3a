@_exported public import HTTPCore

extension Interceptor {
    /// Retries calls that failed for a reason that may be temporary.
    ///
    ///     let client = CurlTransport().intercepted(by: .retry())
    ///
    /// These are responses with status 408, 429, 500, 502, 503 or 504, and calls without a response: a host name
    /// without an address, a connection that was lost or could not be opened (through a proxy only if that answered
    /// CONNECT with 502, 503 or 504), a TLS handshake that failed for another reason than a certificate, a connect or
    /// idle timeout, a truncated body, and an `OtherFailure` whose `isTransient` is true. There are at most two more
    /// attempts, after waits drawn evenly from up to 500 ms and up to 1 s, or after the server's Retry-After if that is
    /// longer. Only requests with an idempotent method (RFC 9110 §9.2.2) or an Idempotency-Key are retried, and any
    /// request whose body can be sent again if the server has certainly processed nothing of the call: there was no
    /// connection, or it has said so (RFC 9113 §8.7). Of a closure behind this one that sends a request twice, the last
    /// exchange counts.
    ///
    /// A body that breaks off is requested again if it goes to memory or a file, or if nothing of it has been delivered
    /// yet. A stream (`.lines`, `.serverSentEvents`, `.stream` and the awaited sequences) of which a byte was delivered
    /// is not: its first part would be delivered twice. Neither is one whose head `response()` has returned: its elements
    /// would be those of another response. Then the call ends with the error, and a stream of events goes on by its own
    /// reconnection. A `download` requests only the missing bytes.
    ///
    /// The request's total timeout covers all attempts. A wait that would exceed it is not started, and the last
    /// outcome is the result. Cancelling the call ends the wait at once. `Metrics.attemptCount`, in the response or the
    /// error's record, counts the exchanges of all attempts together, including redirects.
    ///
    /// - Parameters:
    ///   - policy: Which calls are retried, how often and when.
    ///   - budget: The retries that all calls through this interceptor share. Nil, the default, is a `RetryBudget()` for
    ///     each origin, so that a host that is down leaves the others their retries. If it is used up, a call ends even if
    ///     `RetryPolicy.limit` allows another attempt. `Metrics.isRetryRefused` of the response or of the error's record is
    ///     then true, and the error's text and the log's line say so.
    public static func retry(
        _ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget? = nil
    ) -> Interceptor { Interceptor(Retrying(rule: RetryRule(policy, RetryBudgets(budget)))) }

    /// The same with up to `limit` retries. The bound of the waits keeps doubling, up to 20 s.
    ///
    ///     client.intercepted(by: .retry(limit: 6)).download(.get(url), to: "image.iso")
    public static func retry(limit: Int, budget: RetryBudget? = nil) -> Interceptor {
        retry(RetryPolicy(limit: limit), budget: budget)
    }

    /// The same for the outcomes for which `condition` is true, instead of the statuses and errors above. All other
    /// rules hold: only requests that may be repeated are, within the limits of `policy`, the deadline and the budget.
    ///
    ///     let usual = RetryPolicy()
    ///     let client = transport.intercepted(by: .retry { outcome in
    ///         usual.isTransient(outcome) || (try? outcome.get().headers["X-Retry"]) == "yes"
    ///     })
    ///
    /// - Parameters:
    ///   - policy: How often and when calls are retried; its statuses are not used.
    ///   - budget: The retries that all calls through this interceptor share; nil for a budget for each origin.
    ///   - condition: A function of the outcome. It runs on the thread that drives the call, and must not wait.
    public static func retry(
        _ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget? = nil,
        when condition: @escaping @Sendable (_ outcome: Result<Response, HTTPError>) -> Bool
    ) -> Interceptor {
        var policy = policy
        policy.condition = condition
        return retry(policy, budget: budget)
    }
}

/// The state that all calls share.
private final class RetryRule: Sendable {
    let policy: RetryPolicy
    let budgets: RetryBudgets

    init(_ policy: RetryPolicy, _ budgets: RetryBudgets) { (self.policy, self.budgets) = (policy, budgets) }
}

/// The attempts of one call.
private struct Retrying: ForeseeablePolicy {
    let rule: RetryRule
    var retries = 0
    /// What was passed on to a stream; nil for another destination.
    var delivery: Delivery?

    private var policy: RetryPolicy { rule.policy }
    private var budgets: RetryBudgets { rule.budgets }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            // A download asks for what it has not had.
            guard moment.request.destination.isStream, moment.request[RenewalKey.self] == nil else { return .pass }
            delivery = moment.request[DeliveryKey.self] ?? Delivery()
            return .send(noted(moment.request))
        case .answered(let outcome):
            guard policy.isTransient(outcome) else {
                // A response shows that the server works. A call that ended for a reason of its own shows nothing.
                if outcome.answer != nil { budgets.noteSuccess(after: retries, for: moment.request.origin) }
                return .finish(outcome)
            }
            guard let wait = wait(after: outcome, moment) else { return .finish(outcome) }
            guard budgets.withdraw(for: moment.request.origin) else {
                return .finish(outcome.changingMetrics { $0.isRetryRefused = true })
            }
            retries += 1
            let hasField = outcome.answer.flatMap { RetryAfter.wait($0.headers, unixTime: moment.unixTime) } != nil
            let isAsked = policy.asked(in: outcome, unixTime: moment.unixTime) != nil
            let kind = hasField ? "Retry-After" : isAsked ? "the server's wait" : "back-off"
            return .wait(
                until: moment.now + wait, because: .betweenAttempts,
                reason: "\(kind) before attempt \(retries + 1) of \(UInt(policy.limit) + 1)")
        case .resumed:
            do { return .send(noted(try moment.request.renewed())) } catch {
                budgets.deposit(for: moment.request.origin)
                return .finish(.failure(error))
            }
        case .interrupted(let error):
            // There was no retry.
            budgets.deposit(for: moment.request.origin)
            return .finish(.failure(error))
        }
    }

    private func noted(_ request: Request) -> Request {
        guard let delivery else { return request }
        return Request(request, headers: request.headers) { $0.destination = $0.destination.noting(delivery) }
    }

    private func wait(after outcome: Result<Response, HTTPError>, _ moment: PolicyMoment) -> Duration? {
        let situation = RetryPolicy.Situation(
            retries: retries, hasDelivered: delivery?.hasBegun == true, timeLeft: moment.timeLeft,
            unixTime: moment.unixTime, jitter: policy.backoff.jitter())
        return policy.wait(after: outcome, of: moment.request, in: situation)
    }
}
