public import HTTPFoundation

/// The body of a request, with its media type.
///
/// A body describes how to make the bytes: each exchange of a call opens it again, so redirects and retries can send it
/// again. A single-use body (`isReplayable` is false) cannot be sent again: the call fails instead.
public struct RequestBody: Sendable, Hashable {
    /// The content of a body.
    public enum Content: Sendable, Hashable {
        /// No body.
        case empty
        /// Bytes in memory.
        case data(Data)
        /// The path of a file, which is read while it is sent.
        case file(String)
        /// Bytes from a source, which is opened when the exchange starts.
        case stream(StreamBody)
        /// The parts of a form (RFC 7578), or of another multipart body, which are read while they are sent.
        case multipart(MultipartBody)
    }

    /// Nil for the empty body without a media type. It is an object, so that copying a request copies one reference.
    private let storage: Storage?

    private final class Storage: Sendable {
        let content: Content
        let contentType: String?

        init(_ content: Content, _ contentType: String?) {
            self.content = content
            self.contentType = contentType
        }
    }

    /// A body of `content`. `contentType` is sent as Content-Type unless the request sets its own; nil sends none.
    public init(_ content: Content, contentType: String? = nil) {
        storage = content == .empty && contentType == nil ? nil : Storage(content, contentType)
    }

    /// No body, the default.
    public static let empty = RequestBody(.empty)

    /// The content of the body.
    public var content: Content { storage?.content ?? .empty }
    /// The Content-Type the request gets unless the caller set one.
    public var contentType: String? { storage?.contentType }

    public static func == (lhs: RequestBody, rhs: RequestBody) -> Bool {
        lhs.storage === rhs.storage || (lhs.content == rhs.content && lhs.contentType == rhs.contentType)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(content)
        hasher.combine(contentType)
    }

    /// Bytes in memory, sent without a copy. A `contentType` of nil, the default, sends no Content-Type; that of the
    /// step `.data` is `application/octet-stream`.
    public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
        RequestBody(.data(data), contentType: contentType)
    }

    /// Text in UTF-8, as `text/plain; charset=utf-8`.
    public static func text(_ text: String) -> RequestBody {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    /// A form, `application/x-www-form-urlencoded` (WHATWG URL §5.2). Items keep their order.
    public static func form(_ items: [QueryItem]) -> RequestBody {
        .data(Data(FormEncoding.encode(items).utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// The regular file at `path`. Each exchange opens it when it starts and announces its current length. The call
    /// fails with `.body` if the file cannot be read, or if its length has changed when it is sent.
    public static func file(
        _ path: some FileLocation, contentType: String? = "application/octet-stream"
    ) -> RequestBody {
        RequestBody(.file(path.filePath), contentType: contentType)
    }

    /// Bytes from a source, read while they are sent.
    ///
    /// - Parameters:
    ///   - contentType: The media type; nil sends no Content-Type.
    ///   - length: The number of bytes. A source that gives more or fewer fails the call with `.body`; a surplus is
    ///     detected when the source is read to its end. Nil, the default, for unknown: the body is sent in chunks on
    ///     HTTP/1.1, which an HTTP/1.0 server does not understand.
    ///   - replayable: Whether a new source can be made each time. With false, `makeSource` is called once, a 307
    ///     or 308 that needs it again fails the call, and `.retry()` does not repeat it. With true it fails, too, if the source
    ///     has no bytes where the one before it had some, or reads on from a descriptor that was read before.
    ///   - makeSource: Makes a source that starts at the first byte, for one exchange. It is called on the thread of
    ///     the call.
    public static func stream(
        length: Int64? = nil, contentType: String? = "application/octet-stream", replayable: Bool = true,
        makeSource: @escaping @Sendable () throws -> BodySource
    ) -> RequestBody {
        let stream = StreamBody(length: length, isReplayable: replayable, makeSource: makeSource)
        return RequestBody(.stream(stream), contentType: contentType)
    }

    /// A form with files (RFC 7578), or the parts of a `.related` or `.mixed` body.
    public static func multipart(_ body: MultipartBody) -> RequestBody {
        RequestBody(.multipart(body), contentType: body.contentType)
    }

    /// The number of bytes that will be sent. Nil if it is not known in advance: for a stream of unknown length, a
    /// file, and a multipart body that contains one of them.
    public var length: Int64? {
        switch content {
        case .empty: 0
        case .data(let data): Int64(data.count)
        case .file: nil
        case .stream(let stream): stream.length
        case .multipart(let form): form.count
        }
    }

    /// Whether there is certainly nothing to send.
    public var isEmpty: Bool { length == 0 }

    /// Whether the body can be sent more than once. Check it before a request is sent again.
    public var isReplayable: Bool {
        switch content {
        case .empty, .data, .file: true
        case .stream(let stream): stream.isReplayable
        case .multipart(let form): form.parts.allSatisfy(\.body.isReplayable)
        }
    }

    /// Whether the time to send or make it depends on the caller's disk or source.
    package var isStreamed: Bool {
        switch content {
        case .empty, .data: false
        case .file, .stream: true
        case .multipart(let form): form.parts.contains(where: \.body.isStreamed)
        }
    }

    /// What is wrong with the body, as a phrase. It is known before anything is opened.
    var defect: String? {
        switch content {
        case .empty, .data: nil
        case .file(let path):
            FilePlace.defect(of: path).map { "the path \(path.debugDescription) of the file to send \($0)" }
        case .stream(let stream):
            stream.length.flatMap { $0 < 0 ? "the length of the body is \($0): it cannot be negative" : nil }
        case .multipart(let form): form.defect
        }
    }

    /// The body for one exchange, from its first byte.
    package func open() throws(BodyProblem) -> UploadStream {
        switch content {
        case .empty: try UploadStream(length: 0, BodySource { _ in 0 })
        case .data(let data): try UploadStream(length: Int64(data.count), .data(data))
        case .file(let path): try UploadStream(FileReader(path))
        case .stream(let stream): try stream.open()
        case .multipart(let form): try form.open()
        }
    }

    /// The length that the body would have if it were opened now; nil if only the end tells.
    package func currentCount() throws(BodyProblem) -> Int64? {
        switch content {
        case .empty, .data, .stream: length
        case .file(let path): try FileReader(path).size
        case .multipart(let form): try form.currentCount()
        }
    }
}
