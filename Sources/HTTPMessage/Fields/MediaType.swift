/// A media type with its parameters, as in a Content-Type field (RFC 9110 §8.3.1).
public struct MediaType: Sendable, Hashable, CustomStringConvertible {
    /// `type/subtype` in lower case.
    public let essence: String
    /// Names in lower case, values unquoted, in order.
    public let parameters: [Parameter]

    /// One `name=value` of a media type (RFC 9110 §5.6.6).
    public struct Parameter: Sendable, Hashable {
        /// The name in lower case.
        public let name: String
        /// The unquoted value, in the case it came in.
        public let value: String
    }

    /// Nil when `text` is not `type/subtype` followed by parameters.
    public init?(_ text: String) {
        let parts = QuotedString.split(text, at: UInt8(ascii: ";"))
        guard let first = parts.first else { return nil }
        let essence = ASCII.lowercased(ASCII.trimmed(first))
        let names = essence.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ ASCII.isToken(Substring($0)) }) else { return nil }
        self.essence = essence
        parameters = parts.dropFirst().compactMap(Self.parameter)
    }

    /// The parameters after the first semicolon of a field of this grammar.
    package static func parameters(in field: String) -> [Parameter] {
        QuotedString.split(field, at: UInt8(ascii: ";")).dropFirst().compactMap(parameter)
    }

    /// The first `charset` parameter that has a value, in lower case, without blanks and single quotes around it.
    public var charset: String? { charsetParameter.map { Self.label($0.value) } }

    private var charsetParameter: Parameter? {
        parameters.first { $0.name == "charset" && !Self.label($0.value).isEmpty }
    }

    private static func label(_ value: String) -> String {
        let text = ASCII.lowercased(ASCII.trimmed(value[...]))
        guard text.utf8.count > 1, text.hasPrefix("'"), text.hasSuffix("'") else { return text == "'" ? "" : text }
        return String(ASCII.trimmed(text.dropFirst().dropLast()))
    }

    /// The media type of a field that may be a list, or occur several times: the last valid member (Fetch, "extract a
    /// MIME type"). The charset of the first member of a type holds for those that follow without one, as long as the type
    /// stays. Nil if no member is valid.
    init?(list fields: [String]) {
        var (last, charset): (MediaType?, Parameter?) = (nil, nil)
        for member in fields.flatMap({ QuotedString.split($0, at: UInt8(ascii: ",")) }) {
            guard let type = MediaType(String(member)), type.essence != "*/*" else { continue }
            if type.essence != last?.essence { charset = type.charsetParameter }
            let kept = type.charset == nil ? charset : nil
            last = MediaType(essence: type.essence, parameters: type.parameters + (kept.map { [$0] } ?? []))
        }
        guard let last else { return nil }
        self = last
    }

    private init(essence: String, parameters: [Parameter]) {
        self.essence = essence
        self.parameters = parameters
    }

    /// Whether the content is JSON: `application/json`, `text/json` or any `+json` (RFC 6839 §3.1).
    public var isJSON: Bool { essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json") }

    /// Whether the content is text by its type: a form with files is not.
    package var isText: Bool {
        essence.hasPrefix("text/") || essence.hasSuffix("xml") || isPropertyList
            || ["json", "javascript", "ecmascript", "x-www-form-urlencoded", "graphql", "yaml", "toml"]
                .contains(where: essence.contains)
    }

    /// Whether the content is a property list. No media type is registered for it; `application/x-plist` is the usual
    /// one.
    public var isPropertyList: Bool {
        switch essence {
        case "application/x-plist", "application/plist", "application/x-bplist", "application/x-apple-binary-plist",
            "text/x-plist", "text/x-apple-plist+xml":
            true
        default: false
        }
    }

    public var description: String {
        essence
            + parameters.map { "; \($0.name)=\(ASCII.isToken($0.value) ? $0.value : QuotedString.quoted($0.value))" }
            .joined()
    }

    private static func parameter(_ text: Substring) -> Parameter? {
        let trimmed = ASCII.trimmed(text)
        guard let equals = trimmed.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        // Blanks around the equals sign are wrong, and common.
        let name = ASCII.lowercased(ASCII.trimmed(trimmed[..<equals]))
        guard ASCII.isToken(name) else { return nil }
        let value = ASCII.trimmed(trimmed[trimmed.utf8.index(after: equals)...])
        return Parameter(name: name, value: QuotedString.unquoted(value))
    }
}

extension HTTPHeaders {
    /// The media type of Content-Type; nil if there is none, or it is invalid.
    package var mediaType: MediaType? {
        guard let first = self["Content-Type"] else { return nil }
        // Nearly all fields are one type.
        if !first.utf8.contains(UInt8(ascii: ",")), let type = MediaType(first), type.essence != "*/*",
            values(for: "Content-Type").count == 1
        {
            return type
        }
        return MediaType(list: values(for: "Content-Type"))
    }
}
