extension Report {
    /// What is over its limit, in a line each.
    var overruns: [String] {
        let figures = sections.flatMap { table in
            table.figures.flatMap { figures in
                figures.overruns.map { "\(table.name), \(figures.name): \($0)" }
            }
        }
        return figures + trials.flatMap { trial in trial.overruns.map { "\(trial.name): \($0)" } }
    }
}

extension Figures {
    fileprivate var overruns: [String] {
        var lines: [String] = []
        if let limit, !isWithinLimit { lines.append("\(words(ratio)) × the floor's time, limit \(words(limit))") }
        if let cpuLimit, !isWithinCPULimit {
            lines.append("\(words(cpuRatio)) × the floor's processor time, limit \(words(cpuLimit))")
        }
        if let extra = extraAllocations, !extra.isWithinLimit {
            lines.append("\(TextTable.fixed(extra.count, 1)) allocations, limit \(TextTable.fixed(extra.limit, 0))")
        }
        return lines + comparisons.flatMap(overruns)
    }

    private func overruns(of comparison: Comparison) -> [String] {
        let (name, factor) = (comparison.name, words(comparison.factor))
        var lines: [String] = []
        if !comparison.isFastEnough {
            lines.append("\(factor) × as fast as \(name), wanted \(words(comparison.wanted))")
        }
        if let limit = comparison.cpuLimit, !comparison.isWithinCPULimit {
            lines.append("\(words(comparison.cpuRatio)) × the processor time of \(name), limit \(words(limit))")
        }
        return lines
    }

    private func words(_ factor: Double) -> String { TextTable.fixed(factor, 2) }
}

extension TrialResult {
    fileprivate var overruns: [String] {
        quantities.filter { !$0.isWithinBound }.map { "\($0.name) \(TextTable.fixed($0.value, 2)) \($0.unit)" }
    }
}
