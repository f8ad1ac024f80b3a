import HTTPCore
import HTTPSupport

/// The script for new connections: a queue, then a default.
final class ConnectionScript: Sendable {
    private struct State {
        var fault: ConnectionFault?
        var queue: ArraySlice<ConnectionFault?> = []
    }

    private let state = Locked(State())

    var fault: ConnectionFault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    func enqueue(_ fault: ConnectionFault?) { state.withLock { $0.queue.append(fault) } }

    /// The fault of the next connection; nil serves it.
    func next() -> ConnectionFault? {
        state.withLock { state in
            guard let queued = state.queue.popFirst() else { return state.fault }
            return queued
        }
    }
}
