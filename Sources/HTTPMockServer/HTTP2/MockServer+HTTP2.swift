extension MockServer {
    /// The settings that a server announces to HTTP/2 clients (RFC 9113 §6.5.2).
    public struct HTTP2: Sendable, Hashable {
        /// The maximum number of concurrent streams. Further streams get REFUSED_STREAM. If the client has acknowledged
        /// the settings, the connection ends with PROTOCOL_ERROR instead.
        public var maxConcurrentStreams: Int
        /// The number of bytes of a request body that a client may send on each stream before the window is extended;
        /// 65,535 by default, which is also the window of the connection. With a small window a client waits often.
        public var initialWindowSize: Int

        /// Settings of a server. Omitted ones have their defaults.
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
