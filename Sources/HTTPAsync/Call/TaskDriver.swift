import HTTPSupport

/// Drives a call through a suspending closure, in a task of its own.
///
/// The call ends with the closure, soon after its deadline or when it is cancelled, whichever comes first. In the last two
/// cases the task is cancelled and not waited for.
final class TaskDriver: CallDriver, Alarm {
    private struct State {
        /// Nil before the start and after the end.
        var call: Job<RequestWork>?
        var task: Task<Void, Never>?
        var priority = Dispatcher.Priority.low
        /// Where the task of its call runs; nil if that is the executor of the thread that starts it.
        var executor: (any TaskExecutor)?
        /// Both nil after the end: a timer may keep the driver long after that.
        var client: SuspendingClient?
        var dispatcher: Dispatcher?
        var start: TimePoint?
        /// Whether the deadline has been noticed.
        var isLate = false
    }

    /// From when the deadline is noticed, which may be late. A call in the closure ends at the same moment, and says more: what
    /// it did, or which limit it waited for.
    private static let grace = Duration.milliseconds(10)

    private let pool: WorkerPool
    private let state: Locked<State>

    init(_ client: SuspendingClient, on dispatcher: Dispatcher) {
        pool = dispatcher.pool
        state = Locked(State(client: client, dispatcher: dispatcher))
    }

    func start(_ call: Job<RequestWork>, priority: Dispatcher.Priority) {
        let (priority, executor, client, dispatcher) = state.withLock { state in
            state.call = call
            state.start = state.client?.clock.now()
            state.priority = max(state.priority, priority)
            return (state.priority, state.executor ?? ThreadRole.executor, state.client, state.dispatcher)
        }
        guard let client, !call.isCancelled else {
            return finish { call, _ in .failure(.cancelled(CallRecord(unsent: call.request, phase: .queued))) }
        }
        // The closure runs where the task of its call does, if that has an executor of its own.
        let task = Task(executorPreference: executor, priority: TaskPriority(priority)) {
            let outcome = await Dispatcher.$ofTask.withValue(dispatcher) {
                await CallDeadline.$current.withValue(call.deadline) { await client.response(to: call.request) }
            }
            self.finish { _, _ in outcome }
        }
        let (isOver, raised) = state.withLock { state in
            if state.call != nil { state.task = task }
            return (state.call == nil, state.priority)
        }
        if isOver { task.cancel() } else if raised > priority { Self.escalate(task, to: raised) }
        if let deadline = call.deadline { pool.set(self, for: deadline.point) }
    }

    /// Before the start: the closure runs there.
    func prefer(_ executor: (any TaskExecutor)?) { state.withLock { $0.executor = executor } }

    /// Its calls follow the task.
    func raise(to priority: Dispatcher.Priority) {
        let task = state.withLock { state in
            state.priority = max(state.priority, priority)
            return state.task
        }
        if let task { Self.escalate(task, to: priority) }
    }

    private static func escalate(_ task: Task<Void, Never>, to priority: Dispatcher.Priority) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task.escalatePriority(to: TaskPriority(priority))
        }
    }

    /// Its closure may do anything, and has no response yet.
    func noteLeft() {}

    func cancel() { finish { .failure(.cancelled(self.record($0, $1))) } }

    private func record(_ call: Job<RequestWork>, _ client: SuspendingClient) -> CallRecord {
        client.record(call.request, since: state.withLock { $0.start })
    }

    // MARK: The deadline

    var isPending: Bool { state.withLock { $0.call != nil } }

    func fire() {
        let isLate = state.withLock { state in state.call == nil ? nil : exchange(&state.isLate, with: true) }
        guard let isLate else { return }
        guard isLate else { return pool.set(self, for: .now + Self.grace) }
        // Not on the thread that keeps the time: cancelling a task runs its handlers.
        pool.callbacks.runAtOnce { self.finish { .failure(.timedOut($0.deadline, self.record($0, $1))) } }
    }

    func refuse() { finish { call, _ in .failure(self.pool.refusal(of: call.request, .starting)) } }

    /// The first ending wins.
    private func finish(_ outcome: (Job<RequestWork>, SuspendingClient) -> Result<Response, HTTPError>) {
        let ended = state.withLock { state in
            // Before the start there is nothing to end: the start sees a cancellation.
            state.call.take().map { ($0, state.client.take(), state.task.take(), state.dispatcher.take()) }
        }
        guard let (call, client, task, dispatcher) = ended, let client else { return }
        defer { withExtendedLifetime(dispatcher) {} }
        // Has no effect on a finished task.
        task?.cancel()
        call.report(outcome(call, client))
    }
}
