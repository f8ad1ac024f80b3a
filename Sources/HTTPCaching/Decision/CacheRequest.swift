/// The properties of a request that matter to a cache.
struct CacheRequest: Sendable {
    /// The request as it came to the cache.
    let request: Request
    /// The same as the policies below will send it, or have sent it. It makes the key.
    let sent: Request
    /// Whom the client below talks to and believes; nil where that is not known.
    let trust: ClientTrust?
    /// Whether others' code below may still add fields.
    let mayChange: Bool
    /// Whether `sent` went out, so that its jar may have other cookies by now.
    private let isAnswered: Bool
    let key: CacheKey
    private(set) var control: CacheControl
    /// The Range field; nil if there is none.
    private(set) var range: String?
    private(set) var ifRange: String?
    private(set) var ifNoneMatch: String?
    private(set) var ifModifiedSince: String?
    /// Whether the request depends on a known state (If-Match, If-Unmodified-Since).
    private(set) var hasPrecondition = false
    private(set) var authorization: String?

    private static let noDirectives = CacheControl()

    init(_ request: Request, trust: ClientTrust? = nil) {
        self.init(request, sent: request, trust: trust, mayChange: false)
    }

    init(_ request: Request, sent: Request, trust: ClientTrust?, mayChange: Bool, isAnswered: Bool = false) {
        self.request = request
        self.sent = sent
        self.trust = trust
        self.mayChange = mayChange
        self.isAnswered = isAnswered
        key = CacheKey(sent.url)
        control = Self.noDirectives
        var hasControl = false
        var isPragmaNoCache = false
        // Every hit comes through here, so the length of a name is compared first.
        for field in sent.headers {
            switch field.name.utf8.count {
            case 5 where field.isNamed("Range"): range = field.value
            case 6 where field.isNamed("Pragma"):
                let directives = CacheDirective.all(in: field.value)
                if directives.contains(where: { $0.name == "no-cache" }) { isPragmaNoCache = true }
            case 8 where field.isNamed("If-Match"): hasPrecondition = true
            case 8 where field.isNamed("If-Range"): ifRange = field.value
            case 13 where field.isNamed("Cache-Control"): hasControl = true
            case 13 where field.isNamed("Authorization"): authorization = field.value
            case 13 where field.isNamed("If-None-Match"):
                ifNoneMatch = ifNoneMatch.map { "\($0), \(field.value)" } ?? field.value
            case 17 where field.isNamed("If-Modified-Since"): ifModifiedSince = field.value
            case 19 where field.isNamed("If-Unmodified-Since"): hasPrecondition = true
            default: break
            }
        }
        if hasControl {
            control = CacheControl(sent.headers.values(for: "Cache-Control"))
        } else if isPragmaNoCache {
            // RFC 9111 §5.4: Pragma counts only without Cache-Control.
            control.noCache = true
        }
    }

    var isHead: Bool { sent.method == .head }
    /// The Cookie field with those of the jar; nil for none.
    var cookies: String? {
        (isAnswered ? sent.withSentCookies : sent.withCookies()).headers.combinedValue(for: "Cookie")
    }
    /// Whether the caller set a condition of its own.
    var isConditional: Bool { ifNoneMatch != nil || ifModifiedSince != nil }

    /// Why the cache does not answer the request, though the request may still invalidate responses; nil if it may
    /// answer.
    var bypass: CacheStatus.Forward? {
        guard sent.method == .get || isHead else { return .method }
        if control.noStore { return .request }
        let isOrdinary = !hasPrecondition && sent.body.isEmpty && key.isStorable && (range == nil || hasUsableRange)
        return isOrdinary ? nil : .bypass
    }

    /// Whether the range can be cut out of a stored response: a single range, into memory.
    private var hasUsableRange: Bool { !isHead && request.destination.isMemory && byteRange != nil }

    var byteRange: ByteRange? { range.flatMap { ByteRange($0) } }

    /// Whether a field that the request lacks may be added below and tell callers from one another.
    func mayGain(_ name: String) -> Bool { mayChange && name != "origin" && !RedirectHeaders.mayCrossOrigins(name) }

    /// This request as it was sent for `response`. Nil if that was a request for something else, whose response says
    /// nothing about this one.
    func answered(by response: Response, withConditions hasConditions: Bool = false) -> CacheRequest? {
        let answered = response.request
        let isSame = response.redirects.isEmpty && answered.method == sent.method && CacheKey(answered.url) == key
        guard isSame, answered.body.isEmpty || answered.method != .get else { return nil }
        var headers = answered.headers
        if hasConditions {
            // These are the cache's own.
            for name in ["If-None-Match", "If-Modified-Since"] { headers.removeAll(named: name) }
        }
        return CacheRequest(
            request, sent: hasConditions ? Request(answered, headers: headers) { _ in } : answered, trust: trust,
            mayChange: false, isAnswered: true)
    }
}

/// A request for one range of bytes (RFC 9110 §14.1.2).
enum ByteRange: Sendable, Hashable {
    /// From the first byte to the last, or to the end.
    case from(Int64, to: Int64?)
    case last(Int64)

    /// Nil for several ranges, another unit, or an invalid range.
    init?(_ text: String) {
        let text = ASCII.trimmed(text[...])
        guard text.utf8.count > 6, ASCII.equalsIgnoringCase(text.prefix(6), "bytes=") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { ASCII.trimmed($0) }
        guard ends.count == 2 else { return nil }
        switch (ASCII.number(ends[0]), ASCII.number(ends[1])) {
        case (let first?, nil) where ends[1].isEmpty: self = .from(first, to: nil)
        case (let first?, let last?) where first <= last: self = .from(first, to: last)
        case (nil, let count?) where ends[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// The requested bytes of a body of that length; nil for none.
    func bytes(of length: Int64) -> Range<Int64>? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            return Range(first...min(last ?? .max, length - 1))
        case .last(let count):
            guard count > 0, length > 0 else { return nil }
            return max(0, length - count)..<length
        }
    }
}
