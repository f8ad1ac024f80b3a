import HTTPFoundation

/// The request body, supplied piece by piece; empty if the engine has it already.
struct UploadReader {
    /// An object, because most exchanges have none and are smaller without it.
    private final class Stream {
        var rest: UploadStream
        let trailers: RequestTrailers?
        /// Whether it has begun.
        var isGiven = false
        /// The engine wants to restart, which a stream cannot.
        var isSpent = false
        /// Whether it waits for its source. The transfer is then paused.
        var isHeld = false
        /// Whether the engine gets nothing more of it: the transfer stays paused.
        var isRefused = false
        /// Whether it ends here, whatever its source has.
        var hasEnded = false

        init(_ stream: UploadStream, _ trailers: RequestTrailers?) { (rest, self.trailers) = (stream, trailers) }
    }

    private var stream: Stream?

    init() {}

    init(_ stream: UploadStream, trailers: RequestTrailers?) { self.stream = Stream(stream, trailers) }

    /// The trailer fields.
    var trailers: RequestTrailers? { stream?.trailers }

    /// Gives the body up, if the engine has read nothing of it.
    mutating func takeUnread() -> UploadStream? {
        guard let stream = stream.take(), !stream.isGiven else { return nil }
        return stream.rest
    }

    /// Releases the caller's objects.
    mutating func clear() {
        if stream != nil { stream = nil }
    }

    /// Whether all of it was supplied.
    var isEmpty: Bool { stream?.rest.isFinished ?? true }

    /// Whether more than 1 MiB of it may be left.
    var hasMuchLeft: Bool {
        guard let rest = stream?.rest, !rest.isFinished else { return false }
        return (rest.length ?? .max) - rest.given > 1 << 20
    }

    /// How many bytes were supplied.
    var given: Int64 { stream?.rest.given ?? 0 }

    /// Whether the engine asks for it in pieces.
    var isStream: Bool { stream != nil }

    /// Whether it waits for its source.
    var isHeld: Bool { stream?.isHeld ?? false }

    /// Copies the next part to `room`; 0 at the end. Nil when the engine must stop. If `isHeld` afterwards, nothing was
    /// copied, and `resume` is called when there is more.
    func give(
        into room: UnsafeMutableRawBufferPointer, orCall resume: (@Sendable () -> Void)?
    ) throws(BodyProblem) -> Int? {
        guard let stream else { return 0 }
        if stream.isSpent { return nil }
        if stream.hasEnded || stream.isRefused {
            stream.isHeld = !stream.hasEnded
            return 0
        }
        stream.isGiven = true
        stream.isHeld = resume.map { !stream.rest.isReady(orCall: $0) } ?? false
        if stream.isHeld { return 0 }
        return try stream.rest.give(into: room)
    }

    /// Whether the engine has read nothing of it.
    var isUnread: Bool { stream.map { !$0.isGiven } ?? false }

    /// Gives nothing from here on: the transfer is paused.
    func hold() { stream?.isRefused = true }

    /// Ends it here.
    func end() { stream?.hasEnded = true }

    /// Whether it was ended before its source was.
    var hasEnded: Bool { stream?.hasEnded ?? false }

    /// Whether it can restart at `offset`. The engine also asks before a retry that will be refused, so a stream that
    /// has begun is only marked as not readable any further.
    func rewind(to offset: Int64) -> Bool {
        if let stream { stream.isSpent = stream.isGiven }
        return offset == 0
    }
}

/// The body of a request in one exchange.
enum PreparedBody {
    case none
    case bytes(Data)
    case stream(UploadStream)

    /// A body in memory up to `inlineLimit` bytes is given to the engine whole; any other is supplied in pieces, and so
    /// is one with trailers.
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

    /// Nil if it is not known in advance.
    var count: Int64? {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let stream): stream.length
        }
    }
}
