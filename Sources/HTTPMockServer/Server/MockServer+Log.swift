import HTTPTesting

/// The log of the server. Each property is a snapshot.
extension MockServer {
    /// Which requests a server keeps. All are counted.
    public enum Recording: Sendable, Hashable {
        /// Every request. Memory grows with each.
        case all
        /// None.
        case none
    }

    /// The kept requests, in the order in which they were completed, including those taken.
    public var requests: [ReceivedRequest] { core.log.state.read { $0.requests } }

    /// How many requests have arrived, kept or not.
    public var requestCount: Int { core.log.state.read { $0.requestCount } }

    /// How many connections were accepted.
    public var connectionCount: Int { core.log.state.read { $0.connectionCount } }

    /// The number of open connections.
    public var openConnectionCount: Int { core.log.state.read { $0.openConnections.count } }

    /// The incomplete or invalid requests and failed handshakes; the last 1,000.
    public var protocolViolations: [MockServer.ProtocolViolation] { core.log.state.read { $0.protocolViolations } }
}

/// Waiting for events, without polling. Each function blocks the calling thread.
extension MockServer {
    /// Takes the oldest kept request not yet taken; waits for one if needed. It stays in `requests`.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first; `.notRecording`.
    @available(*, noasync)
    public func takeRequest(timeout: Duration = .seconds(5)) throws(MockServerError) -> ReceivedRequest {
        if core.log.recording == .none { throw .notRecording }
        return try core.log.wait(for: .request, timeout)
    }

    /// Waits until at least `count` requests have arrived, kept or not.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first.
    @available(*, noasync)
    public func waitForRequestCount(_ count: Int, timeout: Duration = .seconds(5)) throws(MockServerError) {
        try core.log.wait(for: .requests(count), timeout)
    }

    /// Waits until at least `count` connections were accepted.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first.
    @available(*, noasync)
    public func waitForConnectionCount(_ count: Int, timeout: Duration = .seconds(5)) throws(MockServerError) {
        try core.log.wait(for: .connections(count), timeout)
    }

    /// Waits until connection `number`, counted from 1, was accepted and is closed at the server's end.
    ///
    /// - Throws: `MockServerError.timedOut`.
    @available(*, noasync)
    public func waitForConnectionClosed(_ number: Int, timeout: Duration = .seconds(5)) throws(MockServerError) {
        try core.log.wait(for: .endOfConnection(number), timeout)
    }

    /// Waits until no more than `count` connections are open.
    ///
    /// - Throws: `MockServerError.timedOut`.
    @available(*, noasync)
    public func waitForOpenConnectionCount(atMost count: Int, timeout: Duration = .seconds(5)) throws(MockServerError) {
        try core.log.wait(for: .openConnections(atMost: count), timeout)
    }

    /// Waits until at least `count` protocol violations were seen; at most 1,000, as no more are kept.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first.
    @available(*, noasync)
    public func waitForProtocolViolationCount(_ count: Int, timeout: Duration = .seconds(5)) throws(MockServerError) {
        try core.log.wait(for: .protocolViolations(count), timeout)
    }
}

/// The same for asynchronous code, which must not block. Cancelling the task ends a wait with `.timedOut`.
extension MockServer {
    /// Takes the oldest kept request not yet taken; waits for one if needed. It stays in `requests`.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first; `.notRecording`.
    public func takeRequest(timeout: Duration = .seconds(5)) async throws(MockServerError) -> ReceivedRequest {
        if core.log.recording == .none { throw .notRecording }
        return try await core.log.arrival(of: .request, timeout)
    }

    /// Waits until at least `count` requests have arrived, kept or not.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first.
    public func waitForRequestCount(_ count: Int, timeout: Duration = .seconds(5)) async throws(MockServerError) {
        try await core.log.arrival(of: .requests(count), timeout)
    }

    /// Waits until at least `count` connections were accepted.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first.
    public func waitForConnectionCount(_ count: Int, timeout: Duration = .seconds(5)) async throws(MockServerError) {
        try await core.log.arrival(of: .connections(count), timeout)
    }

    /// Waits until connection `number`, counted from 1, was accepted and is closed at the server's end.
    ///
    /// - Throws: `MockServerError.timedOut`.
    public func waitForConnectionClosed(_ number: Int, timeout: Duration = .seconds(5)) async throws(MockServerError) {
        try await core.log.arrival(of: .endOfConnection(number), timeout)
    }

    /// Waits until no more than `count` connections are open.
    ///
    /// - Throws: `MockServerError.timedOut`.
    public func waitForOpenConnectionCount(
        atMost count: Int, timeout: Duration = .seconds(5)
    ) async throws(MockServerError) {
        try await core.log.arrival(of: .openConnections(atMost: count), timeout)
    }

    /// Waits until at least `count` protocol violations were seen; at most 1,000, as no more are kept.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops first.
    public func waitForProtocolViolationCount(
        _ count: Int, timeout: Duration = .seconds(5)
    ) async throws(MockServerError) {
        try await core.log.arrival(of: .protocolViolations(count), timeout)
    }
}
