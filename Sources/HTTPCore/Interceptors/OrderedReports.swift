/// Delivers values to an observer in order, one at a time, and never under a lock: a thread that adds one while another
/// is reporting leaves it to that thread.
struct OrderedReports<Value: Sendable>: Sendable {
    private let observer: @Sendable (Value) -> Void
    private let state: Locked<State>

    private struct State {
        var pending: [Value] = []
        var isReporting = false
    }

    init(_ observer: @escaping @Sendable (Value) -> Void) {
        self.observer = observer
        state = Locked(State())
    }

    /// Reports what `change` gives; changes and reports are in the same order.
    func report(_ change: () -> Value) {
        let isOurs = state.withLock { state in
            state.pending.append(change())
            defer { state.isReporting = true }
            return !state.isReporting
        }
        guard isOurs else { return }
        while let values = takePending() {
            for value in values { observer(value) }
        }
    }

    /// Nil when all is reported: then the next to add one reports.
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
