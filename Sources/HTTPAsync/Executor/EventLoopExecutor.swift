import HTTPSupport

/// Runs tasks on the threads that drive a client's event loops, so that no call of theirs is handed to another thread.
///
///     try await withTaskExecutorPreference(client.executor) {
///         for id in ids { try await store(client.execute(.get(url(id)), as: Item.self)) }
///     }
///
///     let task = Task(executorPreference: client.executor) { try await client.get(url) }
///
/// A call of such a task starts on the task's thread, and the same thread resumes the task with the response: there is
/// nobody to wake. Everything else is as for other awaited calls: limits, priorities, deadlines, cancellation, policies.
/// Calls that need a thread, such as those with streamed bodies or inside blocking closures, get one of their dispatcher
/// as usual.
///
/// A task that never suspends for long keeps all calls of its thread waiting, and their deadlines. It must not block:
/// debug builds report blocking calls of this package there. Calls of other tasks have loops and threads of their own and
/// are not concerned.
///
/// Code isolated to an actor with an executor of its own, such as the main actor, stays there. Each thread keeps
/// connections of its own. The threads start with the first task and end after 10 s without one. Any thread may use it.
public final class EventLoopExecutor: TaskExecutor {
    private let agents: ForkLocal<[any CallAgent]>
    private let startThread: WorkerPool.ThreadStarter
    private let idleTime: Duration

    /// An executor over the event loops of `client`, or of the one that it decorates. Nil if that has none: only a
    /// `CurlTransport` has. All executors of a transport share its loops.
    ///
    /// - Parameters:
    ///   - client: A transport, or a client that decorates one.
    ///   - threads: The number of threads, one for each loop; from 1 to 256, to which other numbers are clamped. Tasks go
    ///     where there is least to do.
    public convenience init?(_ client: any HTTPClient, threads: Int = 1) {
        self.init(client, threads: threads, idleTime: .seconds(10)) { Worker.startThread(stackBytes: 1 << 20, $0) }
    }

    init?(_ client: any HTTPClient, threads: Int, idleTime: Duration, startThread: @escaping WorkerPool.ThreadStarter) {
        guard let engine = client.eventLoopClient else { return nil }
        let count = min(max(1, threads), 256)
        agents = ForkLocal { engine.taskAgents(count) }
        self.idleTime = idleTime
        self.startThread = startThread
    }

    /// Runs the next part of a task. Called by the concurrency runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let agent = agents.value.leastLoaded
        guard agent.submit(TaskPart(UnownedJob(job), of: self)) else { return }
        let idleTime = idleTime
        // Without a thread this one drives the loop until it is idle: a part of a task cannot fail.
        if !startThread({ agent.drive(idleTime: idleTime) }) { agent.drive(idleTime: .zero) }
    }
}

extension HTTPClient {
    /// Runs tasks on a thread that drives this client's event loop, for `withTaskExecutorPreference` and
    /// `Task(executorPreference:)`. Nil, which is no preference, for a client without an event loop.
    ///
    /// See `EventLoopExecutor` for what such a task may do, and for several threads.
    public var executor: EventLoopExecutor? { EventLoopExecutor(self) }
}

extension [any CallAgent] {
    /// That of this thread, unless another has much less to do.
    fileprivate var leastLoaded: any CallAgent {
        guard count > 1 else { return self[0] }
        let least = self.min { $0.load < $1.load } ?? self[0]
        guard let own = ThreadRole.agent, contains(where: { $0 === own }) else { return least }
        return own.load > least.load + 8 ? least : own
    }
}
