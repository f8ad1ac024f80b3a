import Foundation

/// A directory for one fixture, removed with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "straightline-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of `name` in here.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: false, encoding: .utf8)
        return file(name)
    }

    /// Writes a file of zeros, sparse if the system supports it, and returns its path.
    @discardableResult
    func writeZeros(_ count: Int, to name: String) throws -> String {
        try write("", to: name)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: file(name)))
        try file.truncate(atOffset: UInt64(count))
        try file.close()
        return self.file(name)
    }

    /// The names of all files, hidden ones too.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }

    func read(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: file(name))) }
}
