/// A stored response without its body. An immutable object, shared by all calls that it answers.
final class CachedResponse: Sendable {
    let key: CacheKey
    let variant: CacheVariant
    let status: HTTPStatus
    let reason: String
    let version: HTTPVersion
    /// The header fields, except those of one connection.
    let headers: HTTPHeaders
    /// When it was requested and received, in seconds since 1970. For a validated response, those of the validation.
    let requestTime: Double
    let responseTime: Double
    /// The metrics of the exchange that delivered the body.
    let metrics: Metrics
    let bodyByteCount: Int64

    // Computed from the headers once, since every request uses them.
    let control: CacheControl
    let freshness: Freshness
    let entityTag: String?
    let lastModified: String?

    init(
        key: CacheKey, variant: CacheVariant, status: HTTPStatus, reason: String, version: HTTPVersion,
        headers: HTTPHeaders, requestTime: Double, responseTime: Double, metrics: Metrics, bodyByteCount: Int64,
        facts: Facts? = nil
    ) {
        self.key = key
        self.variant = variant
        self.status = status
        self.reason = reason
        self.version = version
        self.headers = headers
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.metrics = metrics
        self.bodyByteCount = bodyByteCount
        let facts =
            facts ?? Facts(headers, status: status, requestTime: requestTime, responseTime: responseTime)
        control = facts.control
        freshness = facts.freshness
        entityTag = headers["ETag"].flatMap(Self.sendable)
        lastModified = headers["Last-Modified"].flatMap(Self.sendable)
    }

    /// The parsed header fields.
    struct Facts: Sendable {
        let control: CacheControl
        let freshness: Freshness
        let requestTime: Double

        init(_ headers: HTTPHeaders, status: HTTPStatus, requestTime: Double, responseTime: Double) {
            self.requestTime = requestTime
            control = CacheControl(headers.values(for: "Cache-Control"))
            freshness = Freshness(
                headers, control, status: status, requestTime: requestTime, responseTime: responseTime)
        }
    }

    /// `value` if it may occur in a request; a server's value may be invalid there.
    private static func sendable(_ value: String) -> String? {
        value.isEmpty || !ASCII.isFieldValue(value) ? nil : value
    }

    /// Whether it answers a later request (RFC 9111 §4). If it comes from the future, the clock was set back.
    func isLater(than other: CachedResponse) -> Bool {
        requestTime > other.requestTime && requestTime <= other.responseTime
    }

    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// The approximate size in memory, in bytes, without the body.
    var headByteCount: Int {
        headers.reduce(512 + key.target.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
            + variant.byteCount
    }

    /// The same representation with newer fields (RFC 9111 §4.3.4), or for another variant.
    func updated(
        _ headers: HTTPHeaders, _ variant: CacheVariant, requestTime: Double, responseTime: Double
    ) -> CachedResponse {
        CachedResponse(
            key: key, variant: variant, status: status, reason: reason, version: version, headers: headers,
            requestTime: requestTime, responseTime: responseTime, metrics: metrics, bodyByteCount: bodyByteCount)
    }
}

/// Which response fields are stored, and which of them a newer response replaces.
enum CachedFields {
    /// The fields of one connection, and those for a proxy (RFC 9111 §3.1).
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]
    /// The fields that describe the stored bytes (§3.2): they are not replaced.
    private static let ofBody: Set<String> = [
        "content-encoding", "content-length", "content-range",
    ]

    /// The fields that may be stored.
    static func storable(_ headers: HTTPHeaders, _ control: CacheControl) -> HTTPHeaders {
        let named = CacheControl.names(headers.values(for: "Connection")) + control.uncachedFields
        let left = named.isEmpty ? hopByHop : hopByHop.union(named)
        // Most responses have none of these.
        guard headers.contains(where: { left.contains(ASCII.lowercased($0.name)) }) else { return headers }
        var kept = headers
        kept.removeAll { left.contains(ASCII.lowercased($0.name)) }
        return kept
    }

    /// `old` with its fields replaced by those of `new` with the same name.
    static func merged(_ old: HTTPHeaders, with new: HTTPHeaders) -> HTTPHeaders {
        var incoming = storable(new, CacheControl(new.values(for: "Cache-Control")))
        incoming.removeAll { ofBody.contains(ASCII.lowercased($0.name)) }
        let names = Set(incoming.map { ASCII.lowercased($0.name) })
        var merged = old
        // The stored Age and Date do not apply to a response that has just been validated: one without a Date is as old as
        // its arrival (RFC 9110 §6.6.1).
        merged.removeAll { names.contains(ASCII.lowercased($0.name)) || $0.isNamed("Age") || $0.isNamed("Date") }
        for field in incoming { merged.append(field.value, for: field.name) }
        // The list of fields that are not stored may be that of the old response, and a new one may name its fields.
        return storable(merged, CacheControl(merged.values(for: "Cache-Control")))
    }

    /// The fields of `new`, which has just confirmed a response with `control`, that are for its own call alone: the
    /// server must confirm them each time (RFC 9111 §5.2.2.4).
    static func uncached(_ new: HTTPHeaders, _ control: CacheControl) -> HTTPHeaders {
        guard !control.uncachedFields.isEmpty else { return [:] }
        var own = storable(new, CacheControl())
        own.removeAll { field in
            let name = ASCII.lowercased(field.name)
            return ofBody.contains(name) || !control.uncachedFields.contains(name)
        }
        return own
    }
}
