/// A value that decides the next step of a call and never waits.
///
/// Each time a request comes by, a fresh copy handles it: the stored properties are the settings and, as `next` changes
/// them, the state of that request. What several calls share belongs in an object that the value refers to.
///
///     struct OnceMore: CallPolicy {
///         let delay: Duration
///         private var hasRetried = false
///         init(after delay: Duration) { self.delay = delay }
///
///         mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
///             switch event {
///             case .started, .resumed: return .send(moment.request)
///             case .answered(.success(let response)) where response.status == .serviceUnavailable && !hasRetried:
///                 hasRetried = true
///                 return .wait(until: moment.now + delay, .betweenAttempts)
///             case .answered(let outcome): return .finish(outcome)
///             case .interrupted(let error): return .finish(.failure(error))
///             }
///         }
///     }
///     let client = CurlTransport().intercepted(by: Interceptor(OnceMore(after: .seconds(1))))
///
/// A blocking call waits on its own thread. An awaited call and one of a batch hold no thread and no dispatcher slot
/// while they wait. In a stub's simulated time there is no waiting, so a policy is tested without delay.
///
/// A policy needs no code for deadlines and cancellation: a wait ends with the call, and `.interrupted` has the error.
public protocol CallPolicy: Sendable {
    /// Says what is done next. It never blocks. Events come one at a time, each perhaps on another thread; for awaited
    /// calls on one that makes others' calls, too, so keep it short.
    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep

    /// Why its last wait was as long as it was, in a few words for the call's history; nil for nothing to add.
    var waitReason: String? { get }

    /// What its `PolicyStep.run` does, for the call's history; `.work` by default.
    var workCause: CallWait.Cause { get }
}

extension CallPolicy {
    public var waitReason: String? { nil }
    public var workCause: CallWait.Cause { .work }
}

/// A policy that has to know what surrounds the call. Only here are the caller's task-local values seen.
public protocol PreparedPolicy: CallPolicy {
    /// Takes note of the caller's task-local values. Called once for each call, on the caller's thread or in its task.
    /// A copy of the result handles each request of the call.
    mutating func prepare()
}

/// An event for a policy. After `started`, each event is the result of the previous step.
public enum PolicyEvent: Sendable {
    /// A request has come by: `moment.request`.
    case started
    /// What was sent came to this.
    case answered(Result<Response, HTTPError>)
    /// The wait is over, or the work is done. It may come too early: look at the time again.
    case resumed
    /// The call was cancelled, or its time ran out, during a wait. Clean up and finish, as a rule with this error. A policy
    /// that waits again is interrupted again, and after the third time finished with the error.
    case interrupted(HTTPError)
}

/// The next step of a policy.
public enum PolicyStep: Sendable {
    /// Hands the request to what lies within: the next policy, or the client. The answer comes as `answered`.
    case send(Request)
    /// Waits until then, and never longer than the call may take; `resumed` follows, or `interrupted`. The phase is the
    /// one that the error of a call names which ends here. With nil only another call ends the wait, or the call's end.
    case wait(until: ContinuousClock.Instant?, CallPhase)
    /// Does work that blocks, exactly once, whatever becomes of the call. `resumed` follows; for an awaited call that may
    /// be before the work is done.
    case run(@Sendable () -> Void)
    /// Sends the request in the background, beginning with `policy` instead of this one, and resumes this policy at
    /// once. Only if `PolicyMoment.canSendInBackground` is true. Only `policy` gets the outcome.
    case sendInBackground(Request, policy: any CallPolicy)
    /// Passes the outcome to the outer policy or the caller. It is the last step.
    case finish(Result<Response, HTTPError>)
}

extension PolicyStep {
    /// Sends the draft, or finishes with its error.
    static func send(_ draft: MutableRequest) -> PolicyStep {
        do { return .send(try Request(draft)) } catch { return .finish(.failure(error)) }
    }
}
