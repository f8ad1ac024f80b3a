import HTTPCore

extension Future {
    /// Waits for the result without blocking a thread. Cancelling the task counts as one dependent leaving: the future is
    /// cancelled if nothing else wants it, and this throws at once, where the error type knows `cancelled`.
    public func get() async throws(Failure) -> Value {
        if let result { return try result.get() }
        let waiter = Waiter<Value, Failure>()
        let node = FutureCore(role: .prompt) { source, _ in
            waiter.finish(unsafeDowncast(source, to: Core.self).stored.result)
            return .over
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // First: who cancels once the waiter has started takes this one off again.
                core.gainDependent()
                let isCancelled = waiter.start(continuation)
                if !core.attachUnlessDone(node) { waiter.finish(self.result) }
                if isCancelled { leave(node, waiter) }
            }
        } onCancel: {
            if waiter.cancel() { leave(node, waiter) }
        }
        return try result.get()
    }

    private func leave(_ node: FutureCore, _ waiter: Waiter<Value, Failure>) {
        Trampoline.perform {
            let cancelled = Slot<Value, Failure>.cancellation
            if cancelled != nil, !node.claim() { return }
            // First, so that the task finds the future cancelled.
            FutureCore.withdraw(from: core)
            if let cancelled { waiter.finish(.failure(cancelled)) }
        }
    }
}

/// A task that awaits: resumed once, and not under the lock.
private final class Waiter<Value: Sendable, Failure: Error>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, Failure>, Never>

    private enum State {
        case idle, cancelled, over
        case waiting(Continuation)
    }

    private let state = Locked(State.idle)

    /// Says whether the task was cancelled before.
    func start(_ continuation: Continuation) -> Bool {
        state.withLock { state in
            defer { state = .waiting(continuation) }
            if case .cancelled = state { return true }
            return false
        }
    }

    /// False if the task does not wait yet: then `start` will say so.
    func cancel() -> Bool {
        state.withLock { state in
            guard case .idle = state else { return true }
            state = .cancelled
            return false
        }
    }

    func finish(_ result: Result<Value, Failure>?) {
        guard let result else { return }
        let continuation: Continuation? = state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .over
            return continuation
        }
        continuation?.resume(returning: result)
    }
}
