import HTTPFoundation
import HTTPSupport

/// Asks the server, and does to the store what its answer says.
struct CacheExchange: Sendable {
    private let visit: CacheVisit
    private let reason: CacheStatus.Forward
    /// Whether the cache leaves the request alone. It may still make stored responses outdated.
    private let isBypass: Bool
    /// Why the store does not work; nil if it does.
    private let problem: String?
    /// All responses stored under the URL.
    private let stored: [CacheEntry]
    /// Those of them that the server is asked about.
    private var asked: [CacheEntry]
    private var lead: CacheLead?
    /// Whether other calls may wait for the response.
    private let isJoinable: Bool
    /// Nil if the body goes to memory.
    private var tee: CacheTee?
    /// The last head that came, if that is of a redirect to follow; nil if none may be.
    private var redirectHead: Locked<(status: HTTPStatus, headers: HTTPHeaders, hasNewCookies: Bool)?>?
    /// In seconds since 1970.
    private var requestTime: Double = 0

    /// - Parameter lead: Nil if no other call waits for the exchange.
    init(_ visit: CacheVisit, _ stored: [CacheEntry], _ verdict: CacheVerdict, _ lead: CacheLead? = nil) {
        (self.visit, self.stored, self.lead, isJoinable) = (visit, stored, lead, lead != nil)
        (isBypass, problem) = (false, nil)
        switch verdict {
        case .validate(let places, let forward): (asked, reason) = (places.map { stored[$0] }, forward)
        case .send(let forward), .fail(let forward): (asked, reason) = ([], forward)
        case .use: (asked, reason) = ([], .miss)
        }
    }

    init(_ visit: CacheVisit, bypassing reason: CacheStatus.Forward, _ problem: String? = nil) {
        (self.visit, self.reason, self.problem, isBypass) = (visit, reason, problem, true)
        (stored, asked, isJoinable) = ([], [], false)
    }

    private var request: CacheRequest { visit.request }
    private var store: any CacheStore { visit.store }
    /// Whether the responses stored under the URL were removed since the request was sent.
    private var isOutdated: Bool { lead?.flight.isInvalidated ?? false }

    // MARK: The request

    /// The end of a request that must not be sent; nil for any other.
    var isForbidden: CacheStage? { request.control.onlyIfCached ? visit.notCached(reason, problem) : nil }

    func send(_ moment: PolicyMoment) -> CacheStage {
        var exchange = self
        exchange.requestTime = moment.unixTime
        // What answers a POST may be stored, too.
        if !isBypass || (request.sent.method == .post && request.request.destination.isMemory) {
            exchange.lead =
                lead ?? visit.cache.flights.begin(CacheFlightKey(request, stored), at: moment.time, visit.mark)
        }
        guard !isBypass, let lead = exchange.lead else {
            return .waiting(.send(visit.course.confined(request.request)), .asked(exchange))
        }
        let clock = moment.call.clock
        let tee = CacheTee(request, store, clock: clock)
        exchange.tee = tee
        let tags = asked.compactMap(\.response.entityTag).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        var headers = request.request.headers
        if !tags.isEmpty { headers.set(tags.joined(separator: ", "), for: "If-None-Match") }
        // The date of what Vary does not select says nothing about what it does.
        if asked.count == 1, reason != .varyMiss, let modified = asked[0].response.lastModified {
            headers.set(modified, for: "If-Modified-Since")
        }
        if request.request.redirects.limit > 0 { exchange.redirectHead = Locked(nil) }
        let request = Request(request.request, headers: headers) { [exchange] options in
            options.redirects.limit = 0
            if let tee { options.destination = tee.destination }
            if exchange.isJoinable || exchange.redirectHead != nil {
                options.carried[HeadObserverKey.self] = exchange.headObserver(lead, clock)
            }
        }
        return .waiting(.send(visit.course.confined(request)), .asked(exchange))
    }

