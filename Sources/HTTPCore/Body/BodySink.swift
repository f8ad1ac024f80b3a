import Synchronization

/// Receives the decoded body of one response, piece by piece.
///
/// It is called on the thread of the call. Nothing is received while it works, so a slow sink slows the server down.
public struct BodySink {
    /// Takes the next bytes, which are valid only during the call. A thrown error ends the call and is kept in
    /// `BodyFailure.underlying`.
    public let write: (UnsafeRawBufferPointer) throws -> Void
    /// Called once, after the last byte of a complete body. A thrown error fails the call.
    public let finish: () throws -> Void
    /// Called once, when the exchange failed or was cancelled: instead of `finish`, or after a `finish` that threw.
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

/// Throw this from a closure that takes events, lines or bytes to stop reading without a failure. The call succeeds
/// with what has arrived, and the connection is closed (HTTP/2: the stream is reset). A sink that throws it is
/// abandoned, not finished: it has not received the whole body.
public struct StopReading: Error, Sendable, Hashable {
    /// An error that stops reading without a failure.
    public init() {}
}

/// Whether a call has passed on a byte of a body, or its head, which cannot be taken back.
package final class Delivery: Sendable {
    private let began = Atomic(false)

    package init() {}

    package var hasBegun: Bool { began.load(ordering: .relaxed) }

    package func note() {
        if !hasBegun { began.store(true, ordering: .relaxed) }
    }
}

/// What a call notes that has given away the head of a response, to which the body belongs; nil for one that gives none.
package enum DeliveryKey: NotingKey { package static let defaultValue: Delivery? = nil }

/// Reads what a sink passes on, at its own pace. Any thread may use it.
package protocol BodyReader: AnyObject, Sendable {
    /// Whether it has left, so that what came is all that was wanted.
    var isLeft: Bool { get }

    /// Whether the sink may have more. If not, `resume` is called, once, when it may, or when the reader has left.
    func hasRoom(orCall resume: @escaping @Sendable () -> Void) -> Bool
}

extension Request {
    /// Whether the reader of the response's body has left.
    package var isLeft: Bool { CancellationToken.current?.isLeft == true || destination.reader?.isLeft == true }
}
