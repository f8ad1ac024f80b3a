/// Whether a response may be stored and is useful then (RFC 9111 §3): a pure function of its head.
enum Storability {
    /// The requests that the response can answer, with what its fields say; nil if it is not stored.
    static func variant(
        of status: HTTPStatus, _ headers: HTTPHeaders, answering request: CacheRequest, requestTime: Double,
        responseTime: Double
    ) -> (variant: CacheVariant, facts: CachedResponse.Facts)? {
        let facts = CachedResponse.Facts(headers, status: status, requestTime: requestTime, responseTime: responseTime)
        let (control, freshness) = (facts.control, facts.freshness)
        // Credentials of Digest answer one request only (RFC 7616 §3.4).
        let isForOneRequest = request.authorization.map { ASCII.lowercased($0.prefix(7)) == "digest " } ?? false
        guard request.key.isStorable, !request.control.noStore, !isForOneRequest, isFinal(status),
            mayBeStored(status, control), isUseful(status, headers, control, freshness)
        else { return nil }
        switch request.sent.method {
        case .get: guard status != .partialContent || request.range != nil else { return nil }
        case .post:
            guard describesItself(headers, request), freshness.isExplicit, status.isSuccess, status != .partialContent
            else { return nil }
        default: return nil
        }
        // A partial response answers only requests for the same range. §3.4 allows combining parts, but requires more
        // than most servers give.
        return CacheVariant(headers, answering: request, alsoBy: status == .partialContent ? ["range"] : [])
            .map { ($0, facts) }
    }

    /// Whether a response with this head will be stored, as far as can be said when it arrives: when its request was sent shows
    /// later.
    static func foresees(
        _ status: HTTPStatus, _ headers: HTTPHeaders, answering request: CacheRequest, at now: Double
    ) -> Bool {
        variant(of: status, headers, answering: request, requestTime: now, responseTime: now) != nil
    }

    /// 304 and 416 are about other responses. 412 and 417 answer a condition of one request. 428, 429, 431 and 511 must
    /// not be stored (RFC 6585).
    private static func isFinal(_ status: HTTPStatus) -> Bool {
        status.rawValue >= 200 && ![304, 412, 416, 417, 428, 429, 431, 511].contains(status.rawValue)
    }

    /// `must-understand` overrides `no-store` for a cache that knows the status (§5.2.2.3).
    private static func mayBeStored(_ status: HTTPStatus, _ control: CacheControl) -> Bool {
        if control.mustUnderstand { return isUnderstood(status) }
        return !control.noStore
    }

    private static func isUnderstood(_ status: HTTPStatus) -> Bool {
        [200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501].contains(status.rawValue)
    }

    /// Whether the response can ever be used: fresh, stale if allowed, or after validation. A status that is not
    /// heuristically cacheable needs an explicit lifetime (§3).
    private static func isUseful(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ control: CacheControl, _ freshness: Freshness
    ) -> Bool {
        guard freshness.isExplicit || control.isPublic || Freshness.isHeuristicallyCacheable(status) else {
            return false
        }
        if headers.contains("ETag") || headers.contains("Last-Modified") { return true }
        if control.noCache { return false }
        return freshness.timeLeft(at: freshness.responseTime) > 0 || freshness.isExplicit && !control.mustRevalidate
    }

    /// Whether the response to a POST is, by its Content-Location, also the response to a GET of the same URL (RFC 9110
    /// §9.3.3).
    private static func describesItself(_ headers: HTTPHeaders, _ request: CacheRequest) -> Bool {
        guard let text = headers["Content-Location"],
            let place = try? request.sent.url.resolving(text, spelling: .fromServer)
        else { return false }
        return CacheKey(place) == request.key
    }
}
