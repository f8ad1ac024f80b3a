/// What happened to a call.
public enum CallEvent: Sendable {
    case started(Request)
    /// With what it came to and how long it took.
    case finished(Request, Result<Response, HTTPError>, Duration)
}
