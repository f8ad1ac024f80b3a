import HTTPSupport

extension Future {
    /// Waits for the result without blocking a thread. Cancelling the task removes it as a dependent: the future is
    /// cancelled if it has no other, and this throws at once if the error type has `cancelled`.
    ///
    /// It resumes on the caller's actor. If the result is set it does not suspend.
    public func get(isolation: isolated (any Actor)? = #isolation) async throws(Failure) -> Value {
        if let result { return try result.get() }
        let task = AwaitingTask<Value, Failure>()
        let result = await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    task.start(continuation)
                    let ticket = core.withLock { $0.attach { task.finish($0) } }
                    if let result = self.result { task.finish(result) }
                    if let ticket, task.isCancelled(at: ticket) { leave(ticket, task) }
                }
            },
            onCancel: { if let ticket = task.cancel() { leave(ticket, task) } }, isolation: isolation)
        return try result.get()
    }

    private func leave(_ ticket: UInt64, _ task: AwaitingTask<Value, Failure>) {
        // The task cannot resume while its cancellation handler runs.
        Trampoline.performPromptly {
            let cancelled = Core.cancellation
            // Cancelled before the task resumes, so that the task finds the future cancelled.
            Upstream.one(Upstream.Source(core, cancelled == nil ? nil : ticket)).withdraw()
            if let cancelled { task.finish(result ?? .failure(cancelled)) }
        }
    }
}

/// A task that awaits. It is resumed once, without the lock.
private final class AwaitingTask<Value: Sendable, Failure: Error>: Sendable {
    typealias Continuation = CheckedContinuation<Result<Value, Failure>, Never>

    private let state = Locked((continuation: Continuation?.none, ticket: UInt64?.none, isCancelled: false))

    func start(_ continuation: Continuation) { state.withLock { $0.continuation = continuation } }

    /// Whether the task was cancelled before it waits at `ticket`. If not, `cancel` returns that ticket.
    func isCancelled(at ticket: UInt64) -> Bool {
        state.withLock { state in
            state.ticket = ticket
            return state.isCancelled
        }
    }

    /// The ticket at which the task waits; nil if it does not wait yet.
    func cancel() -> UInt64? {
        state.withLock { state in
            state.isCancelled = true
            return state.ticket
        }
    }

    func finish(_ result: Result<Value, Failure>) {
        state.withLock { $0.continuation.take() }?.resume(returning: result)
    }
}
