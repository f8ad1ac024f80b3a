import HTTPCore

/// The sockets of the connections that are open, so that stopping the server can end them.
final class ConnectionTable: Sendable {
    private struct State {
        var sockets: [Int: LoopbackSocket] = [:]
        var isClosed = false
    }

    private let state = Locked(State())

    /// False when the table was closed already; the connection is then not to be served.
    func add(_ socket: LoopbackSocket, number: Int) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.sockets[number] = socket
            return true
        }
    }

    func remove(number: Int) {
        // Handed out of the lock, in which nothing shall be released.
        _ = state.withLock { $0.sockets.removeValue(forKey: number) }
    }

    /// Ends every connection, and takes no more.
    func close() {
        let sockets = state.withLock { state in
            state.isClosed = true
            return Array(state.sockets.values)
        }
        for socket in sockets { socket.interrupt() }
    }
}
