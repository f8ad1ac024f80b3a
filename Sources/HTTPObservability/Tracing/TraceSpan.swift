/// A span of a trace as a plain value: pass it to any exporter, or write it as OTLP (`OTLP.json`).
///
/// Names of attributes and the rules for them are OpenTelemetry's semantic conventions for HTTP client spans, version 1.38.
public struct TraceSpan: Sendable, Hashable {
    /// The kind of work that a span covers.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// The whole call.
        case `internal`
        /// One exchange.
        case client
    }

    /// The value of an attribute.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Value: Sendable, Hashable {
        /// A text.
        case string(String)
        /// A whole number.
        case int(Int64)
        /// Several texts.
        case strings([String])
    }

    /// The method; for a whole call `GET call`.
    public var name: String
    /// Whether it covers a call or an exchange.
    public var kind: Kind
    /// The trace that it belongs to.
    public var traceID: TraceID
    /// Identifies the span within its trace.
    public var spanID: SpanID
    /// Nil for the root of a trace.
    public var parentID: SpanID?
    /// The `tracestate` that was sent with it; empty for none.
    public var traceState: String
    /// The start, in nanoseconds since 1970.
    public var start: UInt64
    /// The end, in nanoseconds since 1970.
    public var end: UInt64
    /// Attributes by their names.
    public var attributes: [String: Value]
    /// The error that makes it count as failed; nil if it does not.
    public var error: String?
}

extension TraceSpan {
    /// The methods that the conventions know; others are `_OTHER`.
    private static let knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE", "QUERY",
    ]

    /// Method and server, which every span of a call has.
    static func attributes(of request: Request) -> [String: Value] {
        let method = request.method.rawValue
        let isKnown = knownMethods.contains(method)
        var attributes: [String: Value] = [
            "url.full": .string(
                ASCII.printable(Redaction.url(request.url).replacing(Redaction.mask, with: "REDACTED"))),
            "server.address": .string(HostName.canonical(request.origin.host)),
            "server.port": .int(Int64(request.origin.port)),
            "http.request.method": .string(isKnown ? method : "_OTHER"),
        ]
        if !isKnown { attributes["http.request.method_original"] = .string(method) }
        return attributes
    }

    static func name(_ method: HTTPMethod) -> String {
        knownMethods.contains(method.rawValue) ? method.rawValue : "HTTP"
    }

    /// A client span counts as failed from status 400 on.
    mutating func set(_ status: HTTPStatus) {
        attributes["http.response.status_code"] = .int(Int64(status.rawValue))
        guard status.rawValue >= 400 else { return }
        attributes["error.type"] = .string("\(status.rawValue)")
        error = ""
    }

    /// The `HTTPError.name` of an exchange that failed for that reason; nil if others fail for it, too.
    static func errorType(_ reason: String) -> String? {
        reason.hasPrefix("timed out") ? "timeout" : errorTypes[reason]
    }

    private static let errorTypes = [
        "cancelled": "cancelled", "no address": "name_resolution", "destination refused": "destination_refused",
        "connection refused": "connection", "connection failed": "connection", "TLS failed": "tls",
        "invalid response": "protocol", "body cut short": "truncated_body", "response too large": "limit_exceeded",
        "body failed": "body",
    ]

    mutating func fail(_ type: String, _ reason: String) {
        attributes["error.type"] = .string(type)
        error = reason
    }
}

extension HTTPError {
    /// What failed, as one of a few words for metrics and spans (`error.type`): `timeout`, `connection`, `tls`. The status for
    /// `.unacceptableStatus`, and the failure's own `name` for `.other`.
    public var name: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .unsupported: "unsupported"
        case .cancelled: "cancelled"
        case .timedOut: "timeout"
        case .resolution: "name_resolution"
        case .destinationRefused: "destination_refused"
        case .connection: "connection"
        case .tls: "tls"
        case .protocolViolation: "protocol"
        case .truncatedBody: "truncated_body"
        case .limitExceeded: "limit_exceeded"
        case .body: "body"
        case .interceptor: "interceptor"
        case .redirect: "redirect"
        case .unacceptableStatus(let response): "\(response.status.rawValue)"
        case .decoding: "decoding"
        case .other(let failure): failure.name
        }
    }
}
