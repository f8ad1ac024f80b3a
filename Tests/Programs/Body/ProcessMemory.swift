import Foundation

/// What the system says of this process, in KiB; zero where it has no `/proc`.
enum ProcessMemory {
    /// Now.
    static var resident: Int { field("VmRSS:") }
    /// The most there was at any time.
    static var peak: Int { field("VmHWM:") }

    private static func field(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
