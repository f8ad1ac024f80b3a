#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A running exchange with the server.
struct CacheExchange: Sendable {
    let request: CacheRequest
    /// All responses stored under the URL.
    let stored: [CacheEntry]
    /// The stored responses that the server was asked about.
    let asked: [CacheEntry]
    let reason: CacheStatus.Forward
    let lead: CacheLead?
    /// Nil if the body goes to memory.
    let tee: CacheTee?
    /// In seconds since 1970.
    let requestTime: Double
}

extension CachePolicy {
    /// Sends the request, with the conditions of the verdict.
    mutating func send(
        _ request: CacheRequest, _ stored: [CacheEntry], _ verdict: CacheVerdict, _ lead: CacheLead?,
        _ moment: PolicyMoment
    ) -> PolicyStep {
        var headers = request.request.headers
        var asked: [CacheEntry] = []
        var reason = CacheStatus.Forward.miss
        switch verdict {
        case .validate(let places, let forward):
            asked = places.map { stored[$0] }
            reason = forward
            let tags = asked.compactMap(\.response.entityTag)
            if !tags.isEmpty { headers.set(tags.joined(separator: ", "), for: "If-None-Match") }
            if asked.count == 1, let modified = asked[0].response.lastModified {
                headers.set(modified, for: "If-Modified-Since")
            }
        case .send(let forward), .fail(let forward): reason = forward
        case .use: break
        }
        let requestTime = moment.unixTime
        let tee = CacheTee(request, cache.store, requestTime: requestTime, clock: moment.call.clock)
        stage = .asking(
            CacheExchange(
                request: request, stored: stored, asked: asked, reason: reason, lead: lead, tee: tee,
                requestTime: requestTime))
        let follows = request.request.redirects.limit > 0
        guard follows || tee != nil || !asked.isEmpty else { return .send(outgoing(request.request)) }
        return .send(
            outgoing(
                Request(request.request, headers: headers) { options in
                    if follows { options.redirects.limit = 0 }
                    if let tee { options.destination = tee.destination }
                }))
    }

    /// The request as it goes to the policies below: behind a redirect to another origin, what they add for the call's
    /// own origin is not sent.
    func outgoing(_ request: Request) -> Request {
        let isLed = request.hop != nil || hops.contains { $0.url.origin != $0.location.origin }
        return isLed ? request.asHop(from: hops.first?.url.origin ?? request.origin) : request
    }

    // MARK: The response

    mutating func take(_ outcome: Result<Response, HTTPError>, _ moment: PolicyMoment) -> PolicyStep {
        switch stage {
        case .passing(let request, let reason): return pass(outcome, request, reason, moment)
        case .asking(let exchange):
            switch outcome {
            case .success(let response): return take(response, exchange, moment)
            case .failure(let error): return take(error, exchange, moment)
            }
        default: return .finish(outcome)
        }
    }

    private mutating func take(_ error: HTTPError, _ exchange: CacheExchange, _ moment: PolicyMoment) -> PolicyStep {
        exchange.lead?.land(error.isOwn ? .abandoned : .failed(error))
        return standIn(for: .failure(error), exchange.request, exchange.stored, moment)
            ?? .finish(.failure(error.behind(hops)))
    }

    /// A stored response in place of a failure, if it may replace one.
    mutating func standIn(
        for outcome: Result<Response, HTTPError>, _ request: CacheRequest, _ stored: [CacheEntry],
        _ moment: PolicyMoment
    ) -> PolicyStep? {
        let now = moment.unixTime
        var status: HTTPStatus?
        switch outcome {
        case .success(let response):
            guard [500, 502, 503, 504].contains(response.status.rawValue) else { return nil }
            status = response.status
        case .failure(let error): guard error.meansUnreachable else { return nil }
        }
        let fitting = stored.filter { $0.response.variant.matches(request) }
        guard let entry = fitting.max(by: { $0.response.responseTime < $1.response.responseTime }),
            entry.response.mayStandIn(for: request, at: now, isPinned: entry.isPinned)
        else { return nil }
        let report = CacheStatus.fromStore(
            entry.response, .stale, status, at: now, isStored: false, detail: "the server failed to answer")
        return answer(request, with: entry, report, moment)
    }

