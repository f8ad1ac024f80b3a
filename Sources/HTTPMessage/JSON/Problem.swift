import HTTPFoundation

/// An error description in `application/problem+json` (RFC 9457).
///
///     catch { if error.problem?.type == "https://example.com/probs/out-of-credit" { … } }
public struct Problem: Sendable, Hashable {
    /// A URI that identifies the problem type; `about:blank` adds nothing to the status.
    public var type: String
    /// A short summary of the problem type.
    public var title: String?
    /// The status that the server says it sent. A proxy may have changed the status of the response.
    public var status: HTTPStatus?
    /// An explanation of this occurrence.
    public var detail: String?
    /// A URI that identifies this occurrence.
    public var instance: String?
    /// All other members.
    public var extensions: [String: JSONValue]

    /// A problem as a server would describe it, for tests and mock servers.
    public init(
        type: String = "about:blank", title: String? = nil, status: HTTPStatus? = nil, detail: String? = nil,
        instance: String? = nil, extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// A member of the wrong type counts as missing, as RFC 9457 §3.1 requires.
    package init?(_ json: JSONValue) {
        guard let members = json.object else { return nil }
        let known = ["type", "title", "status", "detail", "instance"]
        self.init(
            type: json["type"].string ?? "about:blank", title: json["title"].string,
            status: json["status"].int.map { HTTPStatus($0) },
            detail: json["detail"].string, instance: json["instance"].string,
            extensions: members.filter { !known.contains($0.key) })
    }
}

extension Problem: Encodable {
    /// The members as one JSON object. One of `extensions` with the name of a standard member is left out.
    public func encode(to encoder: any Encoder) throws {
        var members = extensions
        members["type"] = .string(type)
        members["title"] = title.map { .string($0) }
        members["status"] = status.map { .integer(Int64($0.rawValue)) }
        members["detail"] = detail.map { .string($0) }
        members["instance"] = instance.map { .string($0) }
        try JSONValue.object(members).encode(to: encoder)
    }
}

extension Problem: CustomStringConvertible {
    /// The members on one line, `Out of credit (403): your balance is 30 (https://…)`, with invisible characters escaped.
    /// `extensions` are left out.
    public var description: String {
        let end = [detail.map { ": " + $0 }, type == "about:blank" ? nil : " (\(type))", instance.map { " at " + $0 }]
        let start = title ?? (type == "about:blank" ? "a problem" : "")
        let text = start + (status.map { " (\($0))" } ?? "") + end.compactMap(\.self).joined()
        return ASCII.printable(text.first == " " ? String(text.dropFirst()) : text)
    }
}
