import HTTPSupport
import Dispatch
import HTTPCore
import Testing

/// A counted event that tasks and blocking threads can wait for. No wait heeds cancellation, which is all that the time
/// limit of a test does; each has a limit of its own, so that a test that fails does not keep the run from its end.
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

    private static let limit = DispatchTimeInterval.seconds(240)

    /// Suspends until it has happened `count` times.
    func happened(_ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) async {
        let isInTime = await withCheckedContinuation { continuation in
            let hasEnded = Locked(false)
            let end: @Sendable (Bool) -> Void = { isInTime in
                let isFirst = hasEnded.withLock { hasEnded in
                    defer { hasEnded = true }
                    return !hasEnded
                }
                if isFirst { continuation.resume(returning: isInTime) }
            }
            whenHappened(count) { end(true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) { end(false) }
        }
        if !isInTime { giveUp(count, sourceLocation) }
    }

    /// Blocks until then. For the threads of a dispatcher.
    func block(_ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
        let semaphore = DispatchSemaphore(value: 0)
        whenHappened(count) { semaphore.signal() }
        if semaphore.wait(timeout: .now() + Self.limit) == .timedOut { giveUp(count, sourceLocation) }
    }

    private func giveUp(_ count: Int, _ sourceLocation: SourceLocation) {
        Issue.record("it happened \(self.count) times, not \(count)", sourceLocation: sourceLocation)
    }

    private func whenHappened(_ count: Int, _ wake: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            if state.count < count { state.waiters.append((count, wake)) }
            return state.count >= count
        }
        if isDue { wake() }
    }
}
