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
    var descriptors: Int { program_descriptors(program) }
    var threads: Int { program_threads(program) }

    /// How many allocations it has made, if it was started with the library that counts them.
    func allocations() throws -> Int64 {
        guard program_say(program, "allocations") == 0, let line = program_hear(program),
            let count = Int64(String(cString: line)), count >= 0
        else { throw Failure("\(command) does not count allocations") }
        return count
    }

    func run(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        guard program_say(program, String(slots.count)) == 0 else { throw Failure("\(command) has ended") }
        try hear(slots)
    }

    /// The same, with a look at it again and again meanwhile.
    func run(_ slots: UnsafeMutableBufferPointer<UInt64>, looking look: () -> Void) throws {
        guard program_say(program, String(slots.count)) == 0 else { throw Failure("\(command) has ended") }
        while !program_has_spoken(program, 250) { look() }
        try hear(slots)
    }

    private func hear(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        guard let line = program_hear(program) else { throw Failure("\(command) has ended") }
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
