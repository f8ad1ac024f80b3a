/// Another contender of the suite that a case is to be faster than, where it is measured at all.
struct Rival: Sendable {
    let name: String
    /// How many times as fast as the rival the case is to be. Below 1, it may be that much slower.
    let factor: Double

    init(_ name: String, atLeast factor: Double) {
        self.name = name
        self.factor = factor
    }
}

/// How a case stands beside a rival.
struct Comparison: Codable {
    let name: String
    /// The median over the rounds of the rival's median to the case's in the same round.
    let factor: Double
    let wanted: Double

    init(_ rival: Rival, own: Rounds, rivals: Rounds) {
        name = rival.name
        factor = zip(rivals.medians, own.medians).map { $0 / $1 }.median
        wanted = rival.factor
    }

    var isHeld: Bool { factor >= wanted }
}
