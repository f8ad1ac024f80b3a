import HTTPFoundation
import HTTPSupport

/// Runs code that makes calls in many worlds, one for each seed, and checks what must hold in all of them.
///
///     try Simulation(seeds: 0..<10_000) { world in
///         let client = world.client(.retry())
///         try client.post("https://shop.example/payments", .json(["amount": 7]))
///     }.check()
///
/// A world has a server, latencies, faults, users who cancel, and simulated time: nothing sleeps. All of it comes from the
/// seed, also the jitter of the package's policies and what comes first of what is due at one instant: the same seed does the
/// same again, on every machine. Code that blocks and code that awaits take the ways that they take in a program: policies,
/// dispatchers and batches are the real ones.
///
/// Give each world a client, policies and state of its own, within the closure: what worlds share makes them depend on one
/// another.
public struct Simulation: Sendable {
    /// What the code of a world does.
    enum Body: Sendable {
        case blocking(@Sendable (SimulatedWorld) throws -> Void)
        case awaiting(@Sendable (SimulatedWorld) async throws -> Void)
    }

    /// The seeds of the worlds.
    public var seeds: Range<UInt64>
    /// What may go wrong: everything by default.
    public var faults: Set<SimulationFault>
    /// How long the server takes: by default half of the answers up to 50 ms, some much longer.
    public var latency: SimulationLatency
    /// What must hold: `SimulationInvariant.standard` by default.
    public var invariants: [SimulationInvariant]
    /// The number of steps after which a world has to end: 20,000 by default. A call takes about
    /// five.
    public var stepLimit: Int
    /// The number of worlds that run at the same time: as many as there are processors by default.
    public var threads: Int
    let isExpected: @Sendable (any Error) -> Bool
    let body: Body
}

extension Simulation {
    /// Worlds for code that blocks.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, at least one.
    ///   - faults: What may go wrong.
    ///   - latency: How long the server takes.
    ///   - invariants: What must hold, besides that every call ends.
    ///   - stepLimit: The number of steps after which a world has to end.
    ///   - threads: The number of worlds that run at the same time.
    ///   - isExpected: Whether an error that the code of a world throws, or that of a user, is to be ignored as an `HTTPError` is:
    ///     those in which a library wraps the errors of its calls, for example.
    ///   - body: What each world does. It runs on several threads at once, for different worlds. An `HTTPError` that it throws
    ///     is ignored, since calls of a bad world fail; another error is a violation, and so is `.invalidRequest`.
    public init(
        seeds: Range<UInt64>, faults: Set<SimulationFault> = Set(SimulationFault.allCases),
        latency: SimulationLatency = .around(.milliseconds(50)),
        invariants: [SimulationInvariant] = SimulationInvariant.standard,
        stepLimit: Int = 20_000, threads: Int = ProcessInfo.processInfo.activeProcessorCount,
        ignoring isExpected: @escaping @Sendable (_ error: any Error) -> Bool = { _ in false },
        _ body: @escaping @Sendable (_ world: SimulatedWorld) throws -> Void
    ) {
        self.init(
            seeds: seeds, faults: faults, latency: latency, invariants: invariants, stepLimit: stepLimit,
            threads: threads, isExpected: isExpected, body: .blocking(body))
    }

    /// The same for code that awaits.
    ///
    /// Its tasks run on the thread of the world: those of `async let` and of task groups, too, and actors without an executor of
    /// their own. A `Task { }` and the main actor do not, which is reported.
    public init(
        seeds: Range<UInt64>, faults: Set<SimulationFault> = Set(SimulationFault.allCases),
        latency: SimulationLatency = .around(.milliseconds(50)),
        invariants: [SimulationInvariant] = SimulationInvariant.standard,
        stepLimit: Int = 20_000, threads: Int = ProcessInfo.processInfo.activeProcessorCount,
        ignoring isExpected: @escaping @Sendable (_ error: any Error) -> Bool = { _ in false },
        _ body: @escaping @Sendable (_ world: SimulatedWorld) async throws -> Void
    ) {
        self.init(
            seeds: seeds, faults: faults, latency: latency, invariants: invariants, stepLimit: stepLimit,
            threads: threads, isExpected: isExpected, body: .awaiting(body))
    }