    /// Notes a redirect, and lets the calls that wait for the response go as soon as its head shows that it is not for them.
    private func headObserver(_ lead: CacheLead, _ clock: CallClock) -> HeadObserverKey.Observer {
        let (request, store, redirectHead) = (request, store, redirectHead)
        let (isConditional, isJoinable) = (!asked.isEmpty, isJoinable)
        // A client may keep the request for longer than the call lasts.
        return { [weak lead] status, headers, contentLength, hasNewCookies in
            request.request[HeadObserverKey.self]?(status, headers, contentLength, hasNewCookies)
            let isFollowed = RedirectDecision.isFollowedRedirect(status, headers, answering: request.request)
            redirectHead?.withLock { $0 = isFollowed ? (status, headers, hasNewCookies) : nil }
            if !isJoinable || isConditional && status == .notModified { return }
            let isStorable = Storability.foresees(status, headers, answering: request, at: clock.unixTime())
            if !isStorable || contentLength ?? 0 > store.largestBody { lead?.release() }
        }
    }

    // MARK: The answer

    /// A redirect whose body broke off: only its head counts, as without a cache. Nil for everything else.
    func redirect(for outcome: Result<Response, HTTPError>) -> CacheStage? {
        guard case .failure(let error) = outcome, error.isOfBody, let head = redirectHead?.exchange(nil)
        else { return nil }
        lead?.end(.notStored)
        return forwarded(
            Response(
                request: request.request, status: head.status, reasonPhrase: "", version: .http1_1,
                headers: head.headers,
                trailers: [:], body: Data(), bodyByteCount: 0, metrics: error.record?.metrics ?? Metrics(),
                redirects: [],
                carrying: head.hasNewCookies ? MessageValues(NewCookiesKey.self, true) : MessageValues()))
    }

    /// A stored response in place of a failure; nil if none may replace it (RFC 5861 §4), or if a stream has had a part of
    /// the failed one.
    func standIn(for outcome: Result<Response, HTTPError>, _ moment: PolicyMoment) -> CacheStage? {
        guard outcome.meansUnreachable, tee?.hasDelivered != true else { return nil }
        let now = moment.unixTime
        let fitting = stored.filter { $0.response.variant.matches(request) }
        guard let entry = fitting.max(by: { $0.response.responseTime < $1.response.responseTime }),
            entry.response.mayStandIn(for: request, at: now, isPinned: entry.isPinned)
        else { return nil }
        let status = outcome.answer?.status
        let report = CacheStatus.fromStore(
            entry.response, .stale, status, at: now, isStored: false, detail: "the server failed to answer")
        // What lacks the range that is asked for would send the request again.
        guard CachedAnswer(entry.response, to: request, report) != nil else { return nil }
        lead?.end(status == nil ? .abandoned : .notStored)
        return .delivery(CacheDelivery(visit, entry, report))
    }

    func take(_ outcome: Result<Response, HTTPError>, _ moment: PolicyMoment) -> CacheStage {
        let now = moment.unixTime
        switch outcome {
        case .failure(.unacceptableStatus(let response)):
            // A policy below takes the answer to the cache's own condition, or to a request whose redirects the cache
            // follows, for that to the caller.
            guard isOwn(response) else { return refused(response) }
            return take(.success(response), moment)
        case .failure(let error):
            lead?.end(.abandoned)
            let failure = CacheStage.finished(.failure(error.behind(visit.hops)))
            guard isBypass else { return failure }
            return invalidating(Invalidation.keys(of: error, to: request.sent), then: failure, late: failure)
        case .success(let response) where isBypass: return bypass(response, at: now)
        case .success(let response):
            guard let sent = request.answered(by: response, withConditions: !asked.isEmpty) else {
                // It says nothing about what is stored here.
                return response.status == .notModified && !asked.isEmpty ? resend() : pass(response)
            }
            let effect = CacheEffect(
                of: response.status, response.headers, to: sent, askedAbout: asked.map(\.response),
                stored: stored.map(\.response), requestTime: requestTime(of: response), responseTime: now)
            switch effect {
            case .pass: return pass(response)
            case .discard(let places):
                let result = pass(response)
                return visit.storing(late: result) {
                    for place in places { store.remove(stored[place].response) }
                    return result
                }
            case .resend: return resend()
            case .store(let variant, let facts): return keep(response, variant, facts, at: now)
            case .freshen(let place, let new, let isKept):
                let old = request.isHead ? stored[place] : asked[place]
                return freshen(old, new, isKept: isKept, response, to: sent, at: now)
            }
        }
    }

    /// When the request that brought the response was sent. Before that, policies below may have waited and tried.
    private func requestTime(of response: Response) -> Double { requestTime + response.metrics.start / .seconds(1) }

