import HTTPSupport
import Dispatch
import HTTPCore

/// A counted event that tasks and blocking threads can wait for.
final class Event: Sendable {
    private struct State {
        var count = 0
        var waiters: [(count: Int, wake: @Sendable () -> Void)] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    func signal() {
        let due = state.withLock { state in
            state.count += 1
            let due = state.waiters.filter { [count = state.count] in $0.count <= count }
            state.waiters.removeAll { [count = state.count] in $0.count <= count }
            return due.map(\.wake)
        }
        for wake in due { wake() }
    }

    /// Suspends until it has happened `count` times.
    func happened(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in whenHappened(count) { continuation.resume() } }
    }

    /// Blocks until then. For the threads of a dispatcher.
    func block(_ count: Int = 1) {
        let semaphore = DispatchSemaphore(value: 0)
        whenHappened(count) { semaphore.signal() }
        semaphore.wait()
    }

    private func whenHappened(_ count: Int, _ wake: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if state.count < count { state.waiters.append((count, wake)) }
            return state.count >= count
        }
        if isDue { wake() }
    }
}
