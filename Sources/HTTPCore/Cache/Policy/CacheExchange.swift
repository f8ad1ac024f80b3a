#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks the server, and does to the store what its answer says.
struct CacheExchange: Sendable {
    enum Result: Sendable {
        /// It waits, and is asked again.
        case step(PolicyStep)
        /// The caller gets a stored response. The metrics are those of the exchange that confirmed it; nil if it stands
        /// in for a failure.
        case answer(CacheEntry, CacheStatus, Metrics?)
        /// The caller gets the server's response.
        case deliver(Response)
        case fail(HTTPError)
    }

    private enum State: Sendable {
        case beginning
        case asking
        /// What is done to the store ends with the first; if the time is up before, the second is what the caller gets.
        case storing(CacheWork<Result>, instead: Result)
    }

    let visit: CacheVisit
    private let question: CacheQuestion
    private let reason: CacheStatus.Forward
    /// The stored responses that the server is asked about.
    private var asked: [CacheEntry]
    private var lead: CacheLead?
    /// Nil if the body goes to memory.
    private var tee: CacheTee?
    /// In seconds since 1970.
    private var requestTime: Double = 0
    private var state = State.beginning

    init(_ visit: CacheVisit, _ question: CacheQuestion) {
        self.visit = visit
        self.question = question
        lead = question.lead
        switch question.verdict {
        case .validate(let places, let forward): (asked, reason) = (places.map { question.stored[$0] }, forward)
        case .send(let forward), .fail(let forward): (asked, reason) = ([], forward)
        case .use: (asked, reason) = ([], .miss)
        }
    }

    private var request: CacheRequest { visit.request }
    private var store: any CacheStore { visit.store }
    private var stored: [CacheEntry] { question.stored }

    mutating func next(_ event: PolicyEvent, _ moment: PolicyMoment) -> Result {
        switch (state, event) {
        case (.beginning, .interrupted(let error)), (.asking, .interrupted(let error)): return .fail(error)
        case (.beginning, _): return send(moment)
        case (.asking, .answered(.success(let response))): return take(response, moment)
        case (.asking, .answered(.failure(let error))): return take(error, moment)
        case (.asking, _): return .step(.pass)
        case (.storing(_, let instead), .interrupted(let error)):
            if case .cancelled = error { return .fail(error) }
            return instead
        case (.storing(let work, _), _): return work.value
        }
    }

    // MARK: The request

    private mutating func send(_ moment: PolicyMoment) -> Result {
        state = .asking
        requestTime = moment.unixTime
        let lead = lead ?? visit.cache.flights.begin(CacheFlightKey(request, stored), at: moment.time)
        self.lead = lead
        tee = CacheTee(request, store, requestTime: requestTime, clock: moment.call.clock)
        let tags = asked.compactMap(\.response.entityTag)
        var headers = request.request.headers
        if !tags.isEmpty { headers.set(tags.joined(separator: ", "), for: "If-None-Match") }
        if asked.count == 1, let modified = asked[0].response.lastModified {
            headers.set(modified, for: "If-Modified-Since")
        }
        let request = Request(request.request, headers: headers) { [self] options in
            options.redirects.limit = 0
            if let tee { options.destination = tee.destination }
            if question.lead != nil { options.carried[HeadObserverKey.self] = headObserver(lead, moment.call.clock) }
        }
        return .step(.send(visit.course.confined(request)))
    }

    /// Lets the calls that wait for the response go as soon as its head shows that it is not for them.
    private func headObserver(_ lead: CacheLead, _ clock: CallClock) -> @Sendable (ResponseHead) -> Void {
        let (request, store, requestTime, isConditional) = (request, store, requestTime, !asked.isEmpty)
        // A client may keep the request for longer than the call lasts.
        return { [weak lead] head in
            request.request[HeadObserverKey.self]?(head)
            if isConditional, head.status == .notModified { return }
            let variant = Storability.variant(
                of: head.status, head.headers, answering: request, requestTime: requestTime,
                responseTime: clock.unixTime())
            if variant == nil || head.contentLength ?? 0 > store.largestBody { lead?.release() }
        }
    }

    // MARK: The answer

    private mutating func take(_ error: HTTPError, _ moment: PolicyMoment) -> Result {
        lead?.end(.abandoned)
        return standIn(for: .failure(error), moment) ?? .fail(error.behind(visit.hops))
    }

    /// A stored response in place of a failure, if it may replace one.
    private func standIn(for outcome: Swift.Result<Response, HTTPError>, _ moment: PolicyMoment) -> Result? {
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
        return .answer(entry, report, nil)
    }

