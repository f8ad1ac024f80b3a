import HTTPSupport

/// Makes blocking calls on its own threads, so that no other thread has to block.
///
/// At most 64 calls run at once, 8 of them to one host; the others wait. Within a host and a priority they run in order
/// of submission, those that send again before those that have not begun, and hosts take turns. Threads are started on
/// demand and end after 10 s idle. There is nothing to shut down: when the dispatcher is released, its calls still
/// finish, and then its threads end.
///
/// Calls over a `CurlTransport` that wait for nothing but the network share one thread, also inside the package's own
/// interceptors: their bodies are in memory, discarded, read as lines or bytes, or a download without `progress`. The
/// limits apply to them, too, but may be raised to thousands, since these calls take no thread each.
///
/// A call that waits in an interceptor of the package, for a rate limit, a token or its next attempt, does not count as
/// running. Inside a blocking closure it keeps its thread meanwhile. There it counts in the total again as soon as the
/// wait is over, even beyond the limit; at its host it comes before new calls, after at most a second in which no
/// call to the host ends.
///
/// A call within another call of the same dispatcher begins at once, on the same thread: it does not wait for the slot of
/// its caller. Once it has waited in an interceptor, its next exchange needs a slot of its own: wait for it by the blocking
/// verbs. A thread that waits for its future, or by a semaphore, keeps the slot of its call.
///
/// Any thread may use all members.
public final class Dispatcher: Sendable {
    /// The default dispatcher, with the default configuration.
    public static let shared = Dispatcher()

    /// The default dispatcher for responses that are read piece by piece, and for files: `stream`, `download`,
    /// `downloads`, `downloadIfNewer` and `upload`. It is separate from `shared`, since a stream may occupy its thread for
    /// hours. Up to 1,000 at once.
    public static let streams = Dispatcher(Configuration(running: 1000, runningPerHost: 1000))

    /// The default for awaited calls: `shared`; within the closure of a suspending interceptor, the dispatcher of the
    /// intercepted call.
    public static var current: Dispatcher { ofTask ?? shared }

    @TaskLocal static var ofTask: Dispatcher?

    /// For calls that would go to a default dispatcher, and that a stub or a replay answers: they use none of its slots,
    /// so that the tests of a process do not wait for one another.
    static let offline = Dispatcher(Configuration(running: 1000, runningPerHost: 1000))

    /// The dispatcher for calls of `client` to this one.
    func serving(_ client: any HTTPClient) -> Dispatcher {
        (self === Dispatcher.shared || self === Dispatcher.streams) && client.isOffline ? .offline : self
    }

    /// The dispatcher for calls of `client` that this thread starts and waits for later. Within a call of this dispatcher
    /// it is a new one: they would run at once, on this thread, or need the slot of that call.
    func apart(for client: any HTTPClient, _ configuration: @autoclosure () -> Configuration = Configuration())
        -> Dispatcher
    {
        Worker.current?.pool === serving(client).pool ? Dispatcher(configuration()) : self
    }

    /// The limits it was created with.
    public let configuration: Configuration
    private let pools: ForkLocal<WorkerPool>
    private let makePool: @Sendable () -> WorkerPool
    /// The pool of this process: a parent's threads do not exist in a forked child.
    var pool: WorkerPool { ThreadSystem.current.map(pool) ?? pools.value }

    /// Creates a dispatcher. It starts no thread before the first call; once it is released, idle threads end.
    public convenience init(_ configuration: Configuration = Configuration()) {
        let stackBytes = configuration.stackBytes
        self.init(configuration) { Worker.startThread(stackBytes: stackBytes, $0) }
    }

    /// With another source of threads.
    init(_ configuration: Configuration, startThread: @escaping WorkerPool.ThreadStarter) {
        self.configuration = configuration
        makePool = { WorkerPool(configuration, startThread: startThread) }
        pools = ForkLocal(makePool)
    }

    deinit { pools.ifMade?.endIdleThreads() }

