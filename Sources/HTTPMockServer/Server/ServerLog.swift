import HTTPTesting

/// What has happened to a server, and those who wait for it.
final class ServerLog: Sendable {
    /// Above this number, the oldest protocol violations are removed.
    static let longestViolationList = 1_000

    struct State {
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

    func record(_ request: ReceivedRequest) {
        state.change { state in
            state.requestCount += 1
            if recording == .all { state.requests.append(request) }
        }
    }

    func record(_ violation: MockServer.ProtocolViolation) {
        state.change { state in
            if state.protocolViolations.count >= Self.longestViolationList { state.protocolViolations.removeFirst() }
            state.protocolViolations.append(violation)
        }
    }

    func record(misuse: String) { state.change { state in state.misuses.append(misuse) } }

    func record(unscripted request: ReceivedRequest) {
        let text = request.description
        state.change { state in state.unscripted.append(text) }
    }

    /// Returns the number of the new connection.
    func openConnection() -> Int {
        state.change { state in
            state.connectionCount += 1
            state.openConnections.insert(state.connectionCount)
            return state.connectionCount
        }
    }

    func closeConnection(_ number: Int) { state.change { state in _ = state.openConnections.remove(number) } }

    func stop() { state.change { state in state.isStopped = true } }
}
