#if !canImport(FoundationNetworking)
import Foundation
import HTTPCore

/// A streamed body on its way into the session: pulled from its source and written to a bound pair of streams by the
/// calling thread, of which the session reads one.
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
        carrier = try UploadCarrier()
    }

    /// Whether the task can be started.
    var isReady: Bool { true }
    mutating func prepare() throws(BodyProblem) {}

    /// Moves one piece on, if there is room.
    mutating func pump() throws(BodyProblem) -> Progress {
        guard !isFinished else { return .finished }
        if written == piece.count, !stream.isFinished { try fill() }
        if written < piece.count {
            let count = try carrier.write(piece[written...])
            guard count > 0 else { return .full }
            written += count
        }
        if written == piece.count, stream.isFinished {
            isFinished = true
            carrier.finish()
        }
        return .moved
    }

    private mutating func fill() throws(BodyProblem) {
        var problem: BodyProblem?
        piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { room, count in
            do throws(BodyProblem) { count = try stream.give(into: UnsafeMutableRawBufferPointer(room)) } catch {
                problem = error
            }
        }
        written = 0
        if let problem { throw problem }
    }

    /// How the body is announced: the system knows nothing of a stream's length.
    var framing: (name: String, value: String)? { stream.length.map { ("Content-Length", "\($0)") } }
}

/// The streams a body goes through.
final class UploadCarrier: Sendable {
    private let streams: StreamPair

    init() throws(BodyProblem) {
        guard let streams = StreamPair(capacity: 64 << 10) else {
            throw BodyProblem(.source, StreamFailure(description: "no bound streams can be had"))
        }
        self.streams = streams
        streams.writer.open()
    }

    var reader: InputStream { streams.reader }

    /// How many of `bytes` there was room for.
    func write(_ bytes: ArraySlice<UInt8>) throws(BodyProblem) -> Int {
        let writer = streams.writer
        guard writer.hasSpaceAvailable else { return 0 }
        let count = bytes.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.map { writer.write($0, maxLength: bytes.count) } ?? 0
        }
        guard count >= 0 else {
            throw BodyProblem(.source, writer.streamError ?? StreamFailure(description: "the stream is closed"))
        }
        return count
    }

    /// The body is whole.
    func finish() { streams.writer.close() }
}

/// A pair of streams that cannot be made or written to.
struct StreamFailure: Error, CustomStringConvertible {
    let description: String
}
#endif
