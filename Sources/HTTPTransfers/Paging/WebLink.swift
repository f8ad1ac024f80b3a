/// A link to another resource: one of the values of a response's Link fields (RFC 8288 §3).
public struct WebLink: Sendable, Hashable {
    /// The target as written, usually relative to the URL of the response.
    public let target: String
    /// The relation types, in lower case: `next`, `last`.
    public let relations: [String]
    /// The parameters with names in lower case and unquoted values, including `rel`. If a parameter occurs twice, the
    /// first counts.
    public let parameters: [String: String]

    /// The links in the values of Link fields, in order. Invalid input ends its field, because the rest might be part
    /// of it; that rest is `unread`.
    static func all(in fields: [String]) -> (links: [WebLink], unread: [String]) {
        var (links, unread): ([WebLink], [String]) = ([], [])
        for field in fields {
            var scanner = LinkScanner(Array(field.utf8)[...])
            while let link = scanner.next() { links.append(link) }
            if let rest = scanner.unread { unread.append(rest) }
        }
        return (links, unread)
    }

    /// Whether it is a link from the response itself with `relation`, which is in lower case.
    func isLink(_ relation: String) -> Bool { relations.contains(relation) && parameters["anchor"] == nil }

    fileprivate init(target: String, parameters: [String: String]) {
        self.target = target
        self.parameters = parameters
        relations = (parameters["rel"] ?? "").split { $0 == " " || $0 == "\t" }.map { ASCII.lowercased($0) }
    }
}

extension WebLink: CustomStringConvertible {
    /// The target with its relations, secrets masked and invisible characters escaped.
    public var description: String {
        ASCII.printable("<\(Redaction.urlText(target))>; rel=\"\(relations.joined(separator: " "))\"")
    }
}

extension Response {
    /// The links of the response's Link fields, in order.
    public var links: [WebLink] { WebLink.all(in: headers.values(for: "Link")).links }

    /// The target of the link with that relation, such as `next`. Nil if there is none, or if it is not an http or
    /// https URL. It is read like a Location field: a space or a backslash is percent-encoded. Links with another
    /// context (`anchor`) do not count.
    public func link(_ relation: String) -> HTTPURL? {
        let relation = ASCII.lowercased(relation)
        return links.first { $0.isLink(relation) }.flatMap { try? url.resolving($0.target, spelling: .fromServer) }
    }
}

/// Parses a Link field (RFC 8288, appendix B.2).
private struct LinkScanner {
    private var rest: ArraySlice<UInt8>
    /// The invalid rest of the field, after the last link; nil if there is none.
    private(set) var unread: String?

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> WebLink? {
        skip { $0 == UInt8(ascii: ",") || ASCII.isBlank($0) }
        let start = rest
        guard !rest.isEmpty else { return nil }
        guard take(UInt8(ascii: "<")), let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return stop(at: start) }
        let target = String(ASCII.trimmed(Substring(decoding: rest[..<end], as: UTF8.self)))
        rest = rest[(end + 1)...]
        var parameters: [String: String] = [:]
        while true {
            skip(ASCII.isBlank)
            guard take(UInt8(ascii: ";")) else { break }
            guard let (name, value) = parameter() else { continue }
            if parameters[name] == nil { parameters[name] = value }
        }
        guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return stop(at: start) }
        return WebLink(target: target, parameters: parameters)
    }

    private mutating func stop(at start: ArraySlice<UInt8>) -> WebLink? {
        unread = String(decoding: start, as: UTF8.self)
        rest = []
        return nil
    }

    private mutating func parameter() -> (String, String)? {
        skip(ASCII.isBlank)
        let name = ASCII.lowercased(text { !ASCII.isBlank($0) && !Self.isDelimiter($0) && $0 != UInt8(ascii: "=") })
        skip(ASCII.isBlank)
        guard take(UInt8(ascii: "=")) else { return name.isEmpty ? nil : (name, "") }
        skip(ASCII.isBlank)
        return (name, quoted() ?? text { !ASCII.isBlank($0) && !Self.isDelimiter($0) })
    }

    /// The unescaped text between quotes; nil without quotes. A missing closing quote counts as the end.
    private mutating func quoted() -> String? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var value: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            value.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func text(_ isPart: (UInt8) -> Bool) -> String {
        let part = rest.prefix(while: isPart)
        rest = rest.dropFirst(part.count)
        return String(decoding: part, as: UTF8.self)
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",") }
}
