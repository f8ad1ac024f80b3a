public import HTTPFoundation
import HTTPTesting

/// A request as it arrived at a `MockServer`.
public struct ReceivedRequest: Sendable {
    /// The method, as spelled by the client.
    public let method: HTTPMethod
    /// The request target on the wire (RFC 9112 §3.2), usually a path with a query, not decoded.
    public let target: String
    /// The protocol version on the wire: `HTTP/1.1`, `HTTP/1.0` or `HTTP/2`.
    public let version: String
    /// The exact bytes of the request line, the header lines and the empty line. Over HTTP/2, where they are
    /// compressed, a line for each field, such as `:method: GET`.
    public let head: [UInt8]
    /// The header fields in the order received. Over HTTP/2 without pseudo-header fields, and with a `Host` made from
    /// `:authority` (RFC 9113 §8.3.1) at the start. See `HTTPHeaders` for values that are not UTF-8.
    public let headers: HTTPHeaders
    /// The body without its framing. It is truncated at the server's `bodyLimit`, and empty in a request that was
    /// answered early.
    public let body: [UInt8]
    /// The number of body bytes, even if `body` keeps fewer.
    public let bodyByteCount: Int
    /// The trailer fields (RFC 9110 §6.5).
    public let trailers: HTTPHeaders
    /// False in a request that was answered before its body was read.
    public let isBodyComplete: Bool
    /// The number of the connection it arrived on, from 1 in the order of acceptance.
    public let connection: Int
    /// The number of earlier requests on that connection.
    public let index: Int
    /// The number of its HTTP/2 stream (RFC 9113 §5.1.1); nil with HTTP/1.1.
    public let stream: Int?
    /// The result of the TLS handshake; nil on a plain connection.
    public let tls: TLSDetails?
    /// The values of the named parts of the route's path, percent-decoded, in its handler; empty in recorded requests.
    public internal(set) var pathParameters: [String: String] = [:]
}

extension ReceivedRequest {
    /// The body as UTF-8, with U+FFFD for invalid bytes.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The target without query, scheme and authority; not decoded.
    public var path: String {
        let beforeQuery = target.prefix { $0 != "?" }
        guard let authority = authorityStart else { return String(beforeQuery) }
        let path = beforeQuery[authority...].drop { $0 != "/" }
        return path.isEmpty ? "/" : String(path)
    }

    /// Only a proxy's target has a scheme and an authority; a path may contain a whole URL.
    private var authorityStart: String.Index? {
        target.hasPrefix("/") ? nil : target.prefix { $0 != "?" }.firstRange(of: "://")?.upperBound
    }

    /// The pairs of the query in order, decoded like a form: percent escapes, and a plus sign for a space. The value
    /// of a name without an equals sign is nil.
    public var queryItems: [QueryItem] { Self.queryItems(of: target) }

    static func queryItems(of target: String) -> [QueryItem] {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        return FormText.items(target[target.index(after: mark)...])
    }

    /// The value of `{name}` in the route's path, in its handler; empty if there is no such name, and in
    /// recorded requests.
    public subscript(name: String) -> String { pathParameters[name, default: ""] }

    /// The first value of `name` in the query; nil if there is none.
    public func query(_ name: String) -> String? { values(of: name).first }

    /// The pairs of a form (`application/x-www-form-urlencoded`) in order, decoded.
    public var formItems: [QueryItem] { FormText.items(text) }

    /// The body decoded from JSON.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder
    ) throws(DecodingError) -> Value {
        try decoder.value(type, from: bodyData)
    }
}

extension ReceivedRequest: MatchedRequest {
    /// The Host field of a request with a whole URL does not count (RFC 9112 §3.2.2).
    package var origin: Origin? {
        let url = authorityStart == nil ? "\(tls == nil ? "http" : "https")://\(headers["Host"] ?? "")" : target
        return (try? HTTPURL(url))?.origin
    }
    package var matchedPath: Substring { path.hasPrefix("/") ? path[...] : "/" + path }
    package var bodyData: Data { Data(body) }
}

extension ReceivedRequest: CustomStringConvertible {
    /// The request line, secret-looking values of its query masked, the place on the connection and the size of the body.
    public var description: String {
        ASCII.printable("\(method) \(Redaction.urlText(target)) \(version)")
            + " (connection \(connection), request \(index), \(bodyByteCount) body bytes)"
    }
}
