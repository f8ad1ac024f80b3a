import CurlFloor

/// A program that does operations when told how many, and answers with the nanoseconds they took: each, or all together.
final class PeerProcess {
    private let command: String
    private let program: OpaquePointer

    /// Starts it and waits until it says that it is ready.
    init(_ command: String) throws {
        self.command = command
        guard let program = program_start(command) else { throw Failure("there is no process for \(command)") }
        self.program = program
        let line = program_hear(program).map { String(cString: $0) }
        guard line == "ready" else { throw Failure("\(command) said \(line ?? "nothing") and not that it is ready") }
    }

    deinit { program_end(program) }

    var cpuTime: UInt64 { program_cpu_nanoseconds(program) }
    var peakBytes: UInt64 { program_peak_bytes(program) }

    func run(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        guard program_say(program, String(slots.count)) == 0, let line = program_hear(program) else {
            throw Failure("\(command) has ended")
        }
        let times = String(cString: line).split(separator: " ").compactMap { UInt64($0) }
        if times.count == slots.count {
            _ = slots.update(fromContentsOf: times)
        } else if times.count == 1 {
            slots.update(repeating: times[0] / UInt64(slots.count))
        } else {
            throw Failure("\(command) answered \(times.count) times for \(slots.count) operations")
        }
    }
}