    /// Runs the worlds up to the first violation, and throws that.
    ///
    /// - Returns: The figures of all worlds.
    /// - Throws: The violation of the lowest seed, shrunk. A seed range that is empty is one, and so are exchanges without a
    ///   watched call.
    @discardableResult
    public func check() throws(SimulationViolation) -> SimulationReport {
        let report = run()
        if let violation = report.violation { throw violation }
        return report
    }

    /// The same, where the violation is part of the report.
    public func run() -> SimulationReport {
        guard !seeds.isEmpty else {
            return SimulationReport(
                violation: missing(
                    "worlds", seeds.lowerBound, "the seed range \(seeds) is empty: nothing was simulated"))
        }
        let count = Int(clamping: seeds.upperBound - seeds.lowerBound)
        let run = SimulationRun(seeds, threads: max(1, min(threads, count)))
        for _ in 0..<run.threads { start(run) }
        var report = run.result()
        if let seed = run.violated {
            report.violation = Shrinking(self).violation(of: plan(seed))
        } else if let seed = run.nextSeed() {
            report.violation = missing(
                "worlds", seed, "the system refuses threads: the worlds from here on are missing")
        } else if report.calls == 0, report.exchanges > 0 {
            report.violation = missing(
                "watched calls", seeds.lowerBound,
                "none of the \(report.exchanges) exchanges is of a watched call: use world.client or world.watching")
        }
        return report
    }

    private func missing(_ what: String, _ seed: UInt64, _ sentence: String) -> SimulationViolation {
        SimulationViolation(
            seed: seed, invariant: "there are \(what)", sentence: sentence, events: [], plan: plan(seed))
    }

    /// Runs the world of one seed again, and returns its events: for a debugger, or to print them.
    public func replay(seed: UInt64) -> [SimulationEvent] { record(of: plan(seed)).events }

    /// Runs the shrunk world of a violation again.
    public func replay(_ violation: SimulationViolation) -> [SimulationEvent] { record(of: violation.plan).events }

    private func plan(_ seed: UInt64) -> WorldPlan { WorldPlan(seed: seed, faults: faults, latency: latency) }

    /// The first invariant that does not hold.
    func finding(in record: SimulationRecord) -> (name: String, finding: SimulationInvariant.Finding)? {
        // Real time may be why a world stands still.
        for invariant in [.noRealTime, .everyRequestAnswered, .noUnexpectedError, .everyCallEnds] + invariants {
            if let finding = invariant.check(record) { return (invariant.name, finding) }
        }
        return nil
    }

    // MARK: Worlds and threads

    /// As much as a main thread has: it runs the code of a program.
    private static let stackBytes = 8 << 20

    /// Starts a thread that runs one world after the other. If one does not come back, its thread is lost, and another goes on.
    private func start(_ run: SimulationRun) {
        let problem = DetachedThread.start(stackBytes: Self.stackBytes) {
            while let seed = run.nextSeed() {
                perform(plan(seed)) { record, isLost in
                    run.note(record, of: seed, isViolated: finding(in: record) != nil)
                    if isLost { start(run) }
                }
            }
            run.endThread()
        }
        if problem != 0 { run.endThread() }
    }

    /// Runs a world on a thread of its own.
    func record(of plan: WorldPlan) -> SimulationRecord {
        let result = Locked<SimulationRecord?>(nil)
        let done = Signal()
        let problem = DetachedThread.start(stackBytes: Self.stackBytes) {
            perform(plan) { record, isLost in
                result.withLock { $0 = record }
                if isLost { done.fire() }
            }
            done.fire()
        }
        if problem == 0 { _ = done.wait() }
        // Taken out of it: the world, which the events hold, could still report.
        return result.withLock { $0.take() } ?? SimulationRecord(events: [])
    }

    /// Runs a world, and reports what came of it. It does not return if the world has to be given up.
    private func perform(_ plan: WorldPlan, _ report: @escaping @Sendable (SimulationRecord, _ isLost: Bool) -> Void) {
        let lost = Locked<SimulatedWorld?>(nil)
        let world = SimulatedWorld(plan, limit: stepLimit, ignoring: isExpected) {
            lost.withLock { $0 }.map { report($0.takeHistory(), true) }
        }
        lost.withLock { $0 = world }
        world.run(body)
        lost.withLock { $0 = nil }
        report(world.takeHistory(), false)
    }
}
