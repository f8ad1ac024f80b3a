import CurlFloor

/// A look at what a request costs now: so many of ours and as many in C, in turns.
struct Window: Codable {
    let own: Figures
    let bare: Figures
    /// Of this process, in which both are.
    let residentMegabytes: Double
    let descriptors: Int

    init(
        _ name: String, of requests: Int, inTurnsOf turn: Int, own: @escaping Case.Run, bare: @escaping Case.Run
    ) throws {
        var (ownRounds, bareRounds) = (Rounds(), Rounds())
        var allocations: Int64 = 0
        for _ in 0..<requests / turn {
            let before = allocations_so_far()
            try ownRounds.measure(Prepared(run: own), count: turn, unit: .microseconds)
            allocations += allocations_so_far() - before
            try bareRounds.measure(Prepared(run: bare), count: turn, unit: .microseconds)
        }
        let isCounted = allocations_so_far() >= 0
        let memory = Memory(
            peakBytes: peak_resident_bytes(),
            allocationsPerRequest: isCounted ? Double(allocations) / Double(requests) : nil)
        self.own = Figures(name, ownRounds, floor: bareRounds, memory: memory)
        self.bare = Figures("C loop over libcurl, beside the first", bareRounds, floor: bareRounds, memory: nil)
        residentMegabytes = Double(resident_bytes()) / 1_048_576
        descriptors = open_descriptors()
    }
}
