/// A fault of a `MockServer` while it answers.
///
/// Over HTTP/2 a fault that ends the connection ends all its streams, and a stall affects only its stream. An HTTP/2
/// head is sent as a whole: for a fault in its middle the server sends a 500 that says so.
public enum MockFault: Sendable, Hashable {
    /// A place in an answer.
    public enum Point: Sendable, Hashable {
        /// Before its first byte, and after the 1xx responses, if any.
        case beforeHead
        /// After half of the head.
        case midHead
        /// After the head and that many bytes of the body on the wire, including chunk sizes and line ends; after all
        /// of them if there are fewer.
        case midBody(after: Int)
        /// After the last byte.
        case afterBody
    }

    /// Ends the connection with a FIN, although the head does not announce it.
    case close(Point)
    /// The same without the close_notify of TLS (RFC 8446 §6.1), as in a truncation attack. On a plain connection it is
    /// a `close`.
    case closeWithoutNotify(Point)
    /// Ends the connection with a reset (RST).
    case reset(Point)
    /// Stops sending and reading, and leaves the connection open until the client leaves or the server stops. Over HTTP/2
    /// it only stops sending on its stream.
    case stall(Point)
    /// Sends head and body in pieces of that many bytes, at least 1, with a pause between them. Pauses are rounded up
    /// to a millisecond.
    case trickle(bytes: Int, every: Duration)
    /// Ends only the HTTP/2 stream, with RST_STREAM (RFC 9113 §6.4). Over HTTP/1.1 the server sends a 500 that says
    /// that there are no streams.
    case resetStream(HTTP2ErrorCode, Point)
    /// Ends the HTTP/2 connection with GOAWAY (RFC 9113 §6.8), which says that this request was not processed. Streams
    /// with lower numbers continue. Over HTTP/1.1 the server sends a 500, as for `resetStream`.
    case goAway(HTTP2ErrorCode, Point)
    /// Sends bytes that are not HTTP, then closes.
    case garbage

    static let garbageBytes: [UInt8] =
        [0x16, 0x03, 0x01, 0x00, 0xFF, 0x0D, 0x0A] + Array("no HTTP at all\r\n\r\n".utf8)
}

/// A fault of a `MockServer` that replaces serving a connection.
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
