#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// This program once more, in a process of its own that prints one line of JSON: only there do memory, threads and
/// allocations belong to what is measured.
enum Child {
    /// What the child printed; nil if nothing came of it.
    static func run<Value: Decodable>(_ arguments: [String], preload: String? = nil, as type: Value.Type) -> Value? {
        let environment = preload.map { ["LD_PRELOAD=\($0)"] } ?? []
        let words = ["env"] + environment + [CommandLine.arguments[0]] + arguments
        // The name of a case may have an apostrophe.
        let quoted = words.map { "'" + $0.replacing("'", with: #"'\''"#) + "'" }
        guard let pipe = popen(quoted.joined(separator: " "), "r") else { return nil }
        defer { pclose(pipe) }
        var line = [CChar](repeating: 0, count: 65_536)
        guard fgets(&line, CInt(line.count), pipe) != nil else { return nil }
        let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return try? JSONDecoder().decode(Value.self, from: Data(text))
    }

    /// In the child: prints what the parent reads.
    static func answer(_ value: some Encodable) throws {
        print(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
    }
}
