import HTTPSupport

/// The figures of the worlds of a `Simulation`.
public struct SimulationReport: Sendable {
    /// The number of worlds.
    public internal(set) var worlds = 0
    /// The number of calls through watched clients.
    public internal(set) var calls = 0
    /// The number of exchanges, those of calls and others.
    public internal(set) var exchanges = 0
    /// The largest number of exchanges that the server of a world had at once.
    public internal(set) var mostAtOnce = 0
    /// What did not hold; nil if everything did.
    public internal(set) var violation: SimulationViolation?
    /// How long calls took, the first million of them.
    private var durations: [Duration] = []
    private static let keptDurations = 1_000_000

    init(violation: SimulationViolation? = nil) { self.violation = violation }

    /// The simulated time that this share of the calls did not exceed: 0.5 is the median, 0.99 the 99th percentile. Zero
    /// without calls. The first million calls count.
    ///
    /// - Parameter share: From 0 to 1.
    public func duration(ofShare share: Double) -> Duration {
        guard !durations.isEmpty else { return .zero }
        // That of NaN is 0.
        let share = share > 0 ? min(share, 1) : 0
        let place = Int((share * Double(durations.count)).rounded(.up)) - 1
        return durations.sorted()[max(0, place)]
    }

    /// Exchanges for each call.
    public var attemptsPerCall: Double { calls == 0 ? 0 : Double(exchanges) / Double(calls) }

    mutating func add(_ events: [SimulationEvent]) {
        worlds += 1
        var starts: [Int: Duration] = [:]
        var open = 0
        for event in events {
            switch event.kind {
            case .callStarted:
                calls += 1
                starts[event.call] = event.time
            case .callEnded:
                guard durations.count < Self.keptDurations, let start = starts[event.call] else { continue }
                durations.append(event.time - start)
            case .sent:
                exchanges += 1
                open += 1
                mostAtOnce = max(mostAtOnce, open)
            case .answered, .failed: open -= 1
            case .processed, .recognized, .waiting, .cancelled, .stopped: break
            }
        }
    }
}

/// What does not hold in a world, with the shortest course of events that shows it.
public struct SimulationViolation: Error, Sendable {
    /// The seed of the world.
    public let seed: UInt64
    /// What should hold.
    public let invariant: String
    /// What is wrong.
    public let sentence: String
    /// The events that lead to it, at most ten, in a world from which everything else was dropped.
    public let events: [SimulationEvent]
    /// The world after shrinking.
    let plan: WorldPlan
}

extension SimulationViolation: CustomStringConvertible {
    /// The seed, what should hold, what is wrong, and the events as lines, each with its time and its place in that of all.
    public var description: String {
        var lines = ["seed \(seed): \(invariant)", sentence]
        if !events.isEmpty { lines.append(events.drawing) }
        lines.append("Run it again with replay(seed: \(seed)).")
        return lines.joined(separator: "\n")
    }
}

/// What the threads of a simulation share.
final class SimulationRun: Sendable {
    private struct State {
        var next: UInt64
        var end: UInt64
        var violated: UInt64?
        var running: Int
        var report = SimulationReport()
    }

    let threads: Int
    private let state: Locked<State>
    private let done = Signal()

    init(_ seeds: Range<UInt64>, threads: Int) {
        self.threads = threads
        state = Locked(State(next: seeds.lowerBound, end: seeds.upperBound, running: threads))
    }

    /// Nil after the last one, and after a violation.
    func nextSeed() -> UInt64? {
        state.withLock { state in
            guard state.next < state.end else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Of several violations that of the lowest seed counts.
    func note(_ record: SimulationRecord, of seed: UInt64, isViolated: Bool) {
        state.withLock { state in
            state.report.add(record.events)
            guard isViolated else { return }
            state.violated = min(state.violated ?? seed, seed)
            state.end = min(state.end, seed)
        }
    }

    func endThread() {
        let isLast = state.withLock { state in
            state.running -= 1
            return state.running == 0
        }
        if isLast { done.fire() }
    }

    var violated: UInt64? { state.withLock { $0.violated } }

    /// Blocks until all worlds have run.
    func result() -> SimulationReport {
        _ = done.wait()
        return state.withLock { $0.report }
    }
}
