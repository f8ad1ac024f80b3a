/// A report as text.
enum TextTable {
    static func lines(_ table: Report.Table) -> [String] {
        let unit = table.unit
        let columns = [
            "median \(unit)", "p99 \(unit)", "CPU \(unit)", "ratio", "CPU ratio", "peak MB", "allocations",
        ]
        let names = table.figures.map(\.name) + table.leftOut.map(\.name) + [table.title]
        let width = names.map(\.count).max() ?? 0
        let header = ([pad(table.title, to: width)] + columns.map { padLeft($0, to: 11) }).joined(separator: " ")
        let leftOut = table.leftOut.map { "\(pad($0.name, to: width)) left out: \($0.reason)" }
        return [header] + table.figures.map { row($0, width: width) } + leftOut + [""]
    }

    static func lines(_ trial: TrialResult) -> [String] {
        let spoilt = trial.spoilt.map { "\(fixed($0.value, 2)) \($0.unit)" }.joined(separator: ", ")
        let attempts = spoilt.isEmpty ? "" : " (after attempts with \(spoilt))"
        let width = trial.quantities.map(\.name.count).max() ?? 0
        let rows = trial.quantities.map { quantity in
            let value = fixed(quantity.value, quantity.unit.isEmpty ? 0 : 2)
            let bound = quantity.bound.map { verdict($0, quantity.isWithinBound) } ?? ""
            return "  \(pad(quantity.name, to: width)) \(padLeft(value, to: 11)) \(pad(quantity.unit, to: 2))\(bound)"
        }
        return [trial.name + attempts] + rows + [""]
    }

    private static func row(_ figures: Figures, width: Int) -> String {
        let cells = [
            fixed(figures.median, 1), fixed(figures.p99, 1), fixed(figures.cpu, 1), fixed(figures.ratio, 3),
            fixed(figures.cpuRatio, 3), figures.memory.map { fixed(Double($0.peakBytes) / 1_048_576, 1) } ?? "-",
            figures.memory?.allocationsPerRequest.map { fixed($0, 1) } ?? "-",
        ]
        let row = ([pad(figures.name, to: width)] + cells.map { padLeft($0, to: 11) }).joined(separator: " ")
        return ([row] + remarks(figures)).joined(separator: "  ")
    }

    private static func remarks(_ figures: Figures) -> [String] {
        var remarks: [String] = []
        if let limit = figures.limit { remarks.append("\(verdict(figures.isWithinLimit)) \(fixed(limit, 2))") }
        if let limit = figures.cpuLimit {
            remarks.append("CPU \(verdict(figures.isWithinCPULimit)) \(fixed(limit, 2))")
        }
        if let extra = figures.extraAllocations {
            let verdict = verdict(extra.isWithinLimit)
            let beyond = extra.beyond.map { " beyond those of \($0)" } ?? ""
            remarks.append("\(verdict) \(fixed(extra.limit, 0)) allocations\(beyond)")
        }
        remarks += figures.comparisons.map { comparison in
            let wanted = "\(fixed(comparison.wanted, 2)) wanted\(comparison.isFastEnough ? "" : ", NOT HELD")"
            let cpu = comparison.cpuLimit.map { limit in
                let verdict = verdict(comparison.isWithinCPULimit)
                return ", \(fixed(comparison.cpuRatio, 2)) × its CPU (\(verdict) \(fixed(limit, 2)))"
            }
            return "\(fixed(comparison.factor, 2)) × as fast as \(comparison.name) (\(wanted))\(cpu ?? "")"
        }
        if !figures.references.isEmpty {
            let compared = figures.references.map { reference in
                "\(figures.median <= reference.value ? "≤" : ">") \(fixed(reference.value, 1)) \(reference.name)"
            }
            remarks.append(compared.joined(separator: ", "))
        }
        return remarks
    }

    private static func verdict(_ isWithin: Bool) -> String { isWithin ? "within" : "OVER" }

    private static func verdict(_ bound: Quantity.Bound, _ isHeld: Bool) -> String {
        let words =
            switch bound {
            case .time(let limit), .atMost(let limit): "limit \(fixed(limit, limit == limit.rounded() ? 0 : 2))"
            case .exactly(let wanted): "wanted \(fixed(wanted, 0))"
            }
        return "  \(words): \(isHeld ? "held" : "NOT HELD")"
    }

    static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    static func padLeft(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }

    /// Without Foundation's formatters: linking them would show in the memory figures.
    static func fixed(_ value: Double, _ places: Int) -> String {
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int((value * Double(scale)).rounded())
        guard places > 0 else { return String(scaled) }
        let fraction = String(scaled % scale)
        return "\(scaled / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
    }
}
