/// Throw this from a closure that takes events, lines or bytes to stop reading without a failure. The call succeeds
/// with what has arrived, and the connection is closed (HTTP/2: the stream is reset). A sink that throws it is
/// abandoned, not finished: it has not received the whole body.
public struct StopReading: Error, Sendable, Hashable {
    /// An error that stops reading without a failure.
    public init() {}
}
