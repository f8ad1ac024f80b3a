import CurlFloor

/// One case alone in a process of its own.
enum SinglePass {
    private static let warmUp = 200

    /// In the child: does the work and prints the figures.
    static func run(_ arguments: Arguments) throws {
        let names = (suite: arguments.text("suite") ?? "", case: arguments.text("case") ?? "")
        guard let suite = Suite.all.first(where: { $0.name == names.suite }),
            let found = suite.cases.first(where: { $0.name == names.case })
        else { throw Failure("there is no case \(names.case) of \(names.suite)") }
        let run = try found.prepare(Server(arguments)).run
        let count: Int = try arguments.number("requests")
        try withSlots(max(suite.unit.slots(of: warmUp), 1)) { try run($0) }
        try withSlots(count) { slots in
            let before = allocations_so_far()
            try run(slots)
            let made = Double(allocations_so_far() - before) / Double(count * suite.unit.stepsPerSlot)
            let memory = Memory(peakBytes: peak_resident_bytes(), allocationsPerRequest: before < 0 ? nil : made)
            try Child.answer(memory)
        }
    }

    /// In the parent: the figures of a child that ran `measured`. Nil if there is none to be had.
    static func memory(of measured: Case, in suite: Suite, _ server: Server?, count: Int, counter: String?) -> Memory? {
        if measured.isCommand { return nil }
        if measured.startProgram != nil { return peak(of: measured, in: suite, server, count: count) }
        var arguments = ["single", "--suite", suite.name, "--case", measured.name, "--requests", String(count)]
        if let server { arguments += server.arguments }
        // Without the counter for the peak: its bookkeeping is not the case's.
        guard let peak = Child.run(arguments, as: Memory.self) else { return nil }
        let counted = counter.flatMap { Child.run(arguments, preload: $0, as: Memory.self) }
        return Memory(peakBytes: peak.peakBytes, allocationsPerRequest: counted?.allocationsPerRequest)
    }

    /// The same of a program, whose allocations are its own affair.
    private static func peak(of measured: Case, in suite: Suite, _ server: Server?, count: Int) -> Memory? {
        guard let program = try? measured.startProgram?(server) else { return nil }
        for count in [max(suite.unit.slots(of: warmUp), 1), count] {
            guard case .some = try? withSlots(count, program.run) else { return nil }
        }
        return Memory(peakBytes: program.peakBytes, allocationsPerRequest: nil)
    }
}
