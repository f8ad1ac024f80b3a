import CurlFloor

/// What rounds of one case gave, in the unit of its suite.
struct Rounds {
    /// Each slot of all rounds, for one step.
    var steps: [Double] = []
    /// The median of each round.
    var medians: [Double] = []
    /// Processor time for each step, round by round.
    var cpu: [Double] = []

    mutating func measure(_ prepared: Prepared, count: Int, unit: Unit) throws {
        try withSlots(count) { slots in
            let start = prepared.cpuTime()
            try prepared.run(slots)
            cpu.append(unit.step(prepared.cpuTime() - start) / Double(count))
            let round = slots.map(unit.step)
            steps += round
            medians.append(round.median)
        }
    }
}

func withSlots<Result>(
    _ count: Int, _ body: (UnsafeMutableBufferPointer<UInt64>) throws -> Result
) rethrows -> Result {
    let slots = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: count)
    defer { slots.deallocate() }
    slots.initialize(repeating: 0)
    return try body(slots)
}

extension Suite {
    /// Measures all cases in turns, each round in the opposite order of the last: whatever slows the machine down for a
    /// while slows all of them, and none is always the one behind another.
    func measure(_ server: Server?, rounds: Int, count: Int) throws -> [Rounds] {
        var prepared: [Prepared] = []
        var results = cases.map { _ in Rounds() }
        for round in 0..<rounds {
            if round.isMultiple(of: roundsPerProcess ?? rounds) {
                // The old ones end first.
                prepared = []
                prepared = try cases.map { try $0.prepare(server) }
                for one in prepared { try withSlots(max(count / 10, 1)) { try one.run($0) } }
            }
            let order = round.isMultiple(of: 2) ? Array(cases.indices) : cases.indices.reversed()
            for index in order { try results[index].measure(prepared[index], count: count, unit: unit) }
        }
        return results
    }
}