    private mutating func take(_ response: Response, _ moment: PolicyMoment) -> Result {
        if let answer = standIn(for: .success(response), moment) {
            lead?.end(.notStored)
            return answer
        }
        let now = moment.unixTime
        guard let sent = request.answered(by: response, withConditions: !asked.isEmpty) else {
            // It says nothing about what is stored here.
            guard response.status != .notModified || asked.isEmpty else { return resend(moment) }
            lead?.end(.notStored)
            return .deliver(visit.own(response, .forwarded(reason)))
        }
        let effect = CacheEffect(
            of: response.status, response.headers, to: sent, askedAbout: asked.map(\.response),
            stored: stored.map(\.response), requestTime: requestTime, responseTime: now)
        switch effect {
        case .pass:
            lead?.end(.notStored)
            return .deliver(visit.own(response, .forwarded(reason)))
        case .discard(let places):
            lead?.end(.notStored)
            let entries = places.map { stored[$0] }
            let result = Result.deliver(visit.own(response, .forwarded(reason)))
            return storing(moment, instead: result) { [store] in
                for entry in entries { store.remove(entry.response) }
                return result
            }
        case .resend: return resend(moment)
        case .store(let variant, let facts): return keep(response, variant, facts, moment)
        case .freshen(let place, let new, let isKept):
            let old = request.isHead ? stored[place] : asked[place]
            return freshen(old, new, isKept: isKept, response, to: sent, moment)
        }
    }

    /// Without a condition no answer leads here again.
    private mutating func resend(_ moment: PolicyMoment) -> Result {
        asked = []
        return send(moment)
    }

    private static let outdated = "a later request made it outdated"

    private mutating func keep(
        _ response: Response, _ variant: CacheVariant, _ facts: CachedResponse.Facts, _ moment: PolicyMoment
    ) -> Result {
        let (visit, lead, store, reason, tee) = (visit, lead, store, reason, tee)
        let new = CachedResponse(
            response, variant, to: request, facts, requestTime: requestTime,
            responseTime: facts.freshness.responseTime)
        @Sendable func passed(_ why: String) -> Result {
            .deliver(visit.own(response, .forwarded(reason, detail: why)))
        }
        let isTeed = tee?.isInUse ?? false
        let isOutdated = lead?.flight.isInvalidated ?? false
        guard new.bodyByteCount <= store.largestBody, !isOutdated, !isTeed || tee?.isReady == true else {
            lead?.end(.notStored)
            let isTooLarge = new.bodyByteCount > store.largestBody
            return passed(
                isOutdated
                    ? Self.outdated : isTooLarge ? "its body is too large" : "its body was not read to its end")
        }
        let stored = Result.deliver(visit.own(response, .forwarded(reason, stored: new, at: moment.unixTime)))
        let instead = passed("its time was up before it was stored")
        @Sendable func failed() -> Result {
            passed(store.problem.map { "it could not be stored: \($0)" } ?? "it could not be stored")
        }
        // The waiters get it at once and share its body.
        if !isTeed { lead?.share(CacheEntry(response: new, body: .data(response.body))) }
        return storing(moment, instead: instead) {
            let entry = isTeed ? tee?.finish(new) : store.insert(new, response.body)
            defer { lead?.end(entry.map { .stored($0) } ?? .notStored) }
            guard entry != nil else { return failed() }
            guard lead?.flight.isInvalidated == true else { return stored }
            store.remove(new)
            return passed(Self.outdated)
        }
    }

    private mutating func freshen(
        _ old: CacheEntry, _ new: CachedResponse, isKept: Bool, _ response: Response, to sent: CacheRequest,
        _ moment: PolicyMoment
    ) -> Result {
        let (visit, lead, store, reason) = (visit, lead, store, reason)
        let isStored = isKept && lead?.flight.isInvalidated != true
        // Vary may have changed. The old entry then no longer answers this request.
        let isMoved = old.response.variant.digested != new.variant.digested && old.response.variant.matches(sent)
        let entry = CacheEntry(response: new, body: old.body, isPinned: old.isPinned)
        let isHead = request.isHead
        let now = moment.unixTime
        @Sendable func result(isStored: Bool) -> Result {
            guard !isHead else { return .deliver(visit.own(response, .forwarded(reason))) }
            let status = CacheStatus.fromStore(new, reason, .notModified, at: now, isStored: isStored)
            return .answer(entry, status, response.metrics)
        }
        if isStored { lead?.share(entry) } else { lead?.release() }
        return storing(moment, instead: result(isStored: false)) {
            var isReplaced = isStored && store.replace(old, by: new) != nil
            if isMoved || !isKept { store.remove(old.response) }
            if isReplaced, lead?.flight.isInvalidated == true {
                store.remove(new)
                isReplaced = false
            }
            lead?.end(.notStored)
            return result(isStored: isReplaced)
        }
    }

    /// Runs `work`, on this thread if it takes no time.
    private mutating func storing(
        _ moment: PolicyMoment, instead: Result, _ work: @escaping @Sendable () -> Result
    ) -> Result {
        if store.isImmediate { return work() }
        let storing = CacheWork(work)
        state = .storing(storing, instead: instead)
        return .step(storing.step)
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
}

extension HTTPError {
    /// Whether the failure lies with the server or the way to it.
    var meansUnreachable: Bool {
        switch self {
        case .timedOut, .resolution, .connection, .tls, .protocolViolation, .truncatedBody: true
        case .invalidRequest, .unsupported, .cancelled, .destinationRefused, .limitExceeded,
            .body, .interceptor, .redirect, .unacceptableStatus, .decoding, .other:
            false
        }
    }
}
