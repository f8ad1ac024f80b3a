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
///                 return .wait(until: moment.now + delay, because: .betweenAttempts)
///             case .answered(let outcome): return .finish(outcome)
///             case .interrupted(let error): return .finish(.failure(error))
///             @unknown default: return .pass
///             }
///         }
///     }
///     let client = CurlTransport().intercepted(by: Interceptor(OnceMore(after: .seconds(1))))
///
/// A policy waits for a time, or for a `PolicySignal` that another call or other code fires: that is how calls share one
/// refresh or one exchange. Work that blocks is a step of its own, `run`.
///
/// A blocking call waits on its own thread. An awaited call and one of a batch hold no thread while they wait; inside a
/// blocking closure and over a stub with simulated time they do. No call holds a slot of a dispatcher while it waits. In a
/// stub's simulated time a wait for a time takes none, so a policy is tested without delay.
///
/// A policy is copied for each call, and one of more than three words allocates memory then. What calls share, and settings
/// of more than a word or two, are better kept in an object that it refers to.
///
/// A policy needs no code for deadlines and cancellation: a wait ends with the call, and `.interrupted` has the error. One that
/// goes on for ever without an exchange is ended by an `HTTPError.other` that names it (`PolicyFault`).
public protocol CallPolicy: Sendable {
    /// Returns the next step. It must not block. Events come one at a time, each perhaps on another thread; awaited calls
    /// share that thread with others, so keep it short.
    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep
}

/// A policy that reads the caller's task-local values, which are visible only here.
public protocol PreparedPolicy: CallPolicy {
    /// Reads the caller's task-local values. Called once for each call, on the caller's thread, in its task, or on the
    /// thread of a dispatcher that makes the call with these values. A copy of the result handles each request of it.
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
    /// The wait is over, or the work is done. After a wait for a time and a signal, look which it was.
    case resumed
    /// The call was cancelled, or its time ran out, during a wait or work. Clean up and finish, usually with this error. A
    /// policy that waits again is told so once more; at the third interruption it ends with the error, which goes to
    /// the outer policy or to the caller.
    case interrupted(HTTPError)
}
