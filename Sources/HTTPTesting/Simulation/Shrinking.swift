/// Finds a smaller world with the same violation: with fewer faults and users, and with short and even times.
///
/// Faults are dropped as in Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002): halves first,
/// then smaller parts. Each attempt is a whole run of a world.
struct Shrinking {
    private static let mostEvents = 10
    private static let mostRuns = 400

    private let simulation: Simulation
    private var runs = 0

    init(_ simulation: Simulation) { self.simulation = simulation }

    private struct Failure {
        var plan: WorldPlan
        var record: SimulationRecord
        var finding: SimulationInvariant.Finding
    }

    func violation(of plan: WorldPlan) -> SimulationViolation {
        var copy = self
        let record = simulation.record(of: plan)
        guard let (name, finding) = simulation.finding(in: record) else {
            return SimulationViolation(
                seed: plan.seed, invariant: "a seed does the same each time",
                sentence:
                    "the violation does not occur again with the same seed: the code shares state between worlds, or"
                    + " uses random numbers or time of its own",
                events: [], plan: plan)
        }
        let least = copy.shrunk(Failure(plan: plan, record: record, finding: finding), name)
        return SimulationViolation(
            seed: plan.seed, invariant: name, sentence: least.finding.sentence, events: events(least), plan: least.plan)
    }

    private mutating func shrunk(_ failure: Failure, _ name: String) -> Failure {
        var least = failure
        for _ in 0..<2 {
            for users in 1..<max(2, min(8, least.record.users)) where users < least.plan.userLimit {
                if attempt(&least, name, { $0.userLimit = users }) { break }
            }
            dropFaults(&least, name)
            if !least.plan.isPlain { attempt(&least, name) { $0.isPlain = true } }
            if !least.plan.isShort { attempt(&least, name) { $0.isShort = true } }
        }
        return least
    }

    private mutating func dropFaults(_ least: inout Failure, _ name: String) {
        var places = least.record.faults(of: least.plan)
        guard attempt(&least, name, { $0.kept = Set(places) }) else { return }
        var parts = 2
        while !places.isEmpty {
            let size = (places.count + parts - 1) / parts
            let starts = stride(from: 0, to: places.count, by: size)
            let smaller = starts.lazy.map { Array(places[..<$0] + places[min(places.count, $0 + size)...]) }
            var found: [FaultPlace]?
            for rest in smaller where attempt(&least, name, { $0.kept = Set(rest) }) {
                found = rest
                break
            }
            if let found {
                (places, parts) = (found, max(2, parts - 1))
            } else {
                guard size > 1 else { return }
                parts = min(places.count, parts * 2)
            }
        }
    }

    /// Whether the world is as bad after `change`; then it counts.
    @discardableResult
    private mutating func attempt(_ least: inout Failure, _ name: String, _ change: (inout WorldPlan) -> Void) -> Bool {
        guard runs < Self.mostRuns else { return false }
        runs += 1
        var plan = least.plan
        change(&plan)
        let record = simulation.record(of: plan)
        guard let found = simulation.finding(in: record), found.name == name else { return false }
        least = Failure(plan: plan, record: record, finding: found.finding)
        return true
    }

    /// Those that explain it, the last ones if there are too many.
    private func events(_ failure: Failure) -> [SimulationEvent] {
        let (events, finding) = (failure.record.events, failure.finding)
        guard events.indices.contains(finding.index) else { return Array(events.suffix(Self.mostEvents)) }
        var shown = Array(events[...finding.index])
        if let calls = finding.calls {
            let users = Set(shown.filter { calls.contains($0.call) && $0.call > 0 }.map(\.user))
            shown = shown.filter { event in
                event.call > 0 && calls.contains(event.call)
                    || event.exchange > 0 && finding.exchanges.contains(event.exchange)
                    || event.kind == .cancelled && users.contains(event.user) || event.kind.isStop
            }
        }
        if shown.count > Self.mostEvents {
            shown = shown.filter { if case .waiting = $0.kind { false } else { true } }
        }
        return shown.suffix(Self.mostEvents)
    }
}

extension SimulationRecord {
    /// The number of users who did something.
    fileprivate var users: Int { events.map(\.user).max() ?? 0 }

    /// The faults that took place.
    fileprivate func faults(of plan: WorldPlan) -> [FaultPlace] {
        let last = events.map(\.exchange).max() ?? 0
        let exchanges = (0..<last).map { $0 + 1 }.filter { plan.fate(ofExchange: $0).fault != nil }
        let users = events.filter { $0.kind == .cancelled }.map(\.user)
        return exchanges.map { .exchange($0) } + users.map { .cancellation(user: $0) }
    }
}