    private mutating func take(_ response: Response, _ exchange: CacheExchange, _ moment: PolicyMoment) -> PolicyStep {
        let request = exchange.request
        if let step = standIn(for: .success(response), request, exchange.stored, moment) {
            exchange.lead?.land(.notStored)
            return step
        }
        let now = moment.unixTime
        let effect = CacheEffect(
            of: response.status, response.headers, to: request, askedAbout: exchange.asked.map(\.response),
            stored: exchange.stored.map(\.response), requestTime: exchange.requestTime, responseTime: now)
        switch effect {
        case .pass:
            exchange.lead?.land(.notStored)
            return deliver(own(response, request, .forwarded(exchange.reason)), moment)
        case .discard(let places):
            exchange.lead?.land(.notStored)
            return discard(
                places.map { exchange.stored[$0] }, own(response, request, .forwarded(exchange.reason)), moment)
        case .resend:
            return send(request, exchange.stored, .send(exchange.reason), exchange.lead, moment)
        case .store(let variant, let facts): return store(response, variant, facts, exchange, moment)
        case .freshen(let place, let new, let isKept):
            let old = request.isHead ? exchange.stored[place] : exchange.asked[place]
            return freshen(old, new, isKept: isKept, response, exchange, moment)
        }
    }

    private mutating func discard(_ entries: [CacheEntry], _ response: Response, _ moment: PolicyMoment) -> PolicyStep {
        let store = cache.store
        return storing(response, moment) { for entry in entries { store.remove(entry.response) } }
    }

    private mutating func store(
        _ response: Response, _ variant: CacheVariant, _ facts: CachedResponse.Facts, _ exchange: CacheExchange,
        _ moment: PolicyMoment
    ) -> PolicyStep {
        let (request, lead, store) = (exchange.request, exchange.lead, cache.store)
        let new = CachedResponse(
            response, variant, to: request, facts, requestTime: exchange.requestTime,
            responseTime: facts.freshness.responseTime)
        let isTeed = exchange.tee?.isInUse ?? false
        let isOutdated = lead?.flight.isInvalidated ?? false
        guard new.bodyByteCount <= store.largestBody, !isOutdated, !isTeed || exchange.tee?.isReady == true else {
            lead?.land(.notStored)
            let why =
                isOutdated
                ? "a later request made it outdated"
                : new.bodyByteCount > store.largestBody ? "its body is too large" : "its body was not read to its end"
            return deliver(own(response, request, .forwarded(exchange.reason, detail: why)), moment)
        }
        let status = CacheStatus.forwarded(exchange.reason, stored: new, at: moment.unixTime)
        // The waiters get it at once and share its body.
        if !isTeed {
            lead?.land(.stored(CacheEntry(response: new, body: .data(response.body))), isKept: true)
        }
        return storing(own(response, request, status), moment) {
            let entry = isTeed ? exchange.tee?.finish(new) : store.insert(new, response.body)
            lead?.land(entry.map { .stored($0) } ?? .notStored)
            if let lead, lead.flight.isInvalidated { store.remove(new) }
        }
    }

    private mutating func freshen(
        _ old: CacheEntry, _ new: CachedResponse, isKept: Bool, _ response: Response, _ exchange: CacheExchange,
        _ moment: PolicyMoment
    ) -> PolicyStep {
        let (request, lead, store) = (exchange.request, exchange.lead, cache.store)
        let isStored = isKept && lead?.flight.isInvalidated != true
        // Vary may have changed. The old entry then no longer answers this request.
        let isMoved = old.response.variant.digested != new.variant.digested && old.response.variant.matches(request)
        let entry = CacheEntry(response: new, body: old.body, isPinned: old.isPinned)
        lead?.land(isStored ? .stored(entry) : .notStored, isKept: true)
        let update: @Sendable () -> Void = {
            if isStored { _ = store.replace(old, by: new) }
            if isMoved || !isKept { store.remove(old.response) }
            lead?.end()
        }
        guard !request.isHead else {
            return storing(own(response, request, .forwarded(exchange.reason)), moment, update)
        }
        let status = CacheStatus.fromStore(
            new, exchange.reason, .notModified, at: moment.unixTime, isStored: isStored)
        return answer(request, with: entry, status, moment, metrics: response.metrics, after: update)
    }

