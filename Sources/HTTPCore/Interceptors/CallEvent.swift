/// What happened to a call. Events of one call have the same id and come one at a time, in order of time.
public enum CallEvent: Sendable {
    /// The call begins. `id` is the same in the event that ends it.
    case started(Request, id: CallID)
    /// An exchange begins: the first one, or that of a redirect or a retry.
    case attemptStarted(Request, id: AttemptID)
    /// A phase of an exchange is over. `CallSegment.start` counts from the start of the exchange. Over libcurl those up to a
    /// connection are told together, once there is one.
    case phaseFinished(CallSegment, id: AttemptID)
    /// An exchange is over. `CallAttempt.start` counts from where its transport began.
    case attemptFinished(CallAttempt, id: AttemptID)
    /// A policy keeps the call waiting.
    case waitStarted(CallWait.Cause, id: CallID)
    /// The wait is over.
    case waitFinished(CallWait, id: CallID)
    /// With what it came to and how long it took.
    case finished(Request, Result<Response, HTTPError>, Duration, id: CallID)

    /// The call that it is about.
    public var callID: CallID {
        switch self {
        case .started(_, let id), .waitStarted(_, let id), .waitFinished(_, let id), .finished(_, _, _, let id): id
        case .attemptStarted(_, let id), .phaseFinished(_, let id), .attemptFinished(_, let id): id.call
        }
    }

    /// What a cache behind the listener had to do with the call: of `finished` only; nil without a cache, and for an error
    /// without a response.
    public var cacheStatus: CacheStatus? {
        guard case .finished(_, let outcome, _, _) = self else { return nil }
        return switch outcome {
        case .success(let response): response.cacheStatus
        case .failure(let error): error.response?.cacheStatus
        }
    }

    /// Nil for what concerns the call as a whole.
    public var attemptID: AttemptID? {
        switch self {
        case .started, .waitStarted, .waitFinished, .finished: nil
        case .attemptStarted(_, let id), .phaseFinished(_, let id), .attemptFinished(_, let id): id
        }
    }
}
