/// The request's body as an exchange hands it out: from memory, or from a stream.
struct UploadFeed {
    private static var nothing: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    private var whole = Self.nothing
    private var rest = Self.nothing
    private var stream: UploadStream?
    private var hasGivenOfStream = false
    /// The engine wants to start anew, which a stream cannot.
    private var isSpent = false

    mutating func set(_ bytes: UnsafeRawBufferPointer) {
        whole = bytes
        rest = bytes
    }

    mutating func set(_ stream: UploadStream) { self.stream = stream }

    /// Lets go of what belongs to the caller.
    mutating func clear() {
        set(Self.nothing)
        stream = nil
        hasGivenOfStream = false
        isSpent = false
    }

    /// Whether all of it was handed out.
    var isEmpty: Bool { stream?.isFinished ?? rest.isEmpty }

    /// Copies the next part to `room`; 0 at the end. Nil when the engine must not go on.
    mutating func give(into room: UnsafeMutableRawBufferPointer) throws(BodyProblem) -> Int? {
        if isSpent { return nil }
        hasGivenOfStream = stream != nil
        if let count = try stream?.give(into: room) { return count }
        let part = rest.prefix(room.count)
        room.copyBytes(from: part)
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
        return part.count
    }

    /// Whether it can start anew at `offset`. The engine asks for it also ahead of a second try, which it will be kept
    /// from; so a stream that has begun only must not be read on.
    mutating func rewind(to offset: Int64) -> Bool {
        if stream != nil {
            isSpent = hasGivenOfStream
            return offset == 0
        }
        guard offset >= 0, offset <= Int64(whole.count) else { return false }
        rest = UnsafeRawBufferPointer(rebasing: whole.dropFirst(Int(offset)))
        return true
    }
}

/// What a request sends in one exchange.
enum UploadContent {
    case bytes(UnsafeRawBufferPointer)
    case stream(UploadStream)

    static var none: UploadContent { .bytes(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// Nil when only the end tells.
    var count: Int64? {
        switch self {
        case .bytes(let bytes): Int64(bytes.count)
        case .stream(let stream): stream.length
        }
    }
}
