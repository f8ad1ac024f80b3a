/// What is known of one case in the end. Times are microseconds for a request.
struct Figures: Codable {
    let name: String
    let median: Double
    let p99: Double
    let cpu: Double
    /// The median over the rounds of this case's median to the floor's in the same round.
    let ratio: Double
    /// The same of the processor time.
    let cpuRatio: Double
    let limit: Double?
    let memory: Memory?

    init(_ measured: Case, _ rounds: Rounds, floor: Rounds, memory: Memory?) {
        name = measured.name
        median = rounds.requests.median
        p99 = rounds.requests.quantile(0.99)
        cpu = rounds.cpu.median
        ratio = zip(rounds.medians, floor.medians).map { $0 / $1 }.median
        cpuRatio = zip(rounds.cpu, floor.cpu).map { $0 / $1 }.median
        limit = measured.limit
        self.memory = memory
    }

    var isWithinLimit: Bool { limit.map { ratio <= $0 } ?? true }
}

/// What a case takes in a process of its own.
struct Memory: Codable {
    let peakBytes: UInt64
    /// Nil where the allocation counter is not loaded.
    let allocationsPerRequest: Double?
}

/// A run of the benchmark: what `latest.json` holds.
struct Report: Codable {
    struct Section: Codable {
        let name: String
        let figures: [Figures]
    }

    /// What the figures depend on: the machine, the versions, the server.
    let about: [String: String]
    let rounds: Int
    let requestsPerRound: Int
    var sections: [Section] = []

    var isWithinLimits: Bool { sections.allSatisfy { $0.figures.allSatisfy(\.isWithinLimit) } }
}
