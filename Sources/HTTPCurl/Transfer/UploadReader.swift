import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The request's body as an exchange hands it out piece by piece; empty where the engine has it already.
struct UploadReader {
    /// An object: most exchanges have none, and are smaller by its size.
    private final class Stream {
        var rest: UploadStream
        let trailers: RequestTrailers?
        /// Whether it has begun.
        var isGiven = false
        /// The engine wants to start anew, which a stream cannot.
        var isSpent = false

        init(_ stream: UploadStream, _ trailers: RequestTrailers?) { (rest, self.trailers) = (stream, trailers) }
    }

    private var stream: Stream?

    mutating func set(_ stream: UploadStream, trailers: RequestTrailers?) { self.stream = Stream(stream, trailers) }

    /// What is to be sent behind it.
    var trailers: RequestTrailers? { stream?.trailers }

    /// Lets go of what belongs to the caller.
    mutating func clear() {
        if stream != nil { stream = nil }
    }

    /// Whether all of it was handed out.
    var isEmpty: Bool { stream?.rest.isFinished ?? true }

    /// Copies the next part to `room`; 0 at the end. Nil when the engine must not go on.
    func give(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int? {
        guard let stream else { return 0 }
        if stream.isSpent { return nil }
        stream.isGiven = true
        return try stream.rest.give(into: room)
    }

    /// Whether it can start anew at `offset`. The engine asks for it also ahead of a second try, which it will be kept
    /// from; so a stream that has begun only must not be read on.
    func rewind(to offset: Int64) -> Bool {
        if let stream { stream.isSpent = stream.isGiven }
        return offset == 0
    }
}

/// What a request sends in one exchange.
enum PreparedBody {
    case none
    case bytes(Data)
    case stream(UploadStream)

    /// A body in memory up to `inlineLimit` bytes is given to the engine as it is; any other is handed out, and so is one
    /// with fields behind it.
    init(_ request: Request, inlineLimit: Int) throws(BodyProblem) {
        if request.trailers != nil {
            self = .stream(try request.openBody())
            return
        }
        switch request.body.content {
        case .empty: self = .none
        case .data(let data) where data.isEmpty && !request.watchesUpload: self = .none
        case .data(let data) where data.count <= inlineLimit && !request.watchesUpload: self = .bytes(data)
        case .data, .file, .stream, .multipart: self = .stream(try request.openBody())
        }
    }

    /// Nil when only the end tells.
    var count: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let stream): stream.length
        }
    }
}
