/// The decision about a request: a pure function of the request, the responses stored under its URL, and the time (RFC
/// 9111 §4).
enum CacheVerdict: Sendable, Hashable {
    /// Answer with the stored response at this index. `isRevalidationDue`: it is stale and should be validated
    /// meanwhile (RFC 5861 §3).
    case use(Int, isRevalidationDue: Bool)
    /// Ask the server whether one of these still holds. If the request selects one, it comes first.
    case validate([Int], CacheStatus.Forward)
    /// Send the request unchanged.
    case send(CacheStatus.Forward)
    /// Fail: the request accepts only a stored response, and there is none for it.
    case fail(CacheStatus.Forward)

    /// `request` must not be one that bypasses the cache.
    init(_ stored: [CachedResponse], for request: CacheRequest, at now: Double) {
        let fitting = stored.indices.filter { stored[$0].variant.matches(request) }
        // §4: if several match, the most recent one is used.
        guard let newest = fitting.max(by: { stored[$0].responseTime < stored[$1].responseTime }) else {
            self = Self.missing(stored, for: request)
            return
        }
        switch Self.usability(of: stored[newest], for: request, at: now) {
        case .usable: self = .use(newest, isRevalidationDue: false)
        case .usableMeanwhile: self = .use(newest, isRevalidationDue: true)
        case .unusable(let reason):
            self =
                request.control.onlyIfCached
                ? .fail(reason) : .asking(about: newest, of: stored[newest], for: request, because: reason)
        }
    }

    /// For a stored response that the server has to confirm: whether it can be asked about that.
    static func asking(
        about place: Int, of stored: CachedResponse, for request: CacheRequest, because reason: CacheStatus.Forward
    ) -> CacheVerdict {
        let isPlain = request.range == nil && !request.isConditional && !request.isHead
        return isPlain && stored.hasValidator ? .validate([place], reason) : .send(reason)
    }

    /// For a request that no variant matches. The server may still say that one of them has the right representation
    /// (§4.1).
    private static func missing(_ stored: [CachedResponse], for request: CacheRequest) -> CacheVerdict {
        let reason: CacheStatus.Forward = stored.isEmpty ? .uriMiss : .varyMiss
        if request.control.onlyIfCached { return .fail(reason) }
        let tagged = stored.indices.filter { index in
            stored[index].entityTag != nil && stored[index].status != .partialContent
                && stored[index].variant.hasCredentials(of: request)
                && stored[index].variant.isDecoded(stored[index].headers, asFor: request)
        }
        guard !tagged.isEmpty, request.range == nil, !request.isConditional, !request.isHead else {
            return .send(reason)
        }
        return .validate(Array(tagged.prefix(mostTags)), reason)
    }

    /// More tags would make the field longer than some servers accept.
    private static let mostTags = 8

    private enum Usability {
        case usable
        /// Stale but usable; it is validated for the next request.
        case usableMeanwhile
        case unusable(CacheStatus.Forward)
    }

    private static func usability(of stored: CachedResponse, for request: CacheRequest, at now: Double) -> Usability {
        let wish = request.control
        let own = stored.control
        let left = stored.freshness.timeLeft(at: now)
        if wish.noCache { return .unusable(.request) }
        // RFC 8246 §2: a reload does not ask again for an immutable response that is fresh.
        let isSettled = own.isImmutable && left > 0 && wish.maxAge == 0
        if let maxAge = wish.maxAge, !isSettled {
            guard maxAge > 0, let age = stored.freshness.age(at: now), age <= Double(maxAge) else {
                return .unusable(.request)
            }
        }
        if own.noCache { return .unusable(.stale) }
        if left > 0 {
            guard let minFresh = wish.minFresh, left < Double(minFresh) else { return .usable }
            return .unusable(.request)
        }
        guard !own.mustRevalidate, wish.minFresh == nil else { return .unusable(.stale) }
        if let maxStale = wish.maxStale, maxStale == .max || -left <= Double(maxStale) { return .usable }
        if let window = own.staleWhileRevalidate, -left < Double(window), wish.maxAge == nil, !wish.onlyIfCached {
            return .usableMeanwhile
        }
        return .unusable(.stale)
    }
}

extension CachedResponse {
    /// Whether the response may replace a failure of the server (RFC 5861 §4, RFC 9111 §4.2.4).
    /// - Parameter isPinned: Whether it is pinned for use without a network.
    func mayStandIn(for request: CacheRequest, at now: Double, isPinned: Bool) -> Bool {
        let wish = request.control
        guard !control.mustRevalidate, !control.noCache, !wish.noCache, wish.maxAge == nil, wish.minFresh == nil else {
            return false
        }
        if isPinned { return true }
        guard let window = [control.staleIfError, wish.staleIfError].compactMap(\.self).max() else { return false }
        return -freshness.timeLeft(at: now) < Double(window)
    }
}
