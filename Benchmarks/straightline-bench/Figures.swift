/// What is known of one case in the end. Times are for a step (a request, a link), in the unit of the section.
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
    let extraAllocations: ExtraAllocations?
    let references: [Reference]
    let comparisons: [Comparison]
    /// Whether this is another library or language.
    let isPeer: Bool
    /// Whether it is the same work in plain C.
    let isBare: Bool

    init(
        _ measured: Case, _ rounds: Rounds, floor: Rounds, memory: Memory?, extraAllocations: ExtraAllocations?,
        comparisons: [Comparison]
    ) {
        name = measured.name
        median = rounds.steps.median
        p99 = rounds.steps.quantile(0.99)
        cpu = rounds.cpu.median
        ratio = zip(rounds.medians, floor.medians).map { $0 / $1 }.median
        cpuRatio = zip(rounds.cpu, floor.cpu).map { $0 / $1 }.median
        limit = measured.limit
        self.memory = memory
        self.extraAllocations = extraAllocations
        references = measured.references
        self.comparisons = comparisons
        isPeer = measured.isPeer
        isBare = measured.isBare
    }

    var isWithinLimit: Bool { limit.map { ratio <= $0 } ?? true }
    var isWithinLimits: Bool {
        isWithinLimit && extraAllocations?.isWithinLimit ?? true && comparisons.allSatisfy(\.isHeld)
    }
}

/// What a case takes in a process of its own.
struct Memory: Codable {
    let peakBytes: UInt64
    /// Nil where the allocation counter is not loaded.
    let allocationsPerRequest: Double?
}

/// The allocations of a case, or those beyond another's, and how many they may be.
struct ExtraAllocations: Codable {
    let count: Double
    let beyond: String?
    let limit: Double

    /// To a tenth: a pass also makes a few that belong to no step.
    var isWithinLimit: Bool { (count * 10).rounded() <= limit * 10 }
}
