extension MockServer {
    /// Simulated network conditions. Each exchange is slowed down separately, from its own start.
    ///
    /// If a server, a route and a response each set a value, the response takes precedence over the route, and the
    /// route over the server; they do not add up. Waits end at once when the server stops or the client goes. A
    /// `MockFault.trickle` has its own timing.
    ///
    /// ```swift
    /// let server = try MockServer { _ in .text("slow") }
    /// server.conditions = .latency(.milliseconds(50)).bandwidth(bytesPerSecond: 1_000_000)
    /// ```
    public struct Conditions: Sendable, Hashable {
        /// The delay before the first byte of an answer; nil for none. Rounded up to a millisecond.
        public var latency: Duration?
        /// The rate to the client in bytes per second, nil for no limit. Over HTTP/1.1 it includes head and framing,
        /// over HTTP/2 only the body.
        public var sendingRate: Int?
        /// The rate in bytes per second at which a request body is read; nil for no limit. The system buffers some
        /// bytes, so a client may finish sending before its request has arrived. Of a response it counts only if that is
        /// queued: those of handlers come too late.
        public var receivingRate: Int?

        /// Without limits.
        public init() {}

        /// With this latency.
        public static func latency(_ latency: Duration) -> Conditions { Conditions().latency(latency) }

        /// With this bandwidth in each direction.
        public static func bandwidth(bytesPerSecond rate: Int) -> Conditions {
            Conditions().bandwidth(bytesPerSecond: rate)
        }

        /// With bandwidths to and from the client, in bytes per second, at least 1.
        public static func bandwidth(sending: Int? = nil, receiving: Int? = nil) -> Conditions {
            Conditions().bandwidth(sending: sending, receiving: receiving)
        }

        /// These conditions with a wait of `latency` before each answer.
        public func latency(_ latency: Duration) -> Conditions {
            var copy = self
            copy.latency = latency
            return copy
        }

        /// These conditions with at most `rate` bytes per second in each direction.
        public func bandwidth(bytesPerSecond rate: Int) -> Conditions { bandwidth(sending: rate, receiving: rate) }

        /// These conditions with at most that many bytes per second to and from the client; nil leaves a direction
        /// unchanged.
        public func bandwidth(sending: Int? = nil, receiving: Int? = nil) -> Conditions {
            var copy = self
            copy.sendingRate = sending ?? sendingRate
            copy.receivingRate = receiving ?? receivingRate
            return copy
        }

        /// These conditions; values not set here are taken from `others`.
        func over(_ others: Conditions) -> Conditions {
            var copy = others
            copy.latency = latency ?? others.latency
            copy.sendingRate = sendingRate ?? others.sendingRate
            copy.receivingRate = receivingRate ?? others.receivingRate
            return copy
        }
    }

    /// The network conditions of this server; a change applies from the next request on.
    public var conditions: Conditions {
        get { core.script.handlers.conditions }
        set { core.script.changeHandlers { $0.conditions = newValue } }
    }
}

extension MockResponse {
    func over(_ conditions: MockServer.Conditions) -> MockResponse {
        changed { $0.conditions = $0.conditions.over(conditions) }
    }

    /// With this delay before the first byte, in place of that of the route or server.
    public func latency(_ latency: Duration) -> MockResponse { changed { $0.conditions.latency = latency } }

    /// At that many bytes per second, at least 1, in place of the rate of the route or server.
    public func bandwidth(bytesPerSecond rate: Int) -> MockResponse { changed { $0.conditions.sendingRate = rate } }
}
