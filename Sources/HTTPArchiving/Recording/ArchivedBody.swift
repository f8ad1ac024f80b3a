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
        if BodyKind(type).isText, let text = String(validating: data, as: UTF8.self) { return (text, nil) }
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

    /// Whether its type declares UTF-8 text.
    var isText: Bool {
        guard let type else { return isMissing }
        return isTextual && [nil, "utf-8", "utf8", "us-ascii"].contains(type.charset)
    }

    /// Whether it is text in any character set.
    var isTextual: Bool {
        guard let type else { return isMissing }
        return type.isJSON || type.isPropertyList || type.essence.hasPrefix("text/") || type.essence.hasSuffix("xml")
            || isForm || isMultipart
            || ["javascript", "ecmascript", "x-ndjson", "ndjson", "json-seq", "graphql", "yaml", "toml"]
                .contains { type.essence == "application/" + $0 }
    }

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
