#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a request carries behind its head, and the media type it says it is.
///
/// A body is a recipe: each exchange of a call opens it anew, so redirects and retries send it again. Only one that was
/// given for a single use (`isReplayable` is false) cannot be, and then the call fails instead.
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
        /// The parts of a form (RFC 7578), which are read while they are sent.
        case multipart(MultipartBody)
    }

    /// Nil for the empty body without a media type. An object, so that a request is copied in one piece with its body.
    private let storage: Storage?

    private final class Storage: Sendable {
        let content: Content
        let contentType: String?

        init(_ content: Content, _ contentType: String?) {
            self.content = content
            self.contentType = contentType
        }
    }

    /// A body of `content`. `contentType` is sent as Content-Type unless the request has one of its own; nil sends
    /// none.
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

    /// Bytes in memory, sent without another copy being kept.
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

    /// The regular file at `path`. Each exchange opens it when it starts and announces the length it has then; a file
    /// that cannot be read, or has another length by the time it is sent, fails the call with `.body`.
    public static func file(
        _ path: some FileLocation, contentType: String? = "application/octet-stream"
    ) -> RequestBody {
        RequestBody(.file(path.filePath), contentType: contentType)
    }

    /// What is pulled from a source while it is sent.
    ///
    /// - Parameters:
    ///   - contentType: The media type; nil sends no Content-Type.
    ///   - length: How many bytes there are. A source that gives more or fewer fails the call with `.body`, which for a
    ///     longer one takes reading it to its end. Nil, the default, for unknown: sent in chunks on HTTP/1.1, which a
    ///     server of HTTP/1.0 does not understand.
    ///   - replayable: Whether a new source can be made each time. With false, `makeSource` is called once, and what
    ///     would take a second time (a 307 or 308 redirect, a retry) fails the call.
    ///   - makeSource: Makes a source that starts at the first byte, for one exchange. It is called on the thread that
    ///     makes the call.
    public static func stream(
        length: Int64? = nil, contentType: String? = "application/octet-stream", replayable: Bool = true,
        makeSource: @escaping @Sendable () throws -> BodySource
    ) -> RequestBody {
        let stream = StreamBody(length: length, isReplayable: replayable, makeSource: makeSource)
        return RequestBody(.stream(stream), contentType: contentType)
    }

    /// A form with files (RFC 7578).
    public static func multipart(_ body: MultipartBody) -> RequestBody {
        RequestBody(.multipart(body), contentType: body.contentType)
    }

    /// The number of bytes that will be sent. Nil when that is known only once it is: for a stream of unknown length,
    /// for a file, and for a form that contains one of them.
    public var count: Int64? {
        switch content {
        case .empty: 0
        case .data(let data): Int64(data.count)
        case .file: nil
        case .stream(let stream): stream.length
        case .multipart(let form): form.count
        }
    }

    /// Whether there is surely nothing to send.
    public var isEmpty: Bool { count == 0 }

    /// Whether it can be sent more than once. What sends a request again asks this before.
    public var isReplayable: Bool {
        switch content {
        case .empty, .data, .file: true
        case .stream(let stream): stream.isReplayable
        case .multipart(let form): form.parts.allSatisfy(\.body.isReplayable)
        }
    }

    /// Whether sending or making it takes a time that nothing but the caller's disk or source decides.
    package var isStreamed: Bool {
        switch content {
        case .empty, .data: false
        case .file, .stream: true
        case .multipart(let form): form.parts.contains(where: \.body.isStreamed)
        }
    }

    /// What is wrong with it, known before anything is opened, as a phrase.
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
}
