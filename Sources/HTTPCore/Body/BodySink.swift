/// What takes a response's body as it comes, known content codings undone, for one exchange.
///
/// It is called on the thread that makes the call. While it works nothing is received, so a slow one slows the server
/// down.
public struct BodySink {
    /// Takes the next bytes, which are valid during the call only. An error that it throws ends the call and is kept in
    /// `BodyFailure.underlying`.
    public let write: (UnsafeRawBufferPointer) throws -> Void
    /// Called once after the last byte, when the body is known to be complete. An error fails the call.
    public let finish: () throws -> Void
    /// Called once in place of `finish` when the exchange failed or was cancelled.
    public let abandon: () -> Void

    /// A sink of three closures, all called on the thread of the call. What `write` or `finish` throws ends the call
    /// and is kept in `BodyFailure.underlying`.
    public init(
        write: @escaping (UnsafeRawBufferPointer) throws -> Void, finish: @escaping () throws -> Void = {},
        abandon: @escaping () -> Void = {}
    ) {
        self.write = write
        self.finish = finish
        self.abandon = abandon
    }
}
