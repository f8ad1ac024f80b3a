/// A fault of a `MockServer` while it answers.
///
/// Over HTTP/2 the faults that end the connection end it for all streams, a stall is one of its stream alone, and the head
/// is sent whole: a fault in its middle is answered by a 500 that says so.
public enum MockFault: Sendable, Hashable {
    /// A place in an answer.
    public enum Point: Sendable, Hashable {
        /// Before its first byte, and after the 1xx responses, if any.
        case beforeHead
        /// After half of the head.
        case midHead
        /// Behind the head and so many bytes of the body, counted as they are on the wire: with chunks, their sizes
        /// and line ends count too. More than there are is all.
        case midBody(after: Int)
        /// After the last byte.
        case afterBody
    }

    /// Ends the connection with a FIN, without notice in the head.
    case close(Point)
    /// The same without the close_notify of TLS (RFC 8446 §6.1), so that it looks like a cut by an attacker. On a plain
    /// connection it is a `close`.
    case closeWithoutNotify(Point)
    /// Ends the connection with a reset (RST).
    case reset(Point)
    /// Falls silent and leaves the connection open, without reading, until the client leaves or the server stops.
    case stall(Point)
    /// Sends head and body in pieces of so many bytes, at least 1, with a pause between. Pauses are rounded up to a
    /// millisecond.
    case trickle(bytes: Int, every: Duration)
    /// Ends the HTTP/2 stream alone with RST_STREAM (RFC 9113 §6.4). Over HTTP/1.1 it is answered by a 500 that says
    /// that there are no streams.
    case resetStream(HTTP2ErrorCode, Point)
    /// Ends the HTTP/2 connection with GOAWAY (RFC 9113 §6.8), which says that this request was not processed. Streams
    /// below it go on to their ends. Over HTTP/1.1 it is answered as `resetStream` is.
    case goAway(HTTP2ErrorCode, Point)
    /// Sends bytes that are not HTTP, then closes.
    case garbage

    static let garbageBytes: [UInt8] =
        [0x16, 0x03, 0x01, 0x00, 0xFF, 0x0D, 0x0A] + Array("no HTTP at all\r\n\r\n".utf8)
}

/// What a `MockServer` does to a connection instead of serving it.
public enum ConnectionFault: Sendable, Hashable {
    /// Closes it at once, with a FIN.
    case close
    /// Resets it at once, with a RST.
    case reset
    /// Refuses the TLS handshake with the alert handshake_failure, then closes. On a plain connection it is a `close`.
    case failHandshake
    /// Holds it open and never reads, until the client leaves or the server stops.
    case neverRead
}