    /// The server's response, as one to the caller's request.
    private func forwarded(
        _ response: Response, stored: CachedResponse? = nil, at now: Double = 0, detail: String? = nil
    ) -> CacheStage {
        let status = CacheStatus.forwarded(reason, stored: stored, at: now, detail: detail)
        return .response(response.answering(request.request, behind: visit.hops, status))
    }

    /// Whether the answer is for the cache and not for the caller.
    private func isOwn(_ response: Response) -> Bool {
        if isBypass { return false }
        return response.status == .notModified && !asked.isEmpty
            || RedirectDecision.isFollowedRedirect(response.status, response.headers, answering: request.request)
    }

    /// The server's response, which a policy below does not accept.
    private func refused(_ response: Response) -> CacheStage {
        lead?.end(.notStored)
        let own = isBypass ? response.request : request.request
        let shown = response.answering(own, behind: visit.hops, .forwarded(reason, detail: problem))
        let failure = CacheStage.finished(.failure(.unacceptableStatus(shown)))
        return isBypass ? invalidating(Invalidation.keys(of: response), then: failure, late: failure) : failure
    }

    private func pass(_ response: Response) -> CacheStage {
        lead?.end(.notStored)
        return forwarded(response)
    }

    /// Without a condition no answer leads here again.
    private func resend() -> CacheStage {
        var exchange = self
        exchange.asked = []
        return .exchange(exchange)
    }

    private static let outdated = "it was removed or outdated meanwhile"

    private func keep(
        _ response: Response, _ variant: CacheVariant, _ facts: CachedResponse.Facts, at now: Double
    ) -> CacheStage {
        let new = CachedResponse(response, variant, to: request, facts)
        let tee = tee?.isInUse == true ? tee : nil
        let obstacle: String? =
            isOutdated
            ? Self.outdated
            : new.bodyByteCount > store.largestBody
                ? "its body is too large" : tee?.isReady == false ? "its body was not read to its end" : nil
        if let obstacle {
            lead?.end(.notStored)
            return forwarded(response, detail: obstacle)
        }
        let stored = forwarded(response, stored: new, at: now)
        // The waiters get it at once and share its body.
        if tee == nil { lead?.share(CacheEntry(response: new, body: .data(response.body))) }
        return visit.storing(late: forwarded(response, detail: "its time was up before it was stored")) {
            let flight = lead?.flight
            let entry = tee == nil ? store.insert(new, response.body, of: flight) : tee?.finish(new, of: flight)
            lead?.end(entry.map { .stored($0) } ?? .notStored)
            guard entry == nil else { return stored }
            guard !isOutdated else { return forwarded(response, detail: Self.outdated) }
            let why = store.problem.map { ": \($0)" } ?? ", a later response is stored, or another process is storing"
            return forwarded(response, detail: "it could not be stored\(why)")
        }
    }

    private func freshen(
        _ old: CacheEntry, _ new: CachedResponse, isKept: Bool, _ response: Response, to sent: CacheRequest,
        at now: Double
    ) -> CacheStage {
        let isStored = isKept && !isOutdated
        // Vary may have changed. The old entry then no longer answers this request.
        let isMoved = old.response.variant.digested != new.variant.digested && old.response.variant.matches(sent)
        let entry = CacheEntry(response: new, body: old.body, isPinned: old.isPinned)
        @Sendable func result(_ entry: CacheEntry, isStored: Bool) -> CacheStage {
            guard !request.isHead else { return forwarded(response) }
            let status = CacheStatus.fromStore(new, reason, .notModified, at: now, isStored: isStored)
            let own = CachedFields.uncached(response.headers, new.control)
            return .delivery(CacheDelivery(visit, entry, status, response.metrics, adding: own))
        }
        // The waiters of one that moves get it where it will be.
        if !isStored { lead?.release() } else if !isMoved { lead?.share(entry) }
        return visit.storing(late: result(entry, isStored: false)) {
            let replaced = isStored ? store.replace(old, by: new, of: lead?.flight) : nil
            var delivered = replaced ?? entry
            if isMoved || !isKept {
                if replaced == nil { delivered.body = old.body.holding() }
                store.remove(old.response)
            }
            lead?.end(replaced.map { .stored($0) } ?? .notStored)
            return result(delivered, isStored: replaced != nil)
        }
    }

