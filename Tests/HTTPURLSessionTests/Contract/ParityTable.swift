import HTTPContract
import HTTPMockServer

/// The table behaviour × engine, as Markdown.
struct ParityTable {
    /// A row of the table: the verdicts of all engines on one behaviour.
    typealias Row = (behaviour: TransportContract.Case, verdicts: [String])

    let engines: [TransportContract]
    let rows: [Row]

    /// Runs every behaviour on every engine, one after the other.
    init(running engines: [TransportContract]) {
        self.init(engines) { engine, behaviour in
            switch engine.verdict(on: behaviour) {
            case .passes: Self.passes
            case .excluded(let reason): Self.excluded(reason)
            case .fails: "**fails**"
            }
        }
    }

    /// The result of a run in which every engine behaves as declared.
    init(expecting engines: [TransportContract]) {
        self.init(engines) { engine, behaviour in
            let exclusion = engine.exclusions.first { $0.name == behaviour.name }
            return exclusion.map { Self.excluded($0.reason) } ?? Self.passes
        }
    }

    private init(
        _ engines: [TransportContract], verdict: (TransportContract, TransportContract.Case) -> String
    ) {
        self.engines = engines
        rows = TransportContract.cases.map { behaviour in (behaviour, engines.map { verdict($0, behaviour) }) }
    }

    private static let passes = "passes"
    private static func excluded(_ reason: String) -> String { "excluded: \(reason)" }

    /// One line for each behaviour, in order.
    var lines: [String] {
        rows.map { row in Self.line([row.behaviour.group.rawValue, row.behaviour.name] + row.verdicts) }
    }

    /// The whole page. `platform` names the system that it was made on.
    func page(madeOn platform: String) -> String {
        let names = ["about", "behaviour"] + engines.map(\.engine)
        let counts = engines.indices.map { index in
            "\(engines[index].engine) holds \(rows.count { $0.verdicts[index] == Self.passes }) of \(rows.count)"
        }
        return """
            # Parity of the engines

            What each engine holds of the transport contract in `HTTPContract`. `make parity` writes this page from a run;
            the tests run the same contract and fail when a line here is out of date.

            Made on \(platform). \(counts.joined(separator: "; ")).

            \(([Self.line(names), Self.line(names.map { _ in "---" })] + lines).joined(separator: "\n"))

            """
    }

    private static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
}
