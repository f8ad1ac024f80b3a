import HTTPTesting

/// Waiting for events, without polling.
extension MockServer {
    /// Waits until `event` has happened. It blocks the calling thread.
    ///
    /// - Throws: `MockServerError.timedOut`; `.stopped` when the server stops before an event that needs it.
    @available(*, noasync)
    public func wait<Value>(for event: Event<Value>, timeout: Duration = .seconds(5)) throws(MockServerError) -> Value {
        try event.value(of: core.log.state.wait(upTo: timeout, for: event.end), timeout)
    }

    /// The same for asynchronous code, which must not block. Cancelling the task ends the wait with `.timedOut`.
    public func wait<Value>(
        for event: Event<Value>, timeout: Duration = .seconds(5)
    ) async throws(MockServerError) -> Value {
        try event.value(of: await core.log.state.arrival(within: timeout, of: event.end), timeout)
    }

    /// Takes the oldest kept request not yet taken; waits for one if needed. It stays in `requests`. It blocks the calling
    /// thread.
    ///
    /// - Throws: As `wait(for:timeout:)`; `MockServerError.notRecording`.
    @available(*, noasync)
    public func takeRequest(timeout: Duration = .seconds(5)) throws(MockServerError) -> ReceivedRequest {
        if core.log.recording == .none { throw .notRecording }
        return try wait(for: .request, timeout: timeout)
    }

    /// The same for asynchronous code.
    public func takeRequest(timeout: Duration = .seconds(5)) async throws(MockServerError) -> ReceivedRequest {
        if core.log.recording == .none { throw .notRecording }
        return try await wait(for: .request, timeout: timeout)
    }

    /// What a test may wait for.
    public struct Event<Value: Sendable>: Sendable {
        let name: String
        /// Whether it never comes once the server has stopped.
        var needsServer = true
        /// What has come of it.
        let attempt: @Sendable (inout ServerLog.State) -> Value?

        fileprivate enum End: Sendable {
            case found(Value)
            case stopped
        }

        @Sendable fileprivate func end(_ state: inout ServerLog.State) -> End? {
            attempt(&state).map(End.found) ?? (needsServer && state.isStopped ? .stopped : nil)
        }

        fileprivate func value(of end: End?, _ timeout: Duration) throws(MockServerError) -> Value {
            switch end {
            case .found(let value): return value
            case .stopped: throw .stopped(waitingFor: name)
            case nil: throw .timedOut(waitingFor: name, timeout: timeout)
            }
        }
    }
}

extension MockServer.Event<ReceivedRequest> {
    static let request = Self(name: "request") { $0.take() }
}

extension MockServer.Event<Void> {
    /// At least `count` requests have arrived, kept or not.
    public static func requests(_ count: Int) -> Self {
        Self(name: "\(count) requests") { $0.requestCount >= count ? () : nil }
    }

    /// At least `count` connections were accepted.
    public static func connections(_ count: Int) -> Self {
        Self(name: "\(count) connections") { $0.connectionCount >= count ? () : nil }
    }

    /// Connection `number`, counted from 1, was accepted and is closed at the server's end.
    public static func endOfConnection(_ number: Int) -> Self {
        Self(name: "end of connection \(number)", needsServer: false) {
            $0.connectionCount < number || $0.openConnections.contains(number) ? nil : ()
        }
    }

    /// No more than `count` connections are open.
    public static func openConnections(atMost count: Int) -> Self {
        Self(name: "drop to \(count) open connections", needsServer: false) {
            $0.openConnections.count <= count ? () : nil
        }
    }

    /// At least `count` protocol violations were seen; at most 1,000, as no more are kept.
    public static func protocolViolations(_ count: Int) -> Self {
        Self(name: "\(count) protocol violations") { $0.protocolViolations.count >= count ? () : nil }
    }
}
