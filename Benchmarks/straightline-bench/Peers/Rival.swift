/// Another contender of the suite that a case is to be faster than, where it is measured at all.
struct Rival: Sendable {
    let name: String
    /// How many times as fast as the rival the case is to be. Below 1, it may be that much slower.
    let factor: Double
    /// How many times the rival's processor time it may take; nil promises nothing.
    let cpuLimit: Double?

    init(_ name: String, atLeast factor: Double, cpuLimit: Double? = nil) {
        self.name = name
        self.factor = factor
        self.cpuLimit = cpuLimit
    }
}

/// How a case stands beside a rival.
struct Comparison: Codable {
    let name: String
    /// The median over the rounds of the rival's median to the case's in the same round.
    let factor: Double
    let wanted: Double
    /// The same of the processor time, the case's to the rival's, and how much it may be.
    let cpuRatio: Double
    private(set) var cpuLimit: Double?

    init(_ rival: Rival, own: Rounds, rivals: Rounds) {
        name = rival.name
        factor = zip(rivals.medians, own.medians).map { $0 / $1 }.median
        wanted = rival.factor
        cpuRatio = zip(own.cpu, rivals.cpu).map { $0 / $1 }.median
        cpuLimit = rival.cpuLimit
    }

    var isHeld: Bool { isFastEnough && isWithinCPULimit }
    var isFastEnough: Bool { factor >= wanted }
    var isWithinCPULimit: Bool { cpuLimit.map { cpuRatio <= $0 } ?? true }
}
