#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// This program once more as one of the contenders, in a process of its own, which is told what to do as peers are.
enum OwnProgram {
    /// Says that it is ready, and answers each line with a number by the nanoseconds that `run` has for so many operations.
    static func serve(_ run: (_ count: Int) throws -> [UInt64]) rethrows {
        say("ready")
        while let count = readLine().flatMap({ Int($0) }) {
            say(try run(count).map { String($0) }.joined(separator: " "))
        }
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
