/// Something done once, of which is to be seen whether it holds: no floor and no ratio, but quantities with bounds.
struct Trial: Sendable {
    let section: Section
    let name: String
    let run: @Sendable () throws -> [Quantity]

    static let all: [Trial] = [
        .blockedCalls, .limitedCalls, .awaitedSleepers, .calledBackSleepers, .cachedCalls, .cachedThreads,
        .futureTimeouts,
    ]

    static func of(_ section: Section) -> [Trial] { all.filter { $0.section == section } }
}

/// One figure of a trial.
struct Quantity: Codable {
    enum Bound: Codable, Equatable {
        /// Of a time, which a busy machine may spoil.
        case time(below: Double)
        case atMost(Double)
        case exactly(Double)
    }

    let name: String
    let value: Double
    let unit: String
    let bound: Bound?

    init(_ name: String, _ value: Double, _ unit: String = "", _ bound: Bound? = nil) {
        self.name = name
        self.value = value
        self.unit = unit
        self.bound = bound
    }

    var isWithinBound: Bool {
        switch bound {
        case .time(let limit): value < limit
        case .atMost(let limit): value <= limit
        case .exactly(let wanted): value == wanted
        case nil: true
        }
    }

    var isSpoilt: Bool {
        if case .time = bound { !isWithinBound } else { false }
    }
}

struct TrialResult: Codable {
    let section: Section
    let name: String
    /// The times that a busy machine may have spoilt, in the attempts before this one.
    let spoilt: [Quantity]
    let quantities: [Quantity]

    var isWithinBounds: Bool { quantities.allSatisfy(\.isWithinBound) }
}
