/// A report as text.
struct Table {
    private static let columns = ["median µs", "p99 µs", "CPU µs", "ratio", "CPU ratio", "peak MB", "allocations"]

    static func lines(_ section: Report.Section) -> [String] {
        let names = section.figures.map(\.name) + [section.name]
        let width = names.map(\.count).max() ?? 0
        let header = ([pad(section.name, to: width)] + columns.map { padLeft($0, to: 11) }).joined(separator: " ")
        return [header] + section.figures.map { row($0, width: width) }
    }

    private static func row(_ figures: Figures, width: Int) -> String {
        let cells = [
            fixed(figures.median, 1), fixed(figures.p99, 1), fixed(figures.cpu, 1), fixed(figures.ratio, 3),
            fixed(figures.cpuRatio, 3), figures.memory.map { fixed(Double($0.peakBytes) / 1_048_576, 1) } ?? "-",
            figures.memory?.allocationsPerRequest.map { fixed($0, 1) } ?? "-",
        ]
        let row = ([pad(figures.name, to: width)] + cells.map { padLeft($0, to: 11) }).joined(separator: " ")
        guard let limit = figures.limit else { return row }
        return row + "  \(figures.isWithinLimit ? "within" : "OVER") \(fixed(limit, 2))"
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    private static func padLeft(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    /// Without Foundation's formatters: linking them would show in the memory figures.
    static func fixed(_ value: Double, _ places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        return "\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
