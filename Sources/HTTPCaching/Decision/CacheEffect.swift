/// The effect of a response on the store and the caller: a pure function of the request, the response, and the stored
/// responses that the server was asked about (RFC 9111 §3 and §4.3).
enum CacheEffect: Sendable {
    /// The caller gets the response, and nothing is stored.
    case pass
    /// The caller gets the response, and it is stored for these requests.
    case store(CacheVariant, CachedResponse.Facts)
    /// The stored response at this index still holds and becomes this. The index is that in `asked`, or for HEAD in
    /// `stored`. It is kept unless the server now forbids storing.
    case freshen(Int, CachedResponse, isKept: Bool)
    /// The server confirms a response that is none of these: ask again without a condition.
    case resend
    /// The caller gets the response, and the stored responses at these indices are outdated.
    case discard([Int])

    /// - Parameters:
    ///   - asked: The stored responses that the server was asked about; empty for an unconditional request.
    ///   - stored: All stored responses for the URL.
    init(
        of status: HTTPStatus, _ headers: HTTPHeaders, to request: CacheRequest, askedAbout asked: [CachedResponse],
        stored: [CachedResponse], requestTime: Double, responseTime: Double
    ) {
        /// A stored response with the newer fields, for requests like this one.
        func updated(_ stored: CachedResponse) -> (CachedResponse, isKept: Bool) {
            var merged = CachedFields.merged(stored.headers, with: headers)
            // The strong tag is that of the bytes before a server coded them.
            if let tag = merged["ETag"], let own = stored.entityTag, !EntityTag.describes(tag, own) {
                merged.set(own, for: "ETag")
            }
            let variant = CacheVariant(merged, answering: request)
            let new = stored.updated(
                merged, variant ?? stored.variant, requestTime: requestTime, responseTime: responseTime)
            return (new, variant != nil && (!new.control.noStore || new.control.mustUnderstand))
        }
        if status == .notModified {
            self = Self.confirmation(headers, request, asked, updated)
        } else if request.isHead {
            self = Self.head(status, headers, request, stored, updated)
        } else {
            if let (variant, facts) = Storability.variant(
                of: status, headers, answering: request, requestTime: requestTime, responseTime: responseTime)
            {
                self = .store(variant, facts)
                return
            }
            // The server has a new representation that must not be stored.
            let outdated = stored.indices.filter { place in asked.contains { $0 === stored[place] } }
            self = asked.isEmpty || !status.isSuccess ? .pass : .discard(outdated)
        }
    }

    private typealias Update = (CachedResponse) -> (CachedResponse, isKept: Bool)

    /// The effect of a 304 (§4.3.4). It confirms the response of its validator. Without a validator, it confirms the
    /// only response that was asked about, if Vary selects that. One with another validator describes other bytes than
    /// those that are stored.
    private static func confirmation(
        _ headers: HTTPHeaders, _ request: CacheRequest, _ asked: [CachedResponse], _ updated: Update
    ) -> CacheEffect {
        // It answers the caller's own condition.
        guard !asked.isEmpty else { return .pass }
        let place: Int?
        if let tag = headers["ETag"] {
            // If-None-Match is compared weakly (RFC 9110 §13.1.2), and nginx, which compresses as it sends, answers a weak tag
            // with its strong form.
            let isSame = asked.count == 1 ? EntityTag.areSimilar : EntityTag.describes
            place = asked.firstIndex { $0.entityTag.map { isSame(tag, $0) } ?? false }
        } else {
            let isOnly = asked.count == 1 && asked[0].variant.matches(request)
            place = isOnly && confirms(headers["Last-Modified"], asked[0]) ? 0 : nil
        }
        guard let place else { return .resend }
        let (new, isKept) = updated(asked[place])
        return .freshen(place, new, isKept: isKept)
    }

    private static func confirms(_ modified: String?, _ stored: CachedResponse) -> Bool {
        guard let modified, let own = stored.lastModified else { return true }
        return modified == own
    }

    /// The effect of a response to HEAD, which tells whether a stored GET response still holds (§4.3.5).
    private static func head(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ request: CacheRequest, _ stored: [CachedResponse],
        _ updated: Update
    ) -> CacheEffect {
        guard status == .ok else { return .pass }
        let fitting = stored.indices.filter { stored[$0].variant.matches(request) && stored[$0].status == .ok }
        guard let place = fitting.max(by: { stored[$0].responseTime < stored[$1].responseTime }) else { return .pass }
        guard describes(headers, stored[place]) else { return .discard([place]) }
        let (new, isKept) = updated(stored[place])
        // By a field that it did not vary by before, the body may be for others than this request.
        let names = stored[place].variant.fields.map(\.name)
        guard new.variant.fields.allSatisfy({ names.contains($0.name) }) else { return .discard([place]) }
        return isKept ? .freshen(place, new, isKept: true) : .discard([place])
    }

    private static func describes(_ headers: HTTPHeaders, _ stored: CachedResponse) -> Bool {
        if let tag = headers["ETag"], let own = stored.entityTag {
            guard EntityTag.describes(tag, own) else { return false }
        }
        if let modified = headers["Last-Modified"], let own = stored.lastModified, modified != own { return false }
        if let length = headers["Content-Length"], let own = stored.headers["Content-Length"], length != own {
            return false
        }
        return headers["Content-Encoding"] == stored.headers["Content-Encoding"]
            || !headers.contains("Content-Encoding")
    }
}

/// The URLs whose stored responses an unsafe request makes outdated (RFC 9111 §4.4): its own, and those named by the
/// response if they are of the same origin. Otherwise one site could evict the responses of another.
enum Invalidation {
    static func keys(of response: Response) -> [CacheKey] {
        var keys = keys(of: response.redirects)
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

    /// Of a call to `request` that failed. The server has answered a redirect that was not followed, or to whose target the
    /// call failed, and a response whose body did not come to its end.
    static func keys(of error: HTTPError, to request: Request) -> [CacheKey] {
        // What its reader could not use is a response all the same.
        if let response = error.response { return keys(of: response) }
        guard let record = error.record else { return [] }
        let keys = keys(of: record.redirects)
        guard isAnswered(error, record), !record.method.isSafe else { return keys }
        return keys + [CacheKey(record.redirects.last?.location ?? request.url)]
    }

    /// Whether the server had begun to answer the last request. With which status is not known here: a refusal may
    /// invalidate, too.
    private static func isAnswered(_ error: HTTPError, _ record: CallRecord) -> Bool {
        switch error {
        case .redirect, .truncatedBody: true
        case .cancelled, .timedOut, .connection, .tls, .protocolViolation, .limitExceeded, .body, .interceptor, .other:
            record.phase == .receiving || record.phase == .finishing
        case .invalidRequest, .unsupported, .resolution, .destinationRefused, .unacceptableStatus, .decoding: false
        }
    }

    /// Of redirects that were followed: the same as of a redirect that is the response.
    private static func keys(of redirects: [RedirectHop]) -> [CacheKey] {
        redirects.filter { !$0.method.isSafe }.flatMap { hop in
            (hop.location.origin == hop.url.origin ? [hop.url, hop.location] : [hop.url]).map { CacheKey($0) }
        }
    }
}
