extension MockServer {
    /// An incomplete or invalid request, or a failed handshake.
    public struct ProtocolViolation: Sendable, Hashable {
        /// The kind of violation.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Kind: Sendable, Hashable {
            /// It breaks a rule of RFC 9112 or 9113. Over HTTP/1.1 it was answered by a 400, and the connection was closed;
            /// over HTTP/2 by RST_STREAM or GOAWAY.
            case malformed
            /// The client left before its end; over HTTP/2 also a body that is not as long as its Content-Length.
            case truncated
            /// The TLS handshake failed.
            case handshake
        }

        /// The kind of violation.
        public let kind: Kind
        /// What was wrong.
        public let reason: String
        /// The number of the connection, from 1.
        public let connection: Int
        /// The number of earlier requests on that connection.
        public let index: Int
        /// The bytes that had arrived of the head, or the body so far when the head was complete; at most 4,096.
        public let bytes: [UInt8]
    }
}
