/// Delivers values to an observer in order, one at a time, and never under a lock. A thread that adds a value while
/// another is reporting leaves it to that thread.
struct OrderedReports<Value: Sendable>: Sendable {
    private let observer: @Sendable (Value) -> Void
    private let state: Locked<State>

    private struct State {
        /// Added while a thread is reporting.
        var pending: [Value] = []
        var isReporting = false
    }

    init(_ observer: @escaping @Sendable (Value) -> Void) {
        self.observer = observer
        state = Locked(State())
    }

    /// Reports the value that `change` returns. Changes and reports have the same order.
    func report(_ change: () -> Value) {
        let first = state.withLock { state in
            let value = change()
            guard state.isReporting else {
                state.isReporting = true
                return Optional(value)
            }
            state.pending.append(value)
            return nil
        }
        guard let first else { return }
        observer(first)
        while let values = takePending() {
            for value in values { observer(value) }
        }
    }

    /// The values to report; nil if there are none. The next thread to add one then reports.
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
