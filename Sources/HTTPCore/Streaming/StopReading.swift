/// Throw this from a closure that takes events, lines or bytes to end reading without a failure. The call
/// succeeds with what came until then, and the connection is closed (HTTP/2: the stream is reset). A sink that throws it
/// is abandoned, not finished: it has not seen the whole body.
public struct StopReading: Error, Sendable, Hashable {
    /// The error that ends reading without a failure.
    public init() {}
}
