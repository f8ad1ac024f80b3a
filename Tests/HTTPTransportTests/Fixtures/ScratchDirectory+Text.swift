import Foundation
import HTTPTesting

extension ScratchDirectory {
    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String { try write(text.utf8, to: name) }

    /// Writes a file of zeros, sparse if the system supports it, and returns its path.
    @discardableResult
    func writeZeros(_ count: Int, to name: String) throws -> String {
        let path = try write("", to: name)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(count))
        try file.close()
        return path
    }
}
