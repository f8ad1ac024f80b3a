#if canImport(FoundationNetworking)
import Foundation
import HTTPSupport

/// A body for the session, which reads it on the one queue of all sessions of the process. A source may block, and is
/// therefore written to a temporary file before anything is sent; a file is read as it is, and so is memory.
///
/// The session is given no path: it would announce the length of a link for that of the file, replace a tilde, and send more
/// or less than it has announced if the file changes, so that the rest is the server's next request.
struct SessionUpload {
    private static let pieceSize = 64 << 10

    private(set) var carrier: UploadCarrier?
    private var stream: UploadStream?
    private var spool: Spool?

    enum Progress { case moved, full, finished }

    init(_ body: RequestBody) throws(BodyProblem) {
        var mayBlock = body.isStreamed
        if case .file = body.content { mayBlock = false }
        if mayBlock {
            stream = try body.open()
            spool = try Spool()
        } else {
            carrier = UploadCarrier(try body.open())
        }
    }

    /// Whether the task can be started. If not, `prepare` writes the file, piece by piece.
    var isReady: Bool { carrier != nil }

    mutating func prepare() throws(BodyProblem) {
        guard let spool, let piece = try stream?.piece(atMost: Self.pieceSize) else { return }
        do { try SignalGuard.fileSize { Result { try spool.file.write(contentsOf: piece) } }.get() } catch {
            throw BodyProblem(.source, error)
        }
        guard stream?.isFinished == true else { return }
        // The reader has a descriptor of its own.
        carrier = UploadCarrier(try UploadStream(FileReader(spool.file.fileDescriptor, path: spool.path)))
        self.spool = nil
    }

    /// The session reads the body by itself.
    mutating func pump() throws(BodyProblem) -> Progress { .finished }

    /// Why the session was given no more.
    var problem: BodyProblem? { carrier?.problem }

    /// Whether the server has refused the request without processing it (RFC 9113 §8.7).
    var isRefused: Bool { carrier?.isRefused ?? false }

    /// libcurl sends a stream in chunks, unless its head says otherwise. A field without a value is not sent.
    var framing: [(name: String, value: String)] {
        guard let length = carrier?.length else { return [] }
        return [("Content-Length", "\(length)"), ("Transfer-Encoding", PlatformSession.omission)]
    }
}

/// A temporary file without a name, so that nothing stays behind when the process ends.
private struct Spool {
    let path: String
    let file: FileHandle

    init() throws(BodyProblem) {
        path = NSTemporaryDirectory() + "straightline-body-" + String(UInt64.random(in: 0 ... .max), radix: 36)
        // Not by `FileManager`, whose new files are readable by others until it sets their permissions.
        switch SystemCall.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600) {
        case .success(let descriptor): file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        case .failure(let error): throw BodyProblem(.source, SpoolFailure(path: path, cause: error))
        }
        _ = unlink(path)
    }
}

/// A body that the session reads, held to its length. One thread at a time reads it.
final class UploadCarrier: Sendable {
    private struct State {
        var stream: UploadStream
        var problem: BodyProblem?
        var isRefused = false
    }

    let length: Int64?
    private let state: Locked<State>

    init(_ stream: sending UploadStream) {
        length = stream.length
        state = Locked(State(stream: stream))
    }

    fileprivate var hasMore: Bool { state.withLock { $0.isRefused || !$0.stream.isFinished } }

    var isRefused: Bool { state.withLock { $0.isRefused } }

    /// From now on it cannot be read. libcurl would send the request once more without the part that it has read.
    func refuse() { state.withLock { $0.isRefused = true } }

    /// Why there is no more of it; nil if there is no reason.
    var problem: BodyProblem? { state.withLock { $0.problem } }

    /// The next bytes; none at the end, and nil if they cannot be read. The compiler lets no buffer of the caller in here.
    fileprivate func piece(atMost count: Int) -> [UInt8]? {
        state.withLock { state in
            guard !state.isRefused else { return nil }
            do throws(BodyProblem) { return try state.stream.piece(atMost: count) } catch {
                state.problem = error
                return nil
            }
        }
    }
}

/// A carrier in the form that a session takes.
final class UploadInput: InputStream {
    private let carrier: UploadCarrier

    init(_ carrier: UploadCarrier) {
        self.carrier = carrier
        super.init(data: Data())
    }

    override var hasBytesAvailable: Bool { carrier.hasMore }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard let piece = carrier.piece(atMost: length) else { return -1 }
        UnsafeMutableRawBufferPointer(start: buffer, count: length).copyBytes(from: piece)
        return piece.count
    }
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
