import HTTPSupport
import HTTPTesting

/// The events of a server, and the waiters for them.
final class ServerLog: Sendable {
    struct State {
        /// The kept ones.
        var requests: [ReceivedRequest] = []
        /// How many of the kept ones were taken.
        var takenCount = 0
        var requestCount = 0
        var connectionCount = 0
        var openConnections: Set<Int> = []
        var protocolViolations: [MockServer.ProtocolViolation] = []
        /// The answers that were not possible, with the reasons.
        var misuses: [String] = []
        /// Requests without a scripted answer.
        var unscripted: [String] = []
        var isStopped = false

        /// The oldest kept request not yet taken.
        mutating func take() -> ReceivedRequest? {
            guard takenCount < requests.count else { return nil }
            defer { takenCount += 1 }
            return requests[takenCount]
        }
    }

    let recording: MockServer.Recording
    let state = WatchedState(State())

    init(_ recording: MockServer.Recording) { self.recording = recording }

    /// Blocks the thread.
    func wait<Value>(for event: Event<Value>, _ timeout: Duration) throws(MockServerError) -> Value {
        try event.value(of: state.wait(upTo: timeout, for: event.end), timeout)
    }

    /// The same for async code. Cancelling the task ends it.
    func arrival<Value>(of event: Event<Value>, _ timeout: Duration) async throws(MockServerError) -> Value {
        try event.value(of: await state.arrival(within: timeout, of: event.end), timeout)
    }

    /// What a test may wait for.
    struct Event<Value: Sendable>: Sendable {
        let name: String
        /// Whether it never comes once the server has stopped.
        var endsWithServer = true
        /// What has come of it.
        let attempt: @Sendable (inout State) -> Value?

        fileprivate enum End: Sendable {
            case found(Value)
            case stopped
        }

        @Sendable fileprivate func end(_ state: inout State) -> End? {
            attempt(&state).map(End.found) ?? (endsWithServer && state.isStopped ? .stopped : nil)
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

extension ServerLog.Event<ReceivedRequest> {
    static let request = Self(name: "request") { $0.take() }
}

extension ServerLog.Event<Void> {
    static func requests(_ count: Int) -> Self {
        Self(name: "\(count) requests") { $0.requestCount >= count ? () : nil }
    }

    static func connections(_ count: Int) -> Self {
        Self(name: "\(count) connections") { $0.connectionCount >= count ? () : nil }
    }

    static func endOfConnection(_ number: Int) -> Self {
        Self(name: "end of connection \(number)", endsWithServer: false) {
            $0.connectionCount < number || $0.openConnections.contains(number) ? nil : ()
        }
    }

    static func openConnections(atMost count: Int) -> Self {
        Self(name: "drop to \(count) open connections", endsWithServer: false) {
            $0.openConnections.count <= count ? () : nil
        }
    }

    static func protocolViolations(_ count: Int) -> Self {
        Self(name: "\(count) protocol violations") { $0.protocolViolations.count >= count ? () : nil }
    }
}
