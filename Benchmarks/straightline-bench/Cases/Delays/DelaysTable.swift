/// The tables of the section `delays` as one: how many times C's time and processor time each contender takes, a line for
/// each kind of server and number of callers.
struct DelaysTable {
    private let tables: [Report.Table]

    init(_ report: Report) {
        tables = report.sections.filter { $0.section == .delays && $0.id != Suite.delayedBatch.id }
    }

    var lines: [String] {
        guard let first = tables.first else { return [] }
        let names = first.figures.dropFirst().map(\.name)
        let header = ["a server that takes", "C µs", "CPU µs"] + names + ["await beside Go"]
        let rows = [header] + tables.map(row)
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { cells in
            zip(cells, widths).enumerated().map { column, cell in
                column == 0 ? TextTable.pad(cell.0, to: cell.1) : TextTable.padLeft(cell.0, to: cell.1)
            }.joined(separator: "  ")
        }
        return ["Time and processor time as multiples of C's on threads (* is over its limit)"] + lines + [""]
    }

    private func row(_ table: Report.Table) -> [String] {
        let floor = table.figures.first.map { [TextTable.fixed($0.median, 1), TextTable.fixed($0.cpu, 1)] } ?? []
        let comparison = table.figures.flatMap(\.comparisons).first { $0.name == "Go" }
        return [table.name] + floor + table.figures.dropFirst().map(cell) + [comparison.map(cell) ?? "-"]
    }

    private func cell(_ figures: Figures) -> String {
        cell(figures.ratio, figures.isWithinLimit, figures.cpuRatio, figures.isWithinCPULimit)
    }

    private func cell(_ comparison: Comparison) -> String {
        cell(1 / comparison.factor, comparison.isFastEnough, comparison.cpuRatio, comparison.isWithinCPULimit)
    }

    private func cell(_ time: Double, _ isFast: Bool, _ cpu: Double, _ isFrugal: Bool) -> String {
        "\(TextTable.fixed(time, 2))\(isFast ? "" : "*") \(TextTable.fixed(cpu, 2))\(isFrugal ? "" : "*")"
    }
}
