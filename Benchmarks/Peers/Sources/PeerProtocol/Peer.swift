#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program of cases that the benchmark measures, as Benchmarks/Peers/README.md says:
///
///     <program> <case> [<url>]
///
/// prints `ready` once it is warm, does n operations for each line with a number n, and prints the nanoseconds they took:
/// n numbers, or one number for all of them together.
public enum Peer {
    /// Does n operations and returns the nanoseconds of each, or one number for all.
    public typealias Run = (_ count: Int) throws -> [UInt64]
    public typealias Prepare = @Sendable (_ url: String) throws -> Run

    public static func serve(_ cases: [String: Prepare]) {
        let words = CommandLine.arguments
        guard words.count > 1, let prepare = cases[words[1]] else {
            fail("which case? \(cases.keys.sorted().joined(separator: ", "))")
        }
        do {
            let run = try prepare(words.count > 2 ? words[2] : "")
            say("ready")
            while let line = readLine() {
                if line == "allocations" {
                    say(String(allocationsSoFar()))
                    continue
                }
                guard let count = Int(line) else { fail("\(line) is not a number") }
                say(try run(count).map(String.init).joined(separator: " "))
            }
        } catch {
            fail("\(error)")
        }
    }

    /// The bytes of the bodies that the server sends, and how many requests a crowd is.
    public static let helloSize = 13
    public static let largeSize = 100_000_000
    public static let crowdSize = 10_000

    /// Whether this is the case `once`, in which a program does an operation and ends; it has been done then.
    public static func runsOnce(_ operation: (_ url: String) throws -> Void) throws -> Bool {
        let words = CommandLine.arguments
        guard words.count > 2, words[1] == "once" else { return false }
        try operation(words[2])
        return true
    }

    /// A run that does `operation` again and again on this thread, each measured.
    public static func timing(_ operation: @escaping () throws -> Void) -> Run {
        { count in
            var times: [UInt64] = []
            times.reserveCapacity(count)
            for _ in 0..<count {
                let start = now()
                try operation()
                times.append(now() - start)
            }
            return times
        }
    }

    /// Without Foundation, which takes a quarter of a start.
    public static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Nanoseconds of a clock that only goes forward.
    public static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// As the library counts them that the benchmark may load in front of malloc; -1 without it.
    private static func allocationsSoFar() -> Int64 {
        typealias Count = @convention(c) () -> Int64
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "straightline_allocation_count") else { return -1 }
        return unsafeBitCast(symbol, to: Count.self)()
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    private static func fail(_ words: String) -> Never {
        let line = Array("\(CommandLine.arguments[0]): \(words)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(1)
    }
}

/// Why a case could not do its work.
public struct PeerFailure: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
