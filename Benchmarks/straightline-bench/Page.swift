/// A report as a page of Markdown, with its drawing and all its tables.
enum Page {
    static func text(_ report: Report) -> String {
        let tables =
            DelaysTable(report).lines + report.sections.flatMap(TextTable.lines)
            + report.trials.flatMap { TextTable.lines($0) }
        let about = report.about.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
        let overruns = report.overruns
        let lines =
            ["# Figures of \(report.about["date"] ?? "an unknown day")", "", "![Ratios to the floors](latest.svg)", ""]
            + about.map { "- \($0.key): \($0.value)" }
            + ["- \(report.rounds) rounds of \(report.requestsPerRound) requests", "", "## Over their limits", ""]
            + (overruns.isEmpty ? ["Nothing is."] : overruns.map { "- \($0)" })
            + ["", "## All figures", "", "How to read them: [README.md](README.md).", "", "```"]
            + tables.dropLast() + ["```"]
        return lines.joined(separator: "\n")
    }
}
