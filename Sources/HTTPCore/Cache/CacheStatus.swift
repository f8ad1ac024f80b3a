/// What a cache had to do with a response: the parameters of a Cache-Status field (RFC 9211) and what only this side knows.
public struct CacheStatus: Sendable, Hashable {
    /// Why the request was sent to the server (RFC 9211 §2.2).
    public enum Forward: String, Sendable, Hashable {
        /// The cache was not to handle it: its body, its range, its URL, a store that cannot be used.
        case bypass
        /// Its method is not one whose answers are stored.
        case method
        /// Nothing was stored under its URL.
        case uriMiss = "uri-miss"
        /// What was stored under its URL is for requests with other fields (Vary), or for other credentials.
        case varyMiss = "vary-miss"
        /// What was stored did not fit for another reason.
        case miss
        /// Its Cache-Control did not allow what was stored.
        case request
        /// What was stored has to be validated.
        case stale
        /// What was stored is only a part.
        case partial
    }

    /// One reference: hardly any response has one of these.
    private let content: Content

    private struct Values: Hashable {
        var forward: Forward?
        var forwardStatus: HTTPStatus?
        var isStored = false
        var isCollapsed = false
        var isFromStore = false
        var timeToLive: Int?
        var age: Int?
        var storedMetrics: Metrics?
        var detail: String?
    }

    private final class Content: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private init(_ values: Values) { content = Content(values) }

    /// Nil for a hit: nothing was sent.
    public var forward: Forward? { content.values.forward }
    /// Whether the stored response answered without a question to the server.
    public var isHit: Bool { forward == nil }
    /// The status of the server, if it is not that of the response: 304, or an error replaced by a stale response.
    public var forwardStatus: HTTPStatus? { content.values.forwardStatus }
    /// Whether the response is in the store now because of this call.
    public var isStored: Bool { content.values.isStored }
    /// Whether another call's exchange brought it.
    public var isCollapsed: Bool { content.values.isCollapsed }
    /// Whether the body is from the store: a hit, one that was validated, or one that stands in for a failed answer.
    public var isFromStore: Bool { content.values.isFromStore }
    /// For how many seconds the response stays fresh, as of this call; negative for one that is stale. Nil where that is not
    /// known.
    public var timeToLive: Int? { content.values.timeToLive }
    /// How many seconds ago the server made or confirmed the response, as the Age field says it. Nil for one that it made or
    /// confirmed now.
    public var age: Int? { content.values.age }
    /// The duration of the exchange of the stored response; nil if the response is not from the store.
    public var storedMetrics: Metrics? { content.values.storedMetrics }
    /// What else there is to say, in words: why a response could not be stored.
    public var detail: String? { content.values.detail }

    /// In a word or two: `hit`, `revalidated` (the server answered 304), `stale` (what is stored stands in for an answer that
    /// failed), `miss`, `bypass`, and `… with another call` where that one's exchange served this call, too.
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

    public static func == (one: CacheStatus, other: CacheStatus) -> Bool { one.content.values == other.content.values }

    public func hash(into hasher: inout Hasher) { hasher.combine(content.values) }
}

extension CacheStatus {
    /// Nothing was sent.
    static func hit(_ stored: CachedResponse, at now: Double, isCollapsed: Bool = false) -> CacheStatus {
        CacheStatus(
            Values(
                isCollapsed: isCollapsed, isFromStore: true, timeToLive: seconds(stored.freshness.timeLeft(at: now)),
                age: seconds(max(0, stored.freshness.age(at: now) ?? 0)), storedMetrics: stored.metrics))
    }

    /// The server's own response.
    static func forwarded(_ forward: Forward, stored: CachedResponse? = nil, at now: Double = 0, detail: String? = nil)
        -> CacheStatus
    {
        CacheStatus(
            Values(
                forward: forward, isStored: stored != nil,
                timeToLive: stored.flatMap { seconds($0.freshness.timeLeft(at: now)) }, detail: detail))
    }

    /// The stored response, for which the server's `status` speaks, or which stands in for that.
    static func fromStore(
        _ stored: CachedResponse, _ forward: Forward, _ status: HTTPStatus?, at now: Double, isStored: Bool,
        detail: String? = nil
    ) -> CacheStatus {
        CacheStatus(
            Values(
                forward: forward, forwardStatus: status, isStored: isStored, isFromStore: true,
                timeToLive: seconds(stored.freshness.timeLeft(at: now)),
                age: status == .notModified ? nil : seconds(max(0, stored.freshness.age(at: now) ?? 0)),
                storedMetrics: stored.metrics, detail: detail))
    }

    private static func seconds(_ time: Double) -> Int? { time.isFinite ? Int(time.rounded(.down)) : nil }
}

extension CacheStatus: CustomStringConvertible {
    /// As a Cache-Status field has it: `straightline; hit; ttl=299`.
    public var description: String {
        var parts = ["straightline", forward.map { "fwd=\($0.rawValue)" } ?? "hit"]
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
        if isStored { parts.append("stored") }
        if isCollapsed { parts.append("collapsed") }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if let detail { parts.append("detail=\"\(detail.filter { $0 != "\"" && $0 != "\\" })\"") }
        return parts.joined(separator: "; ")
    }
}
