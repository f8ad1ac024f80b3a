#if !canImport(FoundationNetworking)
import Foundation

/// A streamed body for the session. The session reads a file by itself. For a source, the calling thread writes to a
/// bound pair of streams, and the session reads from the other end.
struct SessionUpload {
    private static let pieceSize = 64 << 10

    let carrier: UploadCarrier
    private var stream: UploadStream
    private var piece: [UInt8] = []
    private var written = 0
    private var isFinished = false

    enum Progress { case moved, full, finished }

    init(_ body: RequestBody) throws(BodyProblem) {
        stream = try body.open()
        if case .file(let path) = body.content { carrier = .file(path) } else { carrier = try .bound() }
    }

    /// Whether the task can be started.
    var isReady: Bool { true }
    mutating func prepare() throws(BodyProblem) {}

    /// Moves one piece, if there is room.
    mutating func pump() throws(BodyProblem) -> Progress {
        guard !isFinished, case .streams(let streams) = carrier else { return .finished }
        if written == piece.count, !stream.isFinished {
            piece = try stream.piece(atMost: Self.pieceSize)
            written = 0
        }
        if written < piece.count {
            let count = try streams.write(piece[written...])
            guard count > 0 else { return .full }
            written += count
        }
        if written == piece.count, stream.isFinished {
            isFinished = true
            streams.writer.close()
        }
        return .moved
    }

    /// `pump` throws what is wrong.
    var problem: BodyProblem? { nil }
    var isRefused: Bool { false }

    /// The framing of the body: the system knows the length of a file, but not of a stream.
    var framing: [(name: String, value: String)] {
        guard case .streams = carrier, let length = stream.length else { return [] }
        return [("Content-Length", "\(length)")]
    }
}

/// How a body reaches the session.
enum UploadCarrier: Sendable {
    case file(String)
    case streams(StreamPair)

    /// A new pair of streams, ready for writing.
    static func bound() throws(BodyProblem) -> UploadCarrier {
        guard let streams = StreamPair(capacity: 64 << 10) else {
            throw BodyProblem(.source, StreamFailure(description: "no bound streams are available"))
        }
        streams.writer.open()
        return .streams(streams)
    }
}

extension StreamPair {
    /// Writes as many of `bytes` as there is room for, and returns the number.
    fileprivate func write(_ bytes: ArraySlice<UInt8>) throws(BodyProblem) -> Int {
        guard writer.hasSpaceAvailable else { return 0 }
        let count = bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { writer.write($0, maxLength: bytes.count) } ?? 0
        }
        guard count >= 0 else {
            throw BodyProblem(.source, writer.streamError ?? StreamFailure(description: "the stream is closed"))
        }
        return count
    }
}

/// A pair of streams that cannot be made or written to.
struct StreamFailure: Error, CustomStringConvertible {
    let description: String
}
#endif
