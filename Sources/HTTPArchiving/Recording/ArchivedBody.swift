import HTTPFoundation

/// A body as stored in an archive.
enum ArchivedBody: Sendable {
    case none
    case data(Data)
    /// Not kept, with the reason; `size` is -1 if unknown.
    case left(size: Int64, reason: String)

    var size: Int64 {
        switch self {
        case .none: 0
        case .data(let data): Int64(data.count)
        case .left(let size, _): size
        }
    }

    var comment: String? { if case .left(_, let reason) = self { reason } else { nil } }

    static func tooLarge(_ size: Int64, limit: Int) -> ArchivedBody {
        .left(size: size, reason: "not kept: it has more than the \(limit) bytes that bodyLimit allows")
    }

    /// The text and its encoding: nil for plain text, `base64` for bytes.
    func text(_ type: String?) -> (text: String, encoding: String?) {
        guard case .data(let data) = self else { return ("", nil) }
        if let text = BodyKind(type).text(data) { return (text, nil) }
        return (data.base64EncodedString(), "base64")
    }
}

/// What a Content-Type says about a body.
struct BodyKind {
    private let type: MediaType?
    private let isMissing: Bool

    init(_ text: String?) {
        type = text.flatMap(MediaType.init)
        isMissing = text?.isEmpty ?? true
    }

    /// The body, if it is UTF-8 text: whatever the type, since much JSON is sent as something else, and nearly nothing but text
    /// is valid UTF-8. Nil if the type declares another character set.
    func text(_ data: Data) -> String? {
        guard [nil, "utf-8", "utf8", "us-ascii"].contains(type?.charset), !data.contains(0) else { return nil }
        return String(validating: data, as: UTF8.self)
    }

    /// Whether it is text in any character set, as far as its type tells. One that is no media type, such as the `x-unknown` of
    /// Chrome, does not.
    var isTextual: Bool { type?.isText ?? isMissing || isMultipart }

    /// Whether it is an HTTP message, as in a batch (RFC 9112 §10.2).
    var isMessage: Bool { type?.essence == "application/http" }
    var isForm: Bool { type?.essence == "application/x-www-form-urlencoded" }
    /// Pages of HTML are not: their elements are not closed.
    var isXML: Bool {
        guard let type, type.essence != "application/xhtml+xml" else { return false }
        return type.isPropertyList || type.essence.hasSuffix("/xml") || type.essence.hasSuffix("+xml")
    }
    var isMultipart: Bool { type?.essence.hasPrefix("multipart/") ?? false }
    var boundary: String? { type?.parameters.first { $0.name == "boundary" }?.value }
}
