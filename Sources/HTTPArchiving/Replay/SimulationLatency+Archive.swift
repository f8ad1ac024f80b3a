public import HTTPTesting

extension SimulationLatency {
    /// Those of the recorded exchanges that got a response: what one took, without the wait for a connection.
    ///
    ///     let archive = try HTTPArchive(contentsOf: "monday.har")
    ///     let report = Simulation(seeds: 0..<1000, faults: [], latency: .recorded(archive)) { world in … }.run()
    ///     report.duration(ofShare: 0.99)
    ///
    /// - Parameters:
    ///   - archive: The exchanges.
    ///   - inOrder: Whether the nth exchange of each world takes as long as the nth recorded one, and after the last one the
    ///     first again. By default each takes as long as one of them, as the seed decides.
    public static func recorded(_ archive: HTTPArchive, inOrder: Bool = false) -> SimulationLatency {
        let answered = archive.entries.filter { $0.response.status > 0 }
        let durations = answered.map { entry in
            // The numbers of a file may be of any size: 1e12 milliseconds are 31 years.
            let milliseconds = min(max(0, entry.time - max(0, entry.timings.blocked)), 1e12)
            return Duration.nanoseconds(Int64((milliseconds * 1_000_000).rounded()))
        }
        return .recorded(durations, inOrder: inOrder)
    }
}
