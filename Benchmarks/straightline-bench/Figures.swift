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
    private(set) var limit: Double?
    private(set) var cpuLimit: Double?
    let memory: Memory?
    private(set) var extraAllocations: ExtraAllocations?
    private(set) var references: [Reference] = []
    private(set) var comparisons: [Comparison] = []
    /// Whether this is another library or language.
    private(set) var isPeer = false
    /// Whether it is the same work in plain C.
    private(set) var isBare = false

    /// Of what promises nothing.
    init(_ name: String, _ rounds: Rounds, floor: Rounds, memory: Memory?) {
        self.name = name
        median = rounds.steps.median
        p99 = rounds.steps.quantile(0.99)
        cpu = rounds.cpu.median
        ratio = zip(rounds.medians, floor.medians).map { $0 / $1 }.median
        cpuRatio = zip(rounds.cpu, floor.cpu).map { $0 / $1 }.median
        self.memory = memory
    }

    /// A floor's promises are kept elsewhere, beside another.
    init(
        _ measured: Case, isFloor: Bool, _ rounds: Rounds, floor: Rounds, memory: Memory?,
        extraAllocations: ExtraAllocations?, comparisons: [Comparison]
    ) {
        self.init(measured.name, rounds, floor: floor, memory: memory)
        limit = isFloor ? nil : measured.limit
        cpuLimit = isFloor ? nil : measured.cpuLimit
        self.extraAllocations = extraAllocations
        references = measured.references
        self.comparisons = comparisons
        isPeer = measured.isPeer
        isBare = measured.isBare
    }

    var isWithinLimit: Bool { limit.map { ratio <= $0 } ?? true }
    var isWithinCPULimit: Bool { cpuLimit.map { cpuRatio <= $0 } ?? true }
    var isWithinLimits: Bool {
        isWithinLimit && isWithinCPULimit && extraAllocations?.isWithinLimit ?? true
            && comparisons.allSatisfy(\.isHeld)
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
