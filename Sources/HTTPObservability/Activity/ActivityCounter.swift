import HTTPSupport

/// The number of running calls, for a spinner. Several clients may share one.
///
///     let activity = ActivityCounter { count in spinner.isVisible = count > 0 }
///     let users = transport.intercepted(by: .activity(activity))
///     let chats = transport.intercepted(by: .activity(activity))
public final class ActivityCounter: Sendable {
    private let observer: @Sendable (Int) -> Void
    private let state = Locked(State())

    private struct State {
        var count = 0
        /// Changes that a thread is to report.
        var pending: [Int] = []
        var isReporting = false
    }

    /// The observer receives every change in order, one at a time. The count is never negative, changes by one, and is
    /// zero after the last call. The observer runs on the thread of one of the calls, which waits for it: keep it
    /// short, and switch to the main thread without waiting.
    public init(_ observer: @escaping @Sendable (_ inFlight: Int) -> Void = { _ in }) { self.observer = observer }

    /// The number of running calls.
    public var inFlight: Int { state.withLock { $0.count } }

    /// Changes the count and reports it, never under the lock. A thread that changes it while another is reporting leaves
    /// the report to that thread.
    func add(_ change: Int) {
        let count = state.withLock { state -> Int? in
            state.count += change
            guard state.isReporting else {
                state.isReporting = true
                return state.count
            }
            state.pending.append(state.count)
            return nil
        }
        guard let count else { return }
        observer(count)
        while let counts = takePending() {
            for count in counts { observer(count) }
        }
    }

    /// The counts to report; nil if there are none. The next thread to change it then reports.
    private func takePending() -> [Int]? {
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
