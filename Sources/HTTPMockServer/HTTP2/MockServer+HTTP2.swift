extension MockServer {
    /// What a server announces to clients that speak HTTP/2 (RFC 9113 §6.5.2).
    public struct HTTP2: Sendable, Hashable {
        /// How many streams a client may have open at once. A client that opens more is told REFUSED_STREAM; one that
        /// does so after it has acknowledged the settings loses the connection by PROTOCOL_ERROR.
        public var maxConcurrentStreams: Int
        /// How many bytes of a request body a client may send on each stream before it is told to go on; 65,535 by
        /// default, which is also what it may send over all streams. Small windows make a client wait often.
        public var initialWindowSize: Int

        /// Settings of a server; what is left out has its default.
        public init(maxConcurrentStreams: Int = 100, initialWindowSize: Int = 65_535) {
            self.maxConcurrentStreams = maxConcurrentStreams
            self.initialWindowSize = initialWindowSize
        }

        /// SETTINGS_MAX_CONCURRENT_STREAMS and SETTINGS_INITIAL_WINDOW_SIZE, each with its number.
        var settings: [(id: Int32, value: UInt32)] {
            [(3, UInt32(clamping: maxConcurrentStreams)), (4, UInt32(clamping: min(initialWindowSize, 0x7FFF_FFFF)))]
        }
    }
}

extension MockFault {
    /// Refuses the stream, so that the client may send the request again (RFC 9113 §8.7).
    public static let refusedStream = MockFault.resetStream(.refusedStream, .beforeHead)
}
