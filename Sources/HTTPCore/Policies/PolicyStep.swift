/// The next step of a policy.
///
/// A wait has an end: a time, a signal, or both, whichever comes first; and a cause, which the history of the call and an
/// error name. The call's own end, by its deadline or by cancellation, is always one too.
public struct PolicyStep: Sendable {
    @usableFromInline enum Kind: Sendable {
        case pass
        case send(Request)
        indirect case wait(until: ContinuousClock.Instant?, PolicySignal?, because: CallActivity, reason: String?)
        indirect case run(because: CallActivity, reason: String?, PolicyWork)
        case sendInBackground(Request, policy: any CallPolicy)
        case finish(Result<Response, HTTPError>)
    }

    @usableFromInline let kind: Kind

    @usableFromInline init(_ kind: Kind) { self.kind = kind }

    /// Passes the request on, unchanged, to the next policy or to the client. The outcome comes as `answered`.
    @inlinable public static var pass: PolicyStep { PolicyStep(.pass) }

    /// The same with another request.
    @inlinable public static func send(_ request: Request) -> PolicyStep { PolicyStep(.send(request)) }

    /// The same with a draft: `.send(moment.request |> .header("Stamp", "1"))`. If it cannot be built, its error is the
    /// outcome, and nothing is sent.
    public static func send(_ draft: MutableRequest) -> PolicyStep {
        do { return .send(try Request(draft)) } catch { return .finish(.failure(error)) }
    }

    /// Passes the outcome to the outer policy or the caller: that of the request, or one of its own. It is the last step;
    /// the policy is not asked again.
    @inlinable
    public static func finish(_ outcome: Result<Response, HTTPError>) -> PolicyStep { PolicyStep(.finish(outcome)) }

    /// Waits until `end`. `resumed` follows; or `interrupted`, if the call ends first.
    ///
    /// - Parameters:
    ///   - end: A time of the call's clock: `moment.now + .seconds(1)`. One in the past does not wait.
    ///   - cause: What it waits for. If the call ends meanwhile, its error has this as its phase.
    ///   - reason: The reason for the length of the wait in a few words, for the call's history: a setting, or what the
    ///     server asked for.
    public static func wait(
        until end: ContinuousClock.Instant, because cause: CallActivity, reason: String? = nil
    ) -> PolicyStep { PolicyStep(.wait(until: end, nil, because: cause, reason: reason)) }

    /// Waits until `signal` is fired, or until `end`, whichever comes first. `resumed` follows; or `interrupted`, if the call
    /// ends first. It does not wait for a signal that has been fired.
    ///
    /// A call without a deadline waits for as long as nobody fires the signal. In simulated time, in which nothing happens
    /// by itself, that is an error after a while.
    ///
    /// - Parameters:
    ///   - end: A time of the call's clock; nil, which is the default, for none.
    ///   - signal: What another call, or other code, fires.
    ///   - cause: What it waits for. If the call ends meanwhile, its error has this as its phase.
    ///   - reason: The reason for the length of the wait in a few words, for the call's history.
    public static func wait(
        until end: ContinuousClock.Instant? = nil, for signal: PolicySignal, because cause: CallActivity,
        reason: String? = nil
    ) -> PolicyStep { PolicyStep(.wait(until: end, signal, because: cause, reason: reason)) }

    /// Runs blocking work once, even if the call ends meanwhile. `resumed` follows when it is done.
    ///
    /// For an awaited call it runs on a thread of the dispatcher. If the call ends first, `interrupted` follows at once, and
    /// the work goes on by itself. A blocking call and a batch do the work on their own thread: they resume after it, also
    /// when the call has been cancelled or its time is up. What they send then is answered with that, and does not go out.
    ///
    /// - Parameters:
    ///   - cause: What it does, for the call's history.
    ///   - reason: Why it is necessary in a few words, for the call's history.
    ///   - work: The work. It leaves its result in an object that the policy refers to.
    public static func run(
        because cause: CallActivity = .work, reason: String? = nil, _ work: @escaping @Sendable () -> Void
    ) -> PolicyStep { PolicyStep(.run(because: cause, reason: reason, PolicyWork(isOnDisk: false, run: work))) }

    /// The same for work that waits for a disk only. Few threads do that of all awaited calls of a dispatcher.
    package static func runOnDisk(because cause: CallActivity, _ work: @escaping @Sendable () -> Void) -> PolicyStep {
        PolicyStep(.run(because: cause, reason: nil, PolicyWork(isOnDisk: true, run: work)))
    }

    /// Sends the request in the background, beginning with `policy` instead of this one, and resumes this policy at once.
    /// Only if `PolicyMoment.canSendInBackground` is true. Only `policy` gets the outcome.
    package static func sendInBackground(_ request: Request, policy: any CallPolicy) -> PolicyStep {
        PolicyStep(.sendInBackground(request, policy: policy))
    }
}

/// Blocking work of a policy.
@usableFromInline
package struct PolicyWork: Sendable {
    /// Whether it waits for a disk only, and so ends soon.
    package let isOnDisk: Bool
    package let run: @Sendable () -> Void
}
