import HTTPSupport

/// The events of a server, and the waiters for them.
final class ServerLog: Sendable {
    struct State {
        var requests: RequestStore
        var requestCount = 0
        var connectionCount = 0
        var openConnections: Set<Int> = []
        var protocolErrors: [MockServer.ProtocolViolation] = []
        /// The answers that were not possible, with the reasons.
        var misuses: [String] = []
        /// Requests without a scripted answer.
        var unscripted: [String] = []
        var isStopped = false
        fileprivate var waiters: [Waiter] = []
    }

    fileprivate struct Waiter {
        let isDue: @Sendable (borrowing State) -> Bool
        let signal: WakeSignal
    }

    let recording: MockServer.Recording
    private let state: Locked<State>

    init(_ recording: MockServer.Recording) {
        self.recording = recording
        state = Locked(State(requests: RequestStore(recording)))
    }

    func read<Value: Sendable>(_ body: (borrowing State) -> Value) -> Value { state.withLock { body($0) } }

    /// Changes the state, then wakes the waiters of that event.
    @discardableResult
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, due) = state.withLock { state in
            let value = body(&state)
            return (value, Self.takeDue(from: &state))
        }
        for signal in due { signal.fire() }
        return value
    }

    /// Waits until `attempt` returns a value. It is retried when `isDue`; another waiter may be faster.
    @discardableResult
    func wait<Value: Sendable>(
        for event: String,
        timeout: Duration,
        isDue: @escaping @Sendable (borrowing State) -> Bool,
        attempt: (inout State) -> Value?
    ) throws(MockServerError) -> Value {
        let deadline = ContinuousClock.now + timeout
        if let value = state.withLock({ attempt(&$0) }) { return value }
        while true {
            let signal = try WakeSignal()
            let (value, isStopped) = state.withLock { state -> (Value?, Bool) in
                if let value = attempt(&state) { return (value, false) }
                // Due without a value: a stopped server ends the wait.
                if isDue(state) { return (nil, true) }
                state.waiters.append(Waiter(isDue: isDue, signal: signal))
                return (nil, false)
            }
            if let value { return value }
            if isStopped { throw .stopped(waitingFor: event) }
            guard signal.wait(timeout: ContinuousClock.now.duration(to: deadline)) == .timedOut else { continue }
            let late = state.withLock { state in
                state.waiters.removeAll { $0.signal === signal }
                return attempt(&state)
            }
            guard let late else { throw .timedOut(waitingFor: event, timeout: timeout) }
            return late
        }
    }

    /// Waits until `condition` holds or, with `orStop`, the server stops.
    func wait(
        for event: String,
        timeout: Duration,
        orStop: Bool,
        until condition: @escaping @Sendable (borrowing State) -> Bool
    ) throws(MockServerError) {
        try wait(
            for: event, timeout: timeout, isDue: { condition($0) || (orStop && $0.isStopped) },
            attempt: { condition($0) ? true : nil })
    }

    private static func takeDue(from state: inout State) -> [WakeSignal] {
        guard !state.waiters.isEmpty else { return [] }
        let due = state.waiters.filter { $0.isDue(state) }.map(\.signal)
        if !due.isEmpty { state.waiters.removeAll { waiter in due.contains { $0 === waiter.signal } } }
        return due
    }
}
