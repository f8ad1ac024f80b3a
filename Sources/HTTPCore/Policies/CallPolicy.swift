/// A value that decides the next step of a call and never waits.
///
/// A fresh copy handles each request: the stored properties are the settings and, as `next` changes them, the state of
/// that request. State that several calls share belongs in an object that the value refers to.
///
///     struct OnceMore: CallPolicy {
///         let delay: Duration
///         private var hasRetried = false
///         init(after delay: Duration) { self.delay = delay }
///
///         mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
///             switch event {
///             case .started, .resumed: return .pass
///             case .answered(.success(let response)) where response.status == .serviceUnavailable && !hasRetried:
///                 hasRetried = true
///                 return .wait(until: moment.now + delay, .betweenAttempts)
///             case .answered(let outcome): return .finish(outcome)
///             case .interrupted(let error): return .finish(.failure(error))
///             @unknown default: return .pass
///             }
///         }
///     }
///     let client = CurlTransport().intercepted(by: Interceptor(OnceMore(after: .seconds(1))))
///
/// A blocking call waits on its own thread. An awaited call and one of a batch hold no thread while they wait; behind a
/// blocking closure and over a stub with simulated time they do. No call holds a slot of a dispatcher while it waits. In a stub's simulated time there is no waiting, so a policy is tested without delay.
///
/// A policy is copied for each call, and one of more than three words allocates memory then. What calls share, and settings
/// of more than a word or two, are better kept in an object that it refers to.
///
/// A policy needs no code for deadlines and cancellation: a wait ends with the call, and `.interrupted` has the error.
public protocol CallPolicy: Sendable {
    /// Returns the next step. It must not block. Events come one at a time, each perhaps on another thread; awaited calls
    /// share that thread with others, so keep it short.
    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep

    /// The reason for the length of its last wait, in a few words for the call's history; nil for none.
    var waitReason: String? { get }

    /// What its `PolicyStep.run` does, for the call's history; `.work` by default.
    var workCause: CallActivity { get }
}

extension CallPolicy {
    public var waitReason: String? { nil }
    public var workCause: CallActivity { .work }
}

/// A policy that reads the caller's task-local values, which are visible only here.
public protocol PreparedPolicy: CallPolicy {
    /// Reads the caller's task-local values. Called once for each call, on the caller's thread or in its task.
    /// A copy of the result handles each request of the call.
    mutating func prepare()
}

/// An event for a policy. After `started`, each event is the result of the previous step.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PolicyEvent: Sendable {
    /// A request arrived: `moment.request`.
    case started
    /// The outcome of the request that was sent.
    case answered(Result<Response, HTTPError>)
    /// The wait is over, or the work is done. It may come too early: check the time again.
    case resumed
    /// The call was cancelled, or its time ran out, during a wait. Clean up and finish, usually with this error. A policy
    /// that waits again is interrupted again; after the third time the call ends with the error.
    case interrupted(HTTPError)
}

/// The next step of a policy.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PolicyStep: Sendable {
    /// Passes the request on, unchanged, to the next policy or to the client. The outcome comes as `answered`.
    case pass
    /// The same with another request.
    case send(Request)
    /// Waits until then, but not beyond the call's deadline; `resumed` follows, or `interrupted`. If the call ends during the
    /// wait, its error has this as its phase. With nil only another call, or the end of this one, ends the wait.
    indirect case wait(until: ContinuousClock.Instant?, CallActivity)
    /// Runs blocking work exactly once, even if the call ends meanwhile. `resumed` follows; for an awaited call perhaps before
    /// the work is done.
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
