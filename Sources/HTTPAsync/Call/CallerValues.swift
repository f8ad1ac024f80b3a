import HTTPSupport

/// The task-local values of the code that makes it, for what is done for that code later, on other threads.
///
/// The system copies values whose keys are not known into new tasks, and has no other way. So this is a task, without a
/// thread: it is continued by those who have something to run in it, and ends when this is released.
final class CallerValues: Sendable {
    private let thread = LentThread()
    /// That of the task that makes it; nil for none.
    let executor = ThreadRole.executor

    init() {
        Task(executorPreference: thread) { [thread] in
            while let body = thread.nextBody() {
                body()
                await thread.suspend()
            }
        }
    }

    deinit { thread.run(nil) }

    /// Runs `body` on this thread; while another one runs something here, on that, behind it. It should be short then.
    func run(_ body: @escaping @Sendable () -> Void) { thread.run(body) }

    /// `body` with these values, except the token and the deadline, which are those of the thread that runs it.
    static func around<Value: Sendable>(
        _ body: @escaping @Sendable () -> Result<Value, HTTPError>
    ) -> @Sendable () -> Result<Value, HTTPError> {
        let values = CallerValues()
        return {
            let place = Locked<Result<Value, HTTPError>?>(nil)
            let (token, deadline) = (CancellationToken.current, CallDeadline.current)
            values.run {
                let outcome = CancellationToken.$current.withValue(token) {
                    CallDeadline.$current.withValue(deadline, operation: body)
                }
                place.withLock { $0 = outcome }
            }
            return place.withLock { $0.take() } ?? .failure(.cancelled(nil))
        }
    }
}

/// Keeps a task until a thread continues it.
private final class LentThread: TaskExecutor {
    private struct State {
        var part: UnownedJob?
        var continuation: UnsafeContinuation<Void, Never>?
        /// What the task is to run; nil ends it.
        var bodies: [(@Sendable () -> Void)?] = []
        var isRunning = false
    }

    private let state = Locked(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let part = UnownedJob(job)
        state.withLock { $0.part = part }
    }

    func run(_ body: (@Sendable () -> Void)?) {
        let isFree = state.withLock { state in
            state.bodies.append(body)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFree else { return }
        repeat {
            // A task that is resumed comes back as its next part.
            state.withLock { $0.continuation.take() }?.resume()
            state.withLock { $0.part.take() }?.runSynchronously(on: asUnownedTaskExecutor())
        } while state.withLock { state in
            state.isRunning = !state.bodies.isEmpty
            return state.isRunning
        }
    }

    /// For the task, which is continued only when there is one.
    func nextBody() -> (@Sendable () -> Void)? { state.withLock { $0.bodies.removeFirst() } }

    func suspend() async {
        await withUnsafeContinuation { continuation in state.withLock { $0.continuation = continuation } }
    }
}
