/// Runs the sections, prints their tables and writes the report.
struct Measurement {
    private let server: Server?
    private let rounds: Int
    private let requests: Int
    private let counter: String?
    private let peers: [Peer]
    /// How many requests the last of a long row is behind.
    private let longRow: Int

    private init(_ arguments: Arguments) throws {
        server = try Server(arguments)
        rounds = try arguments.number("rounds", default: 20)
        requests = try arguments.number("requests", default: 1000)
        counter = arguments.text("counter")
        peers = try arguments.texts("peers").flatMap(Peer.list)
        longRow = try arguments.number("long-row", default: 100_000)
    }

    /// Whether everything measured is within its limits.
    static func run(_ arguments: Arguments) throws -> Bool {
        let measurement = try Measurement(arguments)
        let about = arguments.pairs("about")
        // One report for several runs: the sections do not all want the same processors.
        var report = Report(about: about, rounds: measurement.rounds, requestsPerRound: measurement.requests)
        if let earlier = arguments.text("onto") { report = try Report(contentsOf: earlier) }
        report.about.merge(about) { $1 }
        var isWithinLimits = true
        let suites = arguments.texts("suite")
        for section in try sections(arguments) {
            func add(_ table: Report.Table) {
                isWithinLimits = isWithinLimits && table.figures.allSatisfy(\.isWithinLimits)
                report.sections.append(table)
                for line in TextTable.lines(table) { print(line) }
            }
            func add(_ result: TrialResult) {
                isWithinLimits = isWithinLimits && result.isWithinBounds
                report.trials.append(result)
                for line in TextTable.lines(result) { print(line) }
            }
            for suite in Suite.of(section) where suites.isEmpty || suites.contains(suite.id) {
                add(try measurement.measure(suite.joined(by: measurement.peers)))
            }
            for trial in Trial.of(section) { add(try trial.measure()) }
            if section == .crowd { add(try measurement.measureCrowd()) }
            if section == .scale {
                for stretch in Stretch.allCases {
                    let (table, result) = try measurement.measure(stretch)
                    add(table)
                    add(result)
                }
            }
        }
        for line in DelaysTable(report).lines where report.sections.last?.section == .delays { print(line) }
        if let path = arguments.text("json") { try report.write(to: path) }
        return isWithinLimits
    }

    private func measure(_ stretch: Stretch) throws -> (Report.Table, TrialResult) {
        guard let server else { throw Failure("\(stretch.title) needs a server: --port is missing") }
        return try stretch.measure(server, requests: longRow, counter: counter)
    }

    private func measureCrowd() throws -> TrialResult {
        guard let server else { throw Failure("a crowd needs a server: --port is missing") }
        var crowd = try CallCrowd(server, peers: peers)
        // Each takes seconds.
        return try crowd.measure(rounds: max(rounds / 10, 1))
    }

    private static func sections(_ arguments: Arguments) throws -> [Section] {
        let names = arguments.texts("section")
        guard !names.isEmpty else { return Section.allCases }
        return try names.map { name in
            guard let section = Section(rawValue: name) else { throw Failure("there is no section \(name)") }
            return section
        }
    }

    private func measure(_ suite: Suite) throws -> Report.Table {
        let count = suite.unit.slots(of: requests)
        let rounds = rounds * suite.repetitions
        let results = try suite.measure(server, rounds: rounds, count: count)
        let memories = suite.cases.map { measured in
            suite.tellsMemory
                ? SinglePass.memory(of: measured, in: suite, server, count: count, counter: counter) : nil
        }
        let figures = suite.cases.indices.map { index in
            let measured = suite.cases[index]
            return Figures(
                measured, isFloor: index == 0, results[index], floor: results[0], memory: memories[index],
                extraAllocations: extraAllocations(of: measured, in: suite, memories),
                comparisons: comparisons(of: index, in: suite, results))
        }
        let leftOut = peers.filter { $0.suite == suite.id }.compactMap { peer in
            peer.reason.map { Report.LeftOut(name: peer.name, reason: $0) }
        }
        return Report.Table(
            section: suite.section, id: suite.id, name: suite.name, unit: suite.unit.symbol,
            rounds: suite.repetitions == 1 ? nil : rounds, figures: figures, leftOut: leftOut)
    }

    /// Beside the rivals that are measured.
    private func comparisons(of index: Int, in suite: Suite, _ results: [Rounds]) -> [Comparison] {
        suite.cases[index].rivals.compactMap { rival in
            suite.cases.firstIndex { $0.name == rival.name }
                .map { Comparison(rival, own: results[index], rivals: results[$0]) }
        }
    }

    /// Nil where nothing is promised, or nothing could be counted.
    private func extraAllocations(of measured: Case, in suite: Suite, _ memories: [Memory?]) -> ExtraAllocations? {
        func made(_ name: String) -> Double? {
            suite.cases.firstIndex { $0.name == name }.flatMap { memories[$0]?.allocationsPerRequest }
        }
        guard let limit = measured.allocationLimit, let own = made(measured.name),
            let other = limit.beyond.map(made) ?? 0
        else { return nil }
        return ExtraAllocations(count: own - other, beyond: limit.beyond, limit: limit.count)
    }
}
