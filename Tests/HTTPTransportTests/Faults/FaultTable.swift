import HTTPCore

/// The table fault × engine, as Markdown, with the figures of a run.
struct FaultTable {
    private let faults: [Fault]
    private let entries: [FaultMatrix.Entry]

    init(_ faults: [Fault], _ entries: [FaultMatrix.Entry]) {
        self.faults = faults
        self.entries = entries
    }

    /// How often calls were late, and by how much.
    var figures: String {
        let late = entries.compactMap { entry in entry.verdict.overshoot.map { ($0, entry.cell) } }
        let queued = entries.compactMap { entry in entry.verdict.queuedOvershoot.map { ($0, entry.cell) } }
        let beside = entries.compactMap { entry in entry.verdict.neighborTime.map { ($0, entry.cell) } }
        return """
            \(entries.count) calls were made, in \(entries.count / EntryStyle.allCases.count) cells.
            \(late.count) calls ended by a deadline or a cancellation: \(Self.spread(late)).
            \(queued.count) such calls waited for a slot until then: \(Self.spread(queued)).
            \(beside.count) good calls in a batch beside a bad one took: \(Self.spread(beside)).
            """
    }

    private static func spread(_ list: [(Duration, FaultCell)]) -> String {
        let sorted = list.sorted { $0.0 < $1.0 }
        guard let last = sorted.last else { return "none" }
        let median = milliseconds(sorted[sorted.count / 2].0)
        return "median \(median), longest \(milliseconds(last.0)) (\(last.1))"
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(1) * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) ms"
    }

    /// The whole page. `platform` names the system that it was made on.
    func page(madeOn platform: String) -> String {
        var reasons: [String] = []
        let lines = faults.flatMap { fault in
            Fault.Ending.allCases.compactMap { line(fault, $0, &reasons) }
        }
        let names =
            ["phase", "fault", "ends by"] + FaultEngine.allCases.map(\.rawValue) + ["latest", "queued", "neighbor"]
        let all = ["the call ends otherwise on this engine: see the lines of the same fault"] + reasons
        let notes = all.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
        return """
            # Faults

            What becomes of a call when its server or the network goes wrong, on every engine, and how long after its deadline
            or its cancellation it ends at the latest. `make faults` writes this page from a run in which each cell is met by
            \(EntryStyle.allCases.count) calls, one of each style: \(EntryStyle.allCases.map(\.rawValue).joined(separator: ", ")).
            In a batch a good call is made beside the bad one; "neighbor" is the longest that it took. "queued" is the latest
            that a call ended which waited for a slot of its dispatcher meanwhile, by a different verb from cell to cell:
            \(QueuedCall.Verb.allCases.map(\.rawValue).joined(separator: ", ")).
            A number alone is the reason for which a cell is not tried; one behind an outcome, why the outcome is not what the
            others have.

            Made on \(platform).

            \(figures)

            \(([Self.line(names), Self.line(names.map { _ in "---" })] + lines).joined(separator: "\n"))

            Notes:

            \(notes)

            """
    }

    /// Nil if no engine is expected to end like this.
    private func line(_ fault: Fault, _ ending: Fault.Ending, _ reasons: inout [String]) -> String? {
        let mine = entries.filter {
            $0.cell.fault.testDescription == fault.testDescription && $0.cell.expectation.ending == ending
        }
        guard !mine.isEmpty else { return nil }
        var cells = [fault.phase.rawValue, fault.name, ending.rawValue]
        for engine in FaultEngine.allCases {
            let isExpected = fault.expectations(on: engine).contains { $0.ending == ending }
            var words = isExpected ? Self.outcomes(mine.filter { $0.cell.engine == engine }) : "(1)"
            if let reason = note(fault, ending, on: engine) {
                if !reasons.contains(reason) { reasons.append(reason) }
                words += words.isEmpty ? "" : " "
                words += "(\(2 + (reasons.firstIndex(of: reason) ?? 0)))"
            }
            cells.append(words)
        }
        let latest = mine.compactMap(\.verdict.overshoot).max().map(Self.milliseconds) ?? ""
        let queued = mine.compactMap(\.verdict.queuedOvershoot).max().map(Self.milliseconds) ?? ""
        let neighbor = mine.compactMap(\.verdict.neighborTime).max().map(Self.milliseconds) ?? ""
        return Self.line(cells + [latest, queued, neighbor])
    }

    /// The note about a fault on an engine.
    private func note(_ fault: Fault, _ ending: Fault.Ending, on engine: FaultEngine) -> String? {
        if let reason = fault.reasonToSkip(ending, on: engine) { return reason }
        guard engine == .urlSession else { return nil }
        switch URLSessionException.all[fault.testDescription] {
        case .differs(_, let reason) where ending == .own: return reason
        case .lasts(let reason): return reason
        default: return nil
        }
    }

    private static func outcomes(_ entries: [FaultMatrix.Entry]) -> String {
        let wrong = entries.contains { $0.verdict.problem != nil } ? "**wrong:** " : ""
        return wrong + Set(entries.map(\.verdict.outcome)).sorted().joined(separator: ", ")
    }

    private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
}
