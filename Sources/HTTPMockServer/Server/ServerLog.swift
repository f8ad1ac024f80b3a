import HTTPSupport
import HTTPTesting

/// The events of a server, and the waiters for them.
final class ServerLog: Sendable {
    struct State {
        var requests: RequestStore
        var requestCount = 0
        var connectionCount = 0
        var openConnections: Set<Int> = []
        var protocolViolations: [MockServer.ProtocolViolation] = []
        /// The answers that were not possible, with the reasons.
        var misuses: [String] = []
        /// Requests without a scripted answer.
        var unscripted: [String] = []
        var isStopped = false
    }

    let recording: MockServer.Recording
    let state: WatchedState<State>

    init(_ recording: MockServer.Recording) {
        self.recording = recording
        state = WatchedState(State(requests: RequestStore(recording)))
    }

    /// Waits until `attempt`, which is made with each change, returns a value or, with `orStop`, the server stops.
    func wait<Value: Sendable>(
        for event: String, timeout: Duration, orStop: Bool = true,
        _ attempt: @escaping @Sendable (inout State) -> Value?
    ) throws(MockServerError) -> Value {
        let (found, signal) = (Locked<Value?>(nil), Signal())
        let waiter = state.add(wake: signal.fire) { state in
            let value = attempt(&state)
            found.withLock { $0 = value }
            return value != nil || (orStop && state.isStopped)
        }
        let isOver = signal.wait(until: .now + timeout)
        state.remove(waiter)
        if let value = found.withLock(\.self) { return value }
        throw isOver ? .stopped(waitingFor: event) : .timedOut(waitingFor: event, timeout: timeout)
    }
}
