/// What the answer to a request means for the store and for the caller: a pure function of both and of what the server was
/// asked about (RFC 9111 §3 and §4.3).
enum CacheEffect: Sendable {
    /// The caller's, and nothing is stored.
    case pass
    /// The caller's, and stored for these requests.
    case store(CacheVariant, CachedResponse.Facts)
    /// The stored response at this place among those that were asked about (for HEAD, among all) holds, and is this now. It is
    /// kept unless the server says by now that it must not be.
    case freshen(Int, CachedResponse, isKept: Bool)
    /// The server says that something holds which is none of those: ask again without a condition.
    case resend
    /// The caller's, and the stored responses to the URL at these places are outdated.
    case discard([Int])

    /// - Parameters:
    ///   - asked: What the server was asked about; empty for a request that was sent as it is.
    ///   - stored: All that is stored under the URL.
    init(
        of status: HTTPStatus, _ headers: HTTPHeaders, to request: CacheRequest, askedAbout asked: [CachedResponse],
        stored: [CachedResponse], requestTime: Double, responseTime: Double
    ) {
        if status == .notModified {
            self = Self.confirmation(headers, request, asked, requestTime, responseTime)
        } else if request.isHead {
            self = Self.head(status, headers, request, stored, requestTime, responseTime)
        } else {
            let facts = CachedResponse.Facts(
                headers, status: status, requestTime: requestTime, responseTime: responseTime)
            let variant = Storability.variant(of: status, headers, answering: request, facts, at: responseTime)
            if let variant {
                self = .store(variant, facts)
                return
            }
            // The server has another representation now, which is not for keeping.
            let outdated = stored.indices.filter { place in asked.contains { $0 === stored[place] } }
            self = asked.isEmpty || !status.isSuccess ? .pass : .discard(outdated)
        }
    }

    /// A 304 (§4.3.4). It names one by its validator; where it names none and one was asked about, it is that one.
    private static func confirmation(
        _ headers: HTTPHeaders, _ request: CacheRequest, _ asked: [CachedResponse], _ requestTime: Double,
        _ responseTime: Double
    ) -> CacheEffect {
        // It answers the caller's own condition.
        guard !asked.isEmpty else { return .pass }
        let place: Int?
        if let tag = headers["ETag"] {
            place =
                asked.firstIndex { $0.entityTag.map { EntityTag.areSimilar($0, tag) } ?? false }
                // Some servers tell of the new tag here. With one question there is one answer.
                ?? (asked.count == 1 ? 0 : nil)
        } else {
            place = asked.count == 1 ? 0 : nil
        }
        guard let place else { return .resend }
        let (new, isKept) = updated(asked[place], headers, request, requestTime, responseTime)
        return .freshen(place, new, isKept: isKept)
    }

    /// The stored response with newer fields, for requests as this one is.
    private static func updated(
        _ stored: CachedResponse, _ headers: HTTPHeaders, _ request: CacheRequest, _ requestTime: Double,
        _ responseTime: Double
    ) -> (CachedResponse, isKept: Bool) {
        let variant = CacheVariant(CachedFields.merged(stored.headers, with: headers), answering: request)
        let new = stored.updated(
            by: headers, variant: variant, requestTime: requestTime, responseTime: responseTime)
        return (new, variant != nil && (!new.control.noStore || new.control.mustUnderstand))
    }

    /// A response to HEAD tells whether a stored response to GET still holds (§4.3.5).
    private static func head(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ request: CacheRequest, _ stored: [CachedResponse],
        _ requestTime: Double, _ responseTime: Double
    ) -> CacheEffect {
        guard status == .ok else { return .pass }
        let fitting = stored.indices.filter { stored[$0].variant.matches(request) && stored[$0].status == .ok }
        guard let place = fitting.max(by: { stored[$0].responseTime < stored[$1].responseTime }) else { return .pass }
        guard describes(headers, stored[place]) else { return .discard([place]) }
        let (new, isKept) = updated(stored[place], headers, request, requestTime, responseTime)
        return isKept ? .freshen(place, new, isKept: true) : .discard([place])
    }

    private static func describes(_ headers: HTTPHeaders, _ stored: CachedResponse) -> Bool {
        if let tag = headers["ETag"], let own = stored.entityTag {
            guard EntityTag.areSimilar(tag, own) else { return false }
        }
        if let modified = headers["Last-Modified"], let own = stored.lastModified, modified != own { return false }
        if let length = headers["Content-Length"], let own = stored.headers["Content-Length"], length != own {
            return false
        }
        return headers["Content-Encoding"] == stored.headers["Content-Encoding"]
            || !headers.contains("Content-Encoding")
    }
}

/// What a request makes outdated that is not safe (RFC 9111 §4.4): what is stored under its own URL, and under those that
/// the answer names, as far as they are of the same origin: else one site could have another's thrown away.
enum Invalidation {
    static func keys(of request: Request, _ response: Response) -> [CacheKey] {
        var keys: [CacheKey] = []
        for hop in response.redirects where !hop.method.isSafe { keys.append(CacheKey(hop.url)) }
        let answered = response.request
        guard !answered.method.isSafe, response.status.isSuccess || response.status.isRedirection else { return keys }
        keys.append(CacheKey(answered.url))
        for name in ["Location", "Content-Location"] {
            guard let text = response.headers[name],
                let place = try? answered.url.resolving(text, spelling: .fromServer), place.origin == answered.origin
            else { continue }
            keys.append(CacheKey(place))
        }
        return keys
    }
}
