#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What went wrong, as a server says it in `application/problem+json` (RFC 9457).
///
///     catch { if error.problem?.type == "https://example.com/probs/out-of-credit" { … } }
public struct Problem: Sendable, Hashable {
    /// A URI that names the kind of problem; `about:blank` says no more than the status does.
    public var type: String
    /// The kind in words.
    public var title: String?
    /// The status the server says it gave; proxies may have changed the response's own.
    public var status: Int?
    /// What happened this time.
    public var detail: String?
    /// A URI that names this occurrence.
    public var instance: String?
    /// All other members.
    public var extensions: [String: JSONValue]

    /// A problem as a server would describe it, for tests and servers of your own.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil,
        instance: String? = nil, extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// A member of another type than the RFC says is taken as missing, as it demands (§3.1).
    init?(_ json: JSONValue) {
        guard let members = json.object else { return nil }
        let known = ["type", "title", "status", "detail", "instance"]
        self.init(
            type: json["type"].string ?? "about:blank", title: json["title"].string, status: json["status"].int,
            detail: json["detail"].string, instance: json["instance"].string,
            extensions: members.filter { !known.contains($0.key) })
    }
}

extension Response {
    /// The problem that the body describes; nil where its Content-Type is not `application/problem+json`, or it is no
    /// object.
    public var problem: Problem? {
        guard mediaType?.essence == "application/problem+json" else { return nil }
        return (try? json()).flatMap(Problem.init)
    }
}

extension HTTPError {
    /// The problem that a refused answer describes (RFC 9457); nil for every other error.
    public var problem: Problem? { response?.problem }
}
