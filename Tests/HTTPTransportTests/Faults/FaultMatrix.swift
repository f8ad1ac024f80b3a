import Foundation
import Synchronization

/// All faults and their verdicts.
final class FaultMatrix: Sendable {
    static let faults =
        Fault.connections + Fault.security + Fault.heads + Fault.bodies + Fault.redirects + Fault.frames

    /// Whether every cell is run, one at a time, with exact time limits.
    static let isExact = ProcessInfo.processInfo.environment["STRAIGHTLINE_FAULTS"] != nil
    /// How long after its deadline or cancellation a call may end. On a machine that runs other tests meanwhile this
    /// shows only that it does not last.
    static let slack: Duration = isExact ? .milliseconds(50) : .seconds(2)

    /// Runs only cells whose description contains this, to look into one.
    private static let selection = ProcessInfo.processInfo.environment["STRAIGHTLINE_FAULTS_ONLY"]

    /// Whether no cell is left out.
    static var isWhole: Bool { selection == nil }

    static let shared = FaultMatrix()

    typealias Entry = (cell: FaultCell, verdict: FaultCell.Verdict)

    private let entries = Mutex<[Entry]>([])
    private let runsDone = Mutex(0)
    private let queue = FaultQueue()

    /// The cells of a fault: every style of call, or, if there is no time for that, a different style from cell to
    /// cell.
    static func cells(of fault: Fault, inEveryStyle: Bool = isExact) -> [FaultCell] {
        let first = faults.firstIndex { $0.testDescription == fault.testDescription } ?? 0
        let kinds = FaultEngine.allCases.flatMap { engine in
            fault.expectations(on: engine).filter { fault.reasonToSkip($0.ending, on: engine) == nil }
                .map { (engine, $0) }
        }
        let cells = kinds.enumerated().flatMap { index, kind in
            let turn = (first + index) % EntryStyle.allCases.count
            let styles = inEveryStyle ? EntryStyle.allCases : [EntryStyle.allCases[turn]]
            return styles.map { FaultCell(fault: fault, expectation: kind.1, engine: kind.0, style: $0) }
        }
        return cells.filter { cell in selection.map { "\(cell)".contains($0) } ?? true }
    }

    /// Runs the cells of a fault over URLSession, or over all other engines, and returns the deviations.
    func run(_ fault: Fault, overURLSession: Bool) async -> [String] {
        let cells = Self.cells(of: fault).filter { ($0.engine == .urlSession) == overURLSession }
        let verdicts = await withTaskGroup(of: (Int, FaultCell.Verdict).self) { group in
            for (index, cell) in cells.enumerated() { group.addTask { (index, await self.run(cell)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        .sorted { $0.key < $1.key }.map(\.value)
        entries.withLock { $0 += zip(cells, verdicts).map { ($0, $1) } }
        return zip(cells, verdicts).compactMap { cell, verdict in
            problem(of: verdict).map { "\(cell): \($0)" }
        }
    }

    private func run(_ cell: FaultCell) async -> FaultCell.Verdict {
        await queue.run {
            do { return try cell.run() } catch { return FaultCell.Verdict(outcome: "none", problem: "\(error)") }
        }
    }

    private func problem(of verdict: FaultCell.Verdict) -> String? {
        if let problem = verdict.problem { return problem }
        if let late = verdict.overshoot, late > Self.slack { return "it ended \(late) too late" }
        if let late = verdict.queuedOvershoot, late > Self.slack {
            return "the same call that waited for a slot ended \(late) too late"
        }
        if let time = verdict.neighborTime, time > Self.slack { return "a good call in the same batch took \(time)" }
        return nil
    }

    /// The table, once every fault has been run, including over URLSession; nil before.
    func tableWhenDone() -> FaultTable? {
        let isLast = runsDone.withLock { count in
            count += 1
            return count == 2 * Self.faults.count
        }
        return isLast ? FaultTable(Self.faults, entries.withLock { $0 }) : nil
    }
}

/// Runs work on its own thread.
private final class FaultQueue: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let ready = DispatchSemaphore(value: 0)

    init() { Thread.detachNewThread { self.work() } }

    private func work() {
        while true {
            ready.wait()
            jobs.withLock { $0.removeFirst() }()
        }
    }

    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            jobs.withLock { $0.append { continuation.resume(returning: work()) } }
            ready.signal()
        }
    }
}
