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
        if measured.startProgram != nil { return memoryOfProgram(measured, in: suite, server, count, counter) }
        var arguments = ["single", "--suite", suite.name, "--case", measured.name, "--requests", String(count)]
        if let server { arguments += server.arguments }
        // Without the counter for the peak: its bookkeeping is not the case's.
        guard let peak = Child.run(arguments, as: Memory.self) else { return nil }
        let counted = counter.flatMap { Child.run(arguments, preload: $0, as: Memory.self) }
        return Memory(peakBytes: peak.peakBytes, allocationsPerRequest: counted?.allocationsPerRequest)
    }

    private static func memoryOfProgram(
        _ measured: Case, in suite: Suite, _ server: Server?, _ count: Int, _ counter: String?
    ) -> Memory? {
        let warmUp = max(suite.unit.slots(of: warmUp), 1)
        guard let program = try? measured.startProgram?(server),
            case .some = try? withSlots(warmUp, program.run), case .some = try? withSlots(count, program.run)
        else { return nil }
        let made = counter.flatMap { counter in
            try? measured.startCounted.map { start in
                try allocations(of: start(server, counter), warmUp: warmUp, count)
            }
        }
        return Memory(
            peakBytes: program.peakBytes,
            allocationsPerRequest: made.map { Double($0) / Double(count * suite.unit.stepsPerSlot) })
    }

    /// Those of `count` operations.
    private static func allocations(of program: PeerProcess, warmUp: Int, _ count: Int) throws -> Int64 {
        try withSlots(warmUp, program.run)
        let before = try program.allocations()
        try withSlots(count, program.run)
        return try program.allocations() - before
    }
}
