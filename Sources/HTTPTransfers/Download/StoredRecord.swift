import HTTPFoundation
import HTTPSupport

/// A small record in a file beside the one that it describes.
enum StoredRecord {
    /// The maximum size in bytes. A record has a few hundred.
    private static let limit = 64 << 10

    /// The record in `file`; nil if there is none that is valid.
    static func read<Record: Decodable>(from file: FileDescriptor) -> Record? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let result = bytes.withUnsafeMutableBytes { SystemCall.read(file.number, into: $0) }
        guard case .success(let count) = result, count < limit else { return nil }
        return try? JSONDecoder().decode(Record.self, from: Data(bytes[..<count]))
    }

    /// Replaces the file at `path`, which only its owner can read. No other thread or process uses `temporaryPath`.
    static func write(
        _ record: some Encodable, to path: String, through temporaryPath: String, syncing isSynced: Bool
    ) throws(BodyProblem) {
        let data: Data
        do { data = try JSONEncoder().encode(record) } catch {
            throw BodyProblem(.unwritableFile, path: path, underlying: error)
        }
        let file = try FileReplacement(ofPrivate: path, through: temporaryPath)
        try data.withUnsafeBytes { bytes in Result { () throws(BodyProblem) in try file.write(bytes) } }.get()
        try file.finish(syncing: isSynced)
    }
}
