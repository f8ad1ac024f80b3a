extension MockServer {
    /// How slow the way between client and server is. Each exchange is slowed down on its own, from its own start.
    ///
    /// Where a server, a route and a response each say something, the response goes before the route, and the route
    /// before the server; they do not add up. Waits end at once when the server stops or the client leaves. A
    /// `MockFault.trickle` keeps its own time.
    ///
    /// ```swift
    /// let server = try MockServer { _ in .text("slow") }
    /// server.conditions = .latency(.milliseconds(50)).bandwidth(bytesPerSecond: 1_000_000)
    /// ```
    public struct Conditions: Sendable, Hashable {
        /// How long an answer takes before its first byte leaves; nil for no time. Rounded up to a millisecond.
        public var latency: Duration?
        /// How many bytes a second go to the client, nil for no limit: head and framing included over HTTP/1.1, the body
        /// alone over HTTP/2.
        public var sendingRate: Int?
        /// How many bytes a second of a request body are taken in; nil for no limit. The system takes some in ahead of the
        /// server, so a client may be done with sending before its request has arrived.
        public var receivingRate: Int?

        /// Without limits.
        public init() {}

        /// With this latency.
        public static func latency(_ latency: Duration) -> Conditions { Conditions().latency(latency) }

        /// With this bandwidth in each direction.
        public static func bandwidth(bytesPerSecond rate: Int) -> Conditions {
            Conditions().bandwidth(bytesPerSecond: rate)
        }

        /// With a bandwidth to the client and one from the client, in bytes a second, at least 1.
        public static func bandwidth(sending: Int? = nil, receiving: Int? = nil) -> Conditions {
            Conditions().bandwidth(sending: sending, receiving: receiving)
        }

        /// These conditions with a wait of `latency` before each answer.
        public func latency(_ latency: Duration) -> Conditions {
            var copy = self
            copy.latency = latency
            return copy
        }

        /// These conditions with at most `rate` bytes a second in each direction.
        public func bandwidth(bytesPerSecond rate: Int) -> Conditions { bandwidth(sending: rate, receiving: rate) }

        /// These conditions with at most so many bytes a second to the client and from it; nil leaves a direction as
        /// it was.
        public func bandwidth(sending: Int? = nil, receiving: Int? = nil) -> Conditions {
            var copy = self
            copy.sendingRate = sending ?? sendingRate
            copy.receivingRate = receiving ?? receivingRate
            return copy
        }

        /// These, and what `others` say where these say nothing.
        func over(_ others: Conditions) -> Conditions {
            var copy = others
            copy.latency = latency ?? others.latency
            copy.sendingRate = sendingRate ?? others.sendingRate
            copy.receivingRate = receivingRate ?? others.receivingRate
            return copy
        }
    }

    /// How slow the way to this server is; a change counts from the next request on.
    public var conditions: Conditions {
        get { core.script.handlers.conditions }
        set { core.script.changeHandlers { $0.conditions = newValue } }
    }
}

extension MockResponse {
    func over(_ conditions: MockServer.Conditions) -> MockResponse {
        var copy = self
        copy.conditions = self.conditions.over(conditions)
        return copy
    }

    /// With this wait before the first byte, in place of what route or server say.
    public func latency(_ latency: Duration) -> MockResponse {
        var copy = self
        copy.conditions.latency = latency
        return copy
    }

    /// At so many bytes a second, at least 1, in place of what route or server say.
    public func bandwidth(bytesPerSecond rate: Int) -> MockResponse {
        var copy = self
        copy.conditions.sendingRate = rate
        return copy
    }
}