    /// Each simulation has a pool of its own: others do not take its slots.
    private func pool(of simulation: any SimulatedSystem) -> WorkerPool { simulation.counterpart(of: self, makePool) }

    /// Runs blocking work on a thread of this dispatcher, and awaits its result. Use it for several calls in a row; a
    /// single one has an awaited form of the same name (`execute`, `send`, `download`), which costs less.
    ///
    ///     let user = try await Dispatcher.shared.run {
    ///         client.executeRequest(.post(login)).flatMap { token in
    ///             client.executeRequest(.get(me) |> .bearer(token.lossyText()))
    ///         }
    ///     }
    ///
    /// The work occupies a thread and a slot until it ends, whatever it calls, and each of its calls a connection: they
    /// share no HTTP/2 connection with calls on other threads. Its batches (`executeRequests`) share connections among
    /// themselves.
    ///
    /// - Parameters:
    ///   - host: The host of the work, for the limit of calls to one host, as a Host header names it:
    ///     `api.example.com`, `127.0.0.1:8080`. Work without a host counts in the total only.
    ///   - priority: Its place among waiting calls; by default it follows the task's priority.
    ///   - timeout: The time for waiting in the queue and for the calls of the work; nil for no limit. Each call gets
    ///     what is left, and its own timeout counts from when it is sent. What else the work does is not interrupted.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    ///   - work: May block. Its calls end when the task is cancelled.
    /// - Throws: The work's failure; `.cancelled`, `.timedOut`, and an `Overload` when the queue is full.
    public func run<Value: Sendable>(
        host: String? = nil, priority: Priority? = nil, timeout: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, _ work: @escaping @Sendable () -> Result<Value, HTTPError>
    ) async throws(HTTPError) -> Value {
        let call = self.call(host: host, timeout: timeout, work)
        await run(call, priority: priority, isolation: isolation)
        return try call.settlement.value()
    }

    /// The same for work that returns a value or throws. Swift does not infer a closure's error type, so a throwing
    /// closure declares it:
    ///
    ///     let results = try await Dispatcher.shared.run { client.executeRequests(requests) }
    ///     let profile = try await Dispatcher.shared.run { () throws(HTTPError) in
    ///         let login = try client.execute(logIn, as: Login.self)
    ///         return try client.execute(profile |> .bearer(login.token), as: Profile.self)
    ///     }
    @_disfavoredOverload
    public func run<Value: Sendable>(
        host: String? = nil, priority: Priority? = nil, timeout: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation, _ work: @escaping @Sendable () throws(HTTPError) -> Value
    ) async throws(HTTPError) -> Value {
        try await run(host: host, priority: priority, timeout: timeout, isolation: isolation) {
            Result { () throws(HTTPError) in try work() }
        }
    }

    /// Runs blocking work on a thread of this dispatcher and passes its result to `completion`, once.
    ///
    /// - Parameters:
    ///   - priority: Its place among waiting calls.
    ///   - host: The host of the work, for the limit of calls to one host, as a Host header names it:
    ///     `api.example.com`, `127.0.0.1:8080`. Work without a host counts in the total only.
    ///   - timeout: The time for waiting in the queue and for the calls of the work; nil for no limit. Each call gets
    ///     what is left. What else the work does is not interrupted.
    ///   - work: May block. A `CancellationToken` is bound around it, so its calls end with it.
    ///   - completion: Called with the work's result, or `.cancelled`, `.timedOut` or an `Overload`. It runs on the
    ///     thread that has the result: the thread of the work, whose slot is free by then; the cancelling thread if the
    ///     work was queued; within this function if it is refused.
    /// - Returns: A handle that cancels the work. An ambient `CancellationToken` cancels it, too.
    @discardableResult
    public func submit<Value: Sendable>(
        host: String? = nil, priority: Priority = .normal, timeout: Duration? = nil,
        _ work: @escaping @Sendable () -> Result<Value, HTTPError>,
        completion: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        start(call(host: host, timeout: timeout, to: .callback(.immediate, completion), work), priority: priority)
    }
}
