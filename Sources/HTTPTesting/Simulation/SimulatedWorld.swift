import HTTPFoundation
import HTTPSupport
import Synchronization

/// One of the worlds of a `Simulation`: a server, a network and a clock, all from one seed.
///
/// Everything in it runs one after the other: any of its threads and tasks may use it. Make the client under test around
/// `transport`, and call it through `watching`, or let `client` do both.
public final class SimulatedWorld: Sendable {
    /// The number of the user whose code runs, in the world; 0 for none.
    @TaskLocal static var user = 0

    struct State {
        var trace: [SimulationEvent] = []
        var calls = 0
        var exchanges = 0
        var users = 0
        /// The attempts of each call.
        var attempts: [Int: Int] = [:]
        var script: StubScript
        var recorder: StubRecorder
        /// What the server answered to each request with an Idempotency-Key.
        var answers: [String: StubResponse] = [:]
        /// Those that an agent makes.
        var active: [SimulatedCall] = []
        var isClosed = false
        /// Cancels each user.
        var userEnds: [@Sendable () -> Void] = []
        /// What the code of the world threw.
        var thrown: String?
        /// What is wrong with the server's script.
        var problem: String?
    }

    let plan: WorldPlan
    let scheduler: WorldScheduler
    let state: Locked<State>
    /// For the answers of the server, always at the world's time.
    let time: SimulatedTime
    let executor: WorldExecutor
    /// Which errors of its code are no violation, beside those of HTTP.
    let isExpected: @Sendable (any Error) -> Bool

    init(
        _ plan: WorldPlan, limit: Int, ignoring isExpected: @escaping @Sendable (any Error) -> Bool,
        abandon: @escaping @Sendable () -> Void
    ) {
        self.plan = plan
        self.isExpected = isExpected
        scheduler = WorldScheduler(seed: plan.seed, limit: limit, abandon: abandon)
        time = ThreadSystem.run(in: scheduler) {
            SimulatedTime(startingAt: Date(timeIntervalSince1970: WorldScheduler.startDate))
        }
        executor = WorldExecutor(scheduler)
        let script = StubScript().adding([StubRoute(method: nil, "**", [], .status(.ok))])
        state = Locked(State(script: script, recorder: StubRecorder(routeCount: 1)))
        scheduler.onEnding { [weak self] in self?.close() }
    }

    // MARK: What it gives

    /// The server as a client sees it, through a network with this world's latencies and faults. Requests of blocking, awaited
    /// and batched calls take the way that they take with `CurlTransport`.
    public var transport: any HTTPClient { WorldClient(world: self) }

    /// A client with `interceptors` around the transport, whose calls are watched. The first listed sees the request first.
    public func client(_ interceptors: Interceptor...) -> any HTTPClient {
        watching(transport.intercepted(by: Interceptor(interceptors)))
    }

    /// `client`, whose calls are watched: invariants about calls, such as that each ends, are about those made here.
    public func watching(_ client: any HTTPClient) -> any HTTPClient {
        client.intercepted(by: Interceptor(WatchedCall(world: self)))
    }

    /// Answers requests by the routes of `stub`, from now on: before that, with an empty 200. A request that none of them
    /// answers is a violation. A closure of it runs when the server does what is asked, so it may change what it shares with
    /// others. A gate does not hold an answer here.
    public func serve(_ stub: StubClient) {
        let recorder = StubRecorder(routeCount: stub.script.routes.count)
        change { ($0.script, $0.recorder) = (stub.script, recorder) }
    }

    /// The time since the start of the world.
    public var elapsed: Duration { scheduler.elapsed }

    /// Waits in simulated time, on this thread.
    @available(*, noasync, message: "await sleep(for:)")
    public func sleep(for duration: Duration) {
        _ = scheduler.wait(until: scheduler.now + duration) { false }
    }

    /// Waits in simulated time. It ends early only with the world. `Task.sleep` waits in real time, which is reported.
    public func sleep(for duration: Duration) async {
        await withUnsafeContinuation { (task: UnsafeContinuation<Void, Never>) in
            scheduler.add(at: scheduler.now + duration, if: { true }) { task.resume() }
        }
    }

    // MARK: What happens

    func record(_ kind: SimulationEvent.Kind, _ change: (inout SimulationEvent) -> Void = { _ in }) {
        var event = SimulationEvent(kind, at: elapsed)
        change(&event)
        state.withLock { $0.trace.append(event) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Ends all calls and users.
    private func close() {
        let (ends, calls) = state.withLock { state in
            state.isClosed = true
            return (state.userEnds, state.active)
        }
        let cause =
            switch scheduler.ending {
            case .tooManySteps(let count): "the world is ended after \(count) steps"
            case .stuck, nil: "nothing goes on: everything waits"
            }
        record(.stopped(cause))
        for end in ends { end() }
        for call in calls { call.cancel() }
    }

    /// Ends those calls of the agent that are cancelled.
    func cancelCalls() {
        for call in state.withLock({ $0.active }) where call.isCancelled { call.cancel() }
    }

    /// The error of a call from a thread that is none of the world's.
    func stray(_ request: Request) -> HTTPError {
        scheduler.hasForeign.store(true, ordering: .relaxed)
        return .unsupported(
            Unsupported(
                "\(request) in a simulated world",
                "it comes from a thread outside: start threads by world.users, and tasks by async let or in a task group"
            ))
    }

    // MARK: Its course

    /// Runs everything that happens in it.
    func run(_ body: Simulation.Body) {
        ThreadSystem.run(in: scheduler) {
            switch body {
            case .blocking(let body): perform(as: 0) { try body(self) }
            case .awaiting(let body):
                let isDone = Locked(false)
                let task = task({ 0 }, body: { try await body(self) })
                Task(executorPreference: executor) {
                    await task.value
                    isDone.withLock { $0 = true }
                }
                _ = scheduler.wait(until: nil) { isDone.withLock { $0 } }
            }
            scheduler.finish()
        }
        // They may hold the world.
        scheduler.clear()
        change { state in
            (state.script, state.userEnds, state.active) = (StubScript(), [], [])
            state.recorder = StubRecorder(routeCount: 0)
        }
    }

    /// What it drops is released outside of the lock: closures of the server hold objects of the world's code.
    private func change(_ body: (inout State) -> Void) {
        let old = state.withLock { state in
            let old = state
            body(&state)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// What happened. The world forgets it: the observers of its requests hold the world.
    func takeHistory() -> SimulationRecord {
        let (events, thrown, problem) = state.withLock { state in
            defer { state.trace = [] }
            return (state.trace, state.thrown, state.problem)
        }
        return SimulationRecord(
            events: events, ending: scheduler.ending, hasForeign: scheduler.hasForeign.load(ordering: .relaxed),
            thrown: thrown, problem: problem)
    }
}
