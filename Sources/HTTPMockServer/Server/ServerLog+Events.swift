import HTTPTesting

extension ServerLog {
    /// Above this number, the oldest protocol violations are removed.
    static let longestViolationList = 1_000

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