    /// Runs `work`, on this thread if it takes no time, and then delivers the response.
    private mutating func storing(
        _ response: Response, _ moment: PolicyMoment, _ work: @escaping @Sendable () -> Void
    ) -> PolicyStep {
        if cache.store.isImmediate {
            work()
            return deliver(response, moment)
        }
        stage = .storing(response)
        return .run(work)
    }

    /// The server's response, as one to the caller's request.
    private func own(_ response: Response, _ request: CacheRequest, _ status: CacheStatus) -> Response {
        response.answering(request.request, behind: hops, status)
    }

    // MARK: Bypassing the cache

    private mutating func pass(
        _ outcome: Result<Response, HTTPError>, _ request: CacheRequest, _ reason: CacheStatus.Forward,
        _ moment: PolicyMoment
    ) -> PolicyStep {
        guard case .success(let response) = outcome else {
            return .finish(outcome.mapError { $0.behind(hops) })
        }
        let status = CacheStatus.forwarded(reason, detail: cache.store.problem)
        let delivered = response.answering(response.request, behind: hops, status)
        let keys = Invalidation.keys(of: request.request, response)
        guard !keys.isEmpty, cache.store.problem == nil else { return .finish(.success(delivered)) }
        let (store, flights) = (cache.store, cache.flights)
        let new = described(response, request, moment)
        for key in keys { flights.invalidate(key) }
        // Once this call has returned, no outdated response is used: unlike storing, this is waited for.
        let work: @Sendable () -> Void = {
            for key in keys { store.removeAll(for: key) }
            if let new { _ = store.insert(new, response.body) }
        }
        if store.isImmediate {
            work()
            return .finish(.success(delivered))
        }
        let done = CacheWork<CacheDelivery>()
        let entry = CacheEntry(response: new ?? CachedResponse(response, request), body: .data(Data()))
        stage = .delivering(request, entry, done)
        return done.step(moment) {
            work()
            return .done(.success(delivered))
        }
    }

    /// The response to a POST as that to a GET of the URL, if the server says that it is.
    private func described(_ response: Response, _ request: CacheRequest, _ moment: PolicyMoment) -> CachedResponse? {
        let now = moment.unixTime
        guard request.request.method == .post, request.request.destination.isMemory, response.redirects.isEmpty,
            Int64(response.body.count) <= cache.store.largestBody,
            let variant = Storability.variant(
                of: response.status, response.headers, answering: request, requestTime: now, responseTime: now)
        else { return nil }
        return CachedResponse(response, variant, to: request, requestTime: now, responseTime: now)
    }
}

extension CachedResponse {
    /// The entry for a response that has just arrived.
    convenience init(
        _ response: Response, _ variant: CacheVariant, to request: CacheRequest, _ facts: Facts? = nil,
        requestTime: Double, responseTime: Double
    ) {
        let facts =
            facts
            ?? Facts(
                response.headers, status: response.status, requestTime: requestTime, responseTime: responseTime)
        self.init(
            key: request.key, variant: variant, status: response.status, reason: response.reason,
            version: response.version, headers: CachedFields.storable(response.headers, facts.control),
            requestTime: requestTime, responseTime: responseTime, metrics: response.metrics,
            bodyByteCount: response.bodyByteCount, facts: facts)
    }

    /// For the record of a response that is not stored.
    convenience init(_ response: Response, _ request: CacheRequest) {
        self.init(
            response, CacheVariant(fields: [], authorization: nil), to: request, requestTime: 0, responseTime: 0)
    }
}
