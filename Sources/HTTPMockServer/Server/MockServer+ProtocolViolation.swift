extension MockServer {
    /// Something a client sent to a `MockServer` that is no complete request, or no handshake that could be agreed on.
    public struct ProtocolViolation: Sendable, Hashable {
        /// What kind of thing was wrong.
        public enum Kind: Sendable, Hashable {
            /// It breaks a rule of RFC 9112 or 9113. Over HTTP/1.1 it was answered by a 400, and the connection was closed;
            /// over HTTP/2 by RST_STREAM or GOAWAY.
            case malformed
            /// The client left in the middle of it.
            case truncated
            /// The TLS handshake failed.
            case handshake
        }

        /// What kind of thing was wrong.
        public let kind: Kind
        /// What was wrong, in words.
        public let reason: String
        /// The number of the connection, from 1.
        public let connection: Int
        /// How many requests came before it on that connection.
        public let index: Int
        /// The bytes that had arrived of the head, or the body so far when the head was complete; at most 4,096.
        public let bytes: [UInt8]
    }
}
