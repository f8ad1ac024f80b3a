import HTTPSupport

/// A state behind a lock, and those who wait for it to change.
package struct WatchedState<State: Sendable>: Sendable {
    /// A wait, to withdraw it.
    package final class Waiter: Sendable {
        fileprivate let isOver: @Sendable (inout State) -> Bool
        fileprivate let wake: @Sendable () -> Void

        fileprivate init(_ isOver: @escaping @Sendable (inout State) -> Bool, _ wake: @escaping @Sendable () -> Void) {
            self.isOver = isOver
            self.wake = wake
        }
    }

    private struct Content: Sendable {
        var state: State
        var waiters: [Waiter] = []
    }

    private let content: Locked<Content>

    package init(_ state: State) { content = Locked(Content(state: state)) }

    package var waiterCount: Int { content.withLock { $0.waiters.count } }

    package func read<Value: Sendable>(_ body: (borrowing State) -> Value) -> Value {
        content.withLock { body($0.state) }
    }

    /// Changes the state, then wakes those whose wait is over, the first one first.
    @discardableResult
    package func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, due) = content.withLock { content in
            let value = body(&content.state)
            let waiters = content.waiters
            guard !waiters.isEmpty else { return (value, waiters) }
            let due = waiters.filter { $0.isOver(&content.state) }
            content.waiters.removeAll { waiter in due.contains { $0 === waiter } }
            return (value, due)
        }
        for waiter in due { waiter.wake() }
        return value
    }

    /// Calls `wake` once `isOver` is true: now, or after a change. `isOver` may take from the state what it waits for.
    /// A wait that has ended otherwise is to be removed.
    package func add(
        wake: @escaping @Sendable () -> Void, once isOver: @escaping @Sendable (inout State) -> Bool
    ) -> Waiter {
        let waiter = Waiter(isOver, wake)
        let isDue = content.withLock { content in
            let isDue = isOver(&content.state)
            if !isDue { content.waiters.append(waiter) }
            return isDue
        }
        if isDue { wake() }
        return waiter
    }

    package func remove(_ waiter: Waiter) { content.withLock { $0.waiters.removeAll { $0 === waiter } } }

    /// What `attempt` finds, which is made now and with each change; nil if nothing came in time. Blocks the thread until then.
    package func wait<Value: Sendable>(
        upTo timeout: Duration, for attempt: @escaping @Sendable (inout State) -> Value?
    ) -> Value? {
        let (found, signal) = (Locked<Value?>(nil), Signal())
        let waiter = add(wake: signal.fire) { Self.make(attempt, &$0, found) }
        _ = signal.wait(until: .now + timeout)
        remove(waiter)
        return found.withLock(\.self)
    }

    /// The same for async code. Cancelling the task ends it.
    package func arrival<Value: Sendable>(
        within timeout: Duration, of attempt: @escaping @Sendable (inout State) -> Value?
    ) async -> Value? {
        let found = Locked<Value?>(nil)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let waiter = add(wake: arrival.finish) { Self.make(attempt, &$0, found) }
        let timer = Task {
            // A longer time than can be counted would end the process.
            try? await Task.sleep(for: TimeSpan(timeout).duration)
            arrival.finish()
        }
        for await _ in arrivals {}
        timer.cancel()
        remove(waiter)
        return found.withLock(\.self)
    }

    private static func make<Value: Sendable>(
        _ attempt: (inout State) -> Value?, _ state: inout State, _ found: Locked<Value?>
    ) -> Bool {
        let value = attempt(&state)
        found.withLock { $0 = value }
        return value != nil
    }
}
