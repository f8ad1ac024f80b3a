/// Receives the decoded body of one response, piece by piece.
///
/// It is called on the thread of the call. Nothing is received while it works, so a slow sink slows the server down.
public struct BodySink {
    /// Takes the next bytes, which are valid only during the call. A thrown error ends the call and is kept in
    /// `BodyFailure.underlying`.
    public let write: (UnsafeRawBufferPointer) throws -> Void
    /// Called once, after the last byte of a complete body. A thrown error fails the call.
    public let finish: () throws -> Void
    /// Called once, instead of `finish`, when the exchange failed or was cancelled.
    public let abandon: () -> Void

    /// A sink made of three closures, all called on the thread of the call. An error thrown by `write` or `finish` ends
    /// the call and is kept in `BodyFailure.underlying`.
    public init(
        write: @escaping (UnsafeRawBufferPointer) throws -> Void, finish: @escaping () throws -> Void = {},
        abandon: @escaping () -> Void = {}
    ) {
        self.write = write
        self.finish = finish
        self.abandon = abandon
    }
}
