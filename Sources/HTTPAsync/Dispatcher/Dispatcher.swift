public import HTTPCore

/// Makes blocking calls on threads of its own, so that no other thread has to wait for them.
///
/// At most 64 calls run at once, 8 of them to one host; the others wait, and of those first come, first served within a
/// host and a priority, and the hosts take turns. Threads are started when they are needed and end when they have been
/// idle for 10 s. There is nothing to shut down: calls under way are finished, also when nobody holds the dispatcher.
///
/// Calls over a `CurlTransport` whose bodies are in memory are made many at once on one thread, also behind the package's own
/// interceptors; one that waits there, for its turn or its next attempt, does not count as running. The limits hold for them
/// as for all others, but they take no thread each, so that both may be raised to thousands.
///
/// A call made within another one of the same dispatcher (by work that asks for more and waits) is made at once, on the
/// same thread: it never waits for the slot that its caller holds.
///
/// All members may be used from any thread.
public final class Dispatcher: Sendable {
    /// What is used where none is named, with the default configuration.
    public static let shared = Dispatcher()

    /// What awaited calls use where none is named: `shared`; within the closure of an interceptor that suspends, that of the
    /// call that the closure is for.
    public static var current: Dispatcher { ofTask ?? shared }

    @TaskLocal static var ofTask: Dispatcher?

    /// The limits that it was made with.
    public let configuration: Configuration
    private let pools: ForkLocal<WorkerPool>
    /// That of this process: the threads of a parent do not exist in a child.
    var pool: WorkerPool { pools.value }

    /// A dispatcher of its own. It starts no thread before the first call; threads end when it is gone and they are
    /// idle.
    public convenience init(_ configuration: Configuration = Configuration()) {
        let stackBytes = configuration.stackBytes
        self.init(configuration) { WorkerThread.start(stackBytes: stackBytes, $0) }
    }

    /// With another source of threads.
    init(_ configuration: Configuration, startThread: @escaping WorkerPool.ThreadStarter) {
        self.configuration = configuration
        let limits = WorkerPool.Plan.Limits(
            running: max(1, configuration.running), runningPerHost: configuration.runningPerHost,
            queued: configuration.queued)
        pools = ForkLocal { WorkerPool(limits, idleTime: configuration.idleTime, startThread: startThread) }
    }

    /// Runs blocking work on a thread of this dispatcher and hands its result to `completion`, once.
    ///
    /// - Parameters:
    ///   - priority: Which of the calls that wait goes first.
    ///   - host: Where the work goes, for the limit of calls to one host, as a Host header names it: `api.example.com`,
    ///     `127.0.0.1:8080`. Work without a host counts only in all.
    ///   - timeout: How long the work may take, waiting for its turn included; nil for no limit. The calls it makes get
    ///     what is left.
    ///   - work: May block. A `CancellationToken` is bound around it, so that the calls it makes end with it.
    ///   - completion: Gets the work's result, or `.cancelled`, `.timedOut` or `.overloaded`. It runs on the thread that
    ///     has the result: after the work on its thread, whose slot is free by then; on the cancelling thread for what
    ///     was still waiting; within this function for what is refused.
    /// - Returns: A handle to cancel with. An ambient `CancellationToken` cancels the work, too.
    @discardableResult
    public func submit<Value: Sendable>(
        host: String? = nil, priority: Priority = .normal, timeout: Duration? = nil,
        _ work: @escaping @Sendable () -> Result<Value, HTTPError>,
        completion: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        start(
            call(host: host, timeout: timeout, work), priority: priority,
            .callback(.immediate, completion))
    }
}
