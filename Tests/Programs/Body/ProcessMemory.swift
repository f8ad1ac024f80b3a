import Foundation

/// The system's figures of this process, in KiB; zero without `/proc`.
enum ProcessMemory {
    /// The current memory.
    static var resident: Int { field("VmRSS:") }
    /// The peak memory.
    static var peak: Int { field("VmHWM:") }

    private static func field(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
