import HTTPFoundation

/// A directory for one test, removed when it is released.
package final class ScratchDirectory: Sendable {
    package let path: String

    package init() throws {
        let name = "straightline-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        path = FileManager.default.temporaryDirectory.path + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        return file(name)
    }

    package func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }

    /// The names of all files, hidden ones too.
    package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? [] }
}