    // MARK: A request that the cache leaves alone

    private func bypass(_ response: Response, at now: Double) -> CacheStage {
        let status = CacheStatus.forwarded(reason, detail: problem)
        let result = CacheStage.finished(.success(response.answering(response.request, behind: visit.hops, status)))
        let keys = Invalidation.keys(of: response)
        guard !keys.isEmpty else { return result }
        return invalidating(keys, storing: described(response, at: now), response.body, then: result)
    }

    /// Removes what is stored under these keys. Once the call has returned, no outdated response is used, so this is
    /// waited for.
    ///
    /// - Parameter late: What follows if the time of the call is up first; nil for its failure.
    private func invalidating(
        _ keys: [CacheKey], storing new: CachedResponse? = nil, _ body: Data = Data(), then result: CacheStage,
        late: CacheStage? = nil
    ) -> CacheStage {
        guard !keys.isEmpty else { return result }
        for key in keys { visit.cache.flights.invalidate(key, except: lead?.flight) }
        return visit.storing(late: late) { [store, lead] in
            for key in keys { store.removeAll(for: key, keepsPin: true) }
            if let new { _ = store.insert(new, body, of: lead?.flight) }
            lead?.end(.notStored)
            return result
        }
    }

    /// The response to a POST as that to a GET of the URL, if the server says that it is.
    private func described(_ response: Response, at now: Double) -> CachedResponse? {
        guard request.sent.method == .post, request.request.destination.isMemory,
            Int64(response.body.count) <= store.largestBody, let sent = request.answered(by: response)
        else { return nil }
        return Storability.variant(
            of: response.status, response.headers, answering: sent, requestTime: requestTime(of: response),
            responseTime: now
        )
        .map { CachedResponse(response, $0.variant, to: request, $0.facts) }
    }
}

extension CachedResponse {
    /// The entry for a response that has just arrived.
    convenience init(_ response: Response, _ variant: CacheVariant, to request: CacheRequest, _ facts: Facts) {
        self.init(
            key: request.key, variant: variant, status: response.status, reason: response.reasonPhrase,
            version: response.version, headers: CachedFields.storable(response.headers, facts.control),
            requestTime: facts.requestTime, responseTime: facts.freshness.responseTime, metrics: response.metrics,
            bodyByteCount: response.bodyByteCount, facts: facts)
    }
}

extension Response {
    /// This response as one to `request`, after these redirects.
    func answering(_ request: Request, behind hops: [RedirectHop], _ status: CacheStatus) -> Response {
        var response = answering(request, behind: hops)
        response[CacheStatusKey.self] = status
        return response
    }
}

extension HTTPError {
    /// Whether the body of a response may be all that went wrong.
    fileprivate var isOfBody: Bool {
        switch self {
        case .truncatedBody, .connection: true
        case .timedOut(let failure): failure.limit == .idle
        case .limitExceeded(let failure): failure.limit == .body || failure.limit == .expansion
        case .protocolViolation(let failure): failure.kind == .framing || failure.kind == .contentCoding
        case .invalidRequest, .unsupported, .cancelled, .resolution, .destinationRefused, .tls, .body, .interceptor,
            .redirect, .unacceptableStatus, .decoding, .other:
            false
        }
    }

    /// The same error, of a call that ended at this URL: its record is that of the first request.
    func during(_ visit: CacheVisit) -> HTTPError {
        guard !visit.hops.isEmpty else { return self }
        return changingRecord {
            $0 = CallRecord(visit.request.request, phase: $0.phase, metrics: $0.metrics, redirects: visit.hops)
        }
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// Whether the failure lies with the server or the way to it.
    var meansUnreachable: Bool {
        switch self {
        case .success(let response), .failure(.unacceptableStatus(let response)):
            [500, 502, 503, 504].contains(response.status.rawValue)
        case .failure(.timedOut), .failure(.resolution), .failure(.connection), .failure(.tls),
            .failure(.protocolViolation), .failure(.truncatedBody):
            true
        case .failure(.invalidRequest), .failure(.unsupported), .failure(.cancelled), .failure(.destinationRefused),
            .failure(.limitExceeded), .failure(.body), .failure(.interceptor), .failure(.redirect),
            .failure(.decoding), .failure(.other):
            false
        }
    }
}
