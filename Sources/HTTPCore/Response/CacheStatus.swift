/// How a cache handled a request: the parameters of a Cache-Status field (RFC 9211), and further local details.
public struct CacheStatus: Sendable, Hashable {
    /// Why the request was sent to the server, as in the field (RFC 9211 §2.2).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Forward: String, Sendable, Hashable {
        /// The cache does not handle the request because of its body, range or URL, or because the store cannot be
        /// used.
        case bypass
        /// Responses to the method are not stored.
        case method
        /// Nothing is stored under the URL.
        case uriMiss = "uri-miss"
        /// The responses stored under the URL are for other request fields (Vary) or other credentials.
        case varyMiss = "vary-miss"
        /// A stored response could not be used for another reason.
        case miss
        /// The request's Cache-Control excluded the stored response.
        case request
        /// The stored response must be validated.
        case stale
        /// The stored response is incomplete.
        case partial
    }

    /// Nil for a hit, for which nothing was sent.
    public let forward: Forward?
    /// Whether the stored response was used without asking the server.
    public var isHit: Bool { forward == nil }
    /// The server's status, if the response has another: 304, or an error replaced by a stale response.
    public let forwardStatus: HTTPStatus?
    /// Whether this call stored the response.
    public let isStored: Bool
    /// Whether the response comes from the exchange of another call.
    public let isCollapsed: Bool
    /// Whether the body is from the store: for a hit, a validated response, or one that replaces a failure.
    public let isFromStore: Bool
    /// How long the response stays fresh, as of this call, in whole seconds. Negative if it is stale, nil if unknown.
    public let timeToLive: Duration?
    /// How long ago the server made or confirmed the response, in whole seconds, as in the Age field. Nil if the server
    /// did so in this exchange.
    public let age: Duration?
    /// The duration of the exchange of the stored response; nil if the response is not from the store.
    public let storedMetrics: Metrics?
    /// Further information, such as why a response could not be stored.
    public let detail: String?

    /// A short summary: `hit`, `revalidated` (the server answered 304), `stale` (the stored response replaces a
    /// failure), `miss` or `bypass`. It ends in `… with another call` if the exchange of another call served this one
    /// too.
    public var summary: String {
        let word =
            switch forward {
            case nil: "hit"
            case _? where isFromStore: forwardStatus == .notModified ? "revalidated" : "stale"
            case .bypass?, .method?: "bypass"
            case .uriMiss?, .varyMiss?, .miss?, .request?, .stale?, .partial?: "miss"
            }
        return isCollapsed ? "\(word) with another call" : word
    }

    package init(
        forward: Forward? = nil, forwardStatus: HTTPStatus? = nil, isStored: Bool = false, isCollapsed: Bool = false,
        isFromStore: Bool = false, timeToLive: Duration? = nil, age: Duration? = nil, storedMetrics: Metrics? = nil,
        detail: String? = nil
    ) {
        self.forward = forward
        self.forwardStatus = forwardStatus
        self.isStored = isStored
        self.isCollapsed = isCollapsed
        self.isFromStore = isFromStore
        self.timeToLive = timeToLive
        self.age = age
        self.storedMetrics = storedMetrics
        self.detail = detail
    }
}

extension CacheStatus: CustomStringConvertible {
    /// The text of a Cache-Status field: `straightline; hit; ttl=299`.
    public var description: String {
        var parts = ["straightline", forward.map { "fwd=\($0.rawValue)" } ?? "hit"]
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
        if isStored { parts.append("stored") }
        if isCollapsed { parts.append("collapsed") }
        if let timeToLive { parts.append("ttl=\(timeToLive.components.seconds)") }
        if let detail { parts.append("detail=\"\(detail.filter { $0 != "\"" && $0 != "\\" })\"") }
        return parts.joined(separator: "; ")
    }
}

package enum CacheStatusKey: MessageKey { package static let defaultValue: CacheStatus? = nil }

extension Response {
    /// How a cache around the client took part; nil without one (`Interceptor.cache(_:)`).
    public var cacheStatus: CacheStatus? { self[CacheStatusKey.self] }
}
