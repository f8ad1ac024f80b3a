#if canImport(FoundationNetworking)
import Foundation
import HTTPSupport

/// A streamed body for the session. On Linux the session can send only whole files without blocking all other sessions
/// of the process. A source is therefore written to a temporary file before anything is sent.
struct SessionUpload {
    private static let pieceSize = 64 << 10

    let carrier: UploadCarrier
    private var stream: UploadStream
    private var file: FileHandle?

    enum Progress { case moved, full, finished }

    init(_ body: RequestBody) throws(BodyProblem) {
        stream = try body.open()
        if case .file(let path) = body.content {
            carrier = UploadCarrier(path: path, isTemporary: false)
            return
        }
        let path = NSTemporaryDirectory() + "straightline-body-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        // First, so that the file is removed if it cannot be opened.
        carrier = UploadCarrier(path: path, isTemporary: true)
        // Not by `FileManager`, whose new files are readable by others until it sets their permissions.
        switch SystemCall.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) {
        case .success(let descriptor): file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        case .failure(let error): throw BodyProblem(.source, SpoolFailure(path: path, cause: error))
        }
    }

    /// Whether the task can be started. If not, `prepare` writes the file, piece by piece.
    var isReady: Bool { file == nil }

    mutating func prepare() throws(BodyProblem) {
        guard let file else { return }
        let piece = try stream.piece(atMost: Self.pieceSize)
        do {
            try SignalGuard.fileSize { Result { try file.write(contentsOf: piece) } }.get()
            guard stream.isFinished else { return }
            try file.close()
        } catch { throw BodyProblem(.source, error) }
        self.file = nil
    }

    /// The session reads the file by itself.
    mutating func pump() throws(BodyProblem) -> Progress { .finished }

    /// The session determines the length of the file.
    var framing: (name: String, value: String)? { nil }
}

/// The file that a session sends. A temporary file is removed when this is released.
final class UploadCarrier: Sendable {
    let path: String
    private let isTemporary: Bool

    init(path: String, isTemporary: Bool) {
        self.path = path
        self.isTemporary = isTemporary
    }

    deinit { if isTemporary { try? FileManager.default.removeItem(atPath: path) } }
}

/// A temporary file for a body could not be made.
struct SpoolFailure: Error, CustomStringConvertible {
    let path: String
    let cause: SystemError

    var description: String {
        "the temporary file \(path) cannot be made (\(cause)): is there room, and a TMPDIR to write to?"
    }
}
#endif
