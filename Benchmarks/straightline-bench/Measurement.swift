#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs every suite, prints the table and writes the report.
enum Measurement {
    static func run(_ arguments: Arguments) throws -> Bool {
        let server = Server(port: try arguments.number("port"))
        let rounds: Int = try arguments.number("rounds", default: 30)
        let count: Int = try arguments.number("requests", default: 2000)
        var report = Report(about: arguments.pairs("about"), rounds: rounds, requestsPerRound: count)
        for suite in Suite.all {
            let section = try measure(suite, server, rounds, count, counter: arguments.text("counter"))
            report.sections.append(section)
            for line in Table.lines(section) { print(line) }
        }
        if let path = arguments.text("json") { try write(report, to: path) }
        return report.isWithinLimits
    }

    private static func measure(
        _ suite: Suite, _ server: Server, _ rounds: Int, _ count: Int, counter: String?
    ) throws -> Report.Section {
        let results = try suite.measure(server, rounds: rounds, count: count)
        let figures = zip(suite.cases, results).map { measured, rounds in
            let memory = SinglePass.memory(of: measured, server, count: count, counter: counter)
            return Figures(measured, rounds, floor: results[0], memory: memory)
        }
        return Report.Section(name: suite.name, figures: figures)
    }

    private static func write(_ report: Report, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(report).write(to: URL(filePath: path))
    }
}
