#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a request carries behind its head, and the media type it says it is.
///
/// A body can be sent any number of times, so redirects and retries replay it.
public struct RequestBody: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        case empty
        case data(Data)
    }

    public let content: Content
    /// The Content-Type the request gets unless the caller set one.
    public let contentType: String?

    public init(_ content: Content, contentType: String? = nil) {
        self.content = content
        self.contentType = contentType
    }

    public static let empty = RequestBody(.empty)

    public static func data(_ data: Data, contentType: String? = nil) -> RequestBody {
        RequestBody(.data(data), contentType: contentType)
    }

    public static func text(_ text: String) -> RequestBody {
        .data(Data(text.utf8), contentType: "text/plain; charset=utf-8")
    }

    public static func form(_ items: [QueryItem]) -> RequestBody {
        .data(Data(FormEncoding.encode(items).utf8), contentType: "application/x-www-form-urlencoded")
    }

    /// The number of bytes that will be sent.
    public var count: Int {
        switch content {
        case .empty: 0
        case .data(let data): data.count
        }
    }

    public var isEmpty: Bool { count == 0 }
}
