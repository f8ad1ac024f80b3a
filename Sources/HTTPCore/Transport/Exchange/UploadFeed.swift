#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The request's body as an exchange hands it out piece by piece; empty where the engine has it already.
struct UploadFeed {
    private var stream: UploadStream?
    private var hasGivenOfStream = false
    /// The engine wants to start anew, which a stream cannot.
    private var isSpent = false

    mutating func set(_ stream: UploadStream) { self.stream = stream }

    /// Lets go of what belongs to the caller.
    mutating func clear() {
        guard stream != nil else { return }
        stream = nil
        hasGivenOfStream = false
        isSpent = false
    }

    /// Whether all of it was handed out.
    var isEmpty: Bool { stream?.isFinished ?? true }

    /// Copies the next part to `room`; 0 at the end. Nil when the engine must not go on.
    mutating func give(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int? {
        if isSpent { return nil }
        hasGivenOfStream = stream != nil
        return try stream?.give(into: room) ?? 0
    }

    /// Whether it can start anew at `offset`. The engine asks for it also ahead of a second try, which it will be kept
    /// from; so a stream that has begun only must not be read on.
    mutating func rewind(to offset: Int64) -> Bool {
        if stream != nil { isSpent = hasGivenOfStream }
        return offset == 0
    }
}

/// What a request sends in one exchange.
enum UploadContent {
    case none
    case bytes(Data)
    case stream(UploadStream)

    /// A body in memory up to `inlineLimit` bytes is given to the engine as it is; any other is handed out.
    init(_ request: Request, inlineLimit: Int) throws(BodyProblem) {
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
