import HTTPSupport

/// The open connections, so that stopping the server can end them.
package final class ConnectionTable: Sendable {
    private struct State {
        var sockets: [Int: LoopbackSocket] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    package init() {}

    /// False if the table is closed; the connection is then not served.
    package func add(_ socket: LoopbackSocket, number: Int) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.sockets[number] = socket
            return true
        }
    }

    func remove(number: Int) {
        // Returned, because nothing may be released under the lock.
        withExtendedLifetime(state.withLock { $0.sockets.removeValue(forKey: number) }) {}
    }

    /// Ends every connection, and accepts no more.
    package func close() {
        let sockets = state.withLock { state in
            state.isClosed = true
            return Array(state.sockets.values)
        }
        for socket in sockets { socket.interrupt() }
    }
}
