import HTTPSupport

/// A value whose changes an observer receives in order, one at a time, and never under a lock. A thread that changes it
/// while another is reporting leaves the report to that thread.
struct OrderedReports<Value: Sendable>: Sendable {
    private let observer: @Sendable (Value) -> Void
    private let state: Locked<State>

    private struct State {
        var value: Value
        /// Changes while a thread is reporting.
        var pending: [Value] = []
        var isReporting = false
    }

    init(of value: sending Value, _ observer: @escaping @Sendable (Value) -> Void) {
        self.observer = observer
        state = Locked(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value and reports it. `body` runs under the lock.
    func change(_ body: (inout Value) -> Void) {
        let first = state.withLock { state in
            body(&state.value)
            guard state.isReporting else {
                state.isReporting = true
                return Optional(state.value)
            }
            state.pending.append(state.value)
            return nil
        }
        guard let first else { return }
        observer(first)
        while let values = takePending() {
            for value in values { observer(value) }
        }
    }

    /// The values to report; nil if there are none. The next thread to change it then reports.
    private func takePending() -> [Value]? {
        state.withLock { state in
            guard !state.pending.isEmpty else {
                state.isReporting = false
                return nil
            }
            defer { state.pending = [] }
            return state.pending
        }
    }
}
