/// Whether a response may be stored, and is of any use then (RFC 9111 §3): a pure function of its head.
enum Storability {
    /// Which requests it will answer; nil where it is not stored.
    static func variant(
        of status: HTTPStatus, _ headers: HTTPHeaders, answering request: CacheRequest, _ facts: CachedResponse.Facts,
        at responseTime: Double
    ) -> CacheVariant? {
        let (control, freshness) = (facts.control, facts.freshness)
        guard request.key.isStorable, !request.control.noStore, isFinal(status), mayBeStored(status, control),
            isUseful(status, headers, control, freshness, at: responseTime)
        else { return nil }
        switch request.request.method {
        case .get: guard status != .partialContent || request.range != nil else { return nil }
        case .post: guard describesItself(headers, request), freshness.isExplicit, status.isSuccess else { return nil }
        default: return nil
        }
        // A part answers requests for the same part alone: parts are not combined (§3.4 allows it, but demands more
        // than most servers give).
        return CacheVariant(headers, answering: request, alsoBy: status == .partialContent ? ["range"] : [])
    }

    /// 304 and 416 are about other responses, and 412 and 417 answer what one request demanded.
    private static func isFinal(_ status: HTTPStatus) -> Bool {
        switch status.rawValue {
        case ..<200, 304, 412, 416, 417: false
        default: true
        }
    }

    /// `must-understand` overrides `no-store` for a cache that knows the status (§5.2.2.3).
    private static func mayBeStored(_ status: HTTPStatus, _ control: CacheControl) -> Bool {
        if control.mustUnderstand { return isUnderstood(status) }
        return !control.noStore
    }

    private static func isUnderstood(_ status: HTTPStatus) -> Bool {
        switch status.rawValue {
        case 200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// The same for a head of which nothing was read yet.
    static func variant(
        of status: HTTPStatus, _ headers: HTTPHeaders, answering request: CacheRequest, requestTime: Double,
        responseTime: Double
    ) -> CacheVariant? {
        let facts = CachedResponse.Facts(headers, status: status, requestTime: requestTime, responseTime: responseTime)
        return variant(of: status, headers, answering: request, facts, at: responseTime)
    }

    /// Whether it can ever answer anything: as it is, stale where that is allowed, or once the server says that it holds.
    /// A status that says nothing of how long it holds needs the server's word (§3).
    private static func isUseful(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ control: CacheControl, _ freshness: Freshness, at now: Double
    ) -> Bool {
        guard freshness.isExplicit || control.isPublic || Freshness.isHeuristicallyCacheable(status) else {
            return false
        }
        if headers.contains("ETag") || headers.contains("Last-Modified") { return true }
        if control.noCache { return false }
        return freshness.timeLeft(at: now) > 0 || freshness.isExplicit && !control.mustRevalidate
    }

    /// Whether a response to a POST is, by its Content-Location, what a GET of the same URL gets (RFC 9110 §9.3.3).
    private static func describesItself(_ headers: HTTPHeaders, _ request: CacheRequest) -> Bool {
        guard let text = headers["Content-Location"],
            let place = try? request.request.url.resolving(text, spelling: .fromServer)
        else { return false }
        return CacheKey(place) == request.key
    }
}
