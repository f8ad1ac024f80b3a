/// One call through a cache. Each step between request and response is decided by pure functions.
///
/// A redirect is stored and used like any other response. It is therefore followed here and not in the engine: each
/// redirect starts over with the responses stored under its URL.
struct CachePolicy: CallPolicy {
    var workCause: CallWait.Cause { .cache }
    let cache: HTTPCache
    /// Whether the call validates a stale response, even if that may be used meanwhile.
    var isRevalidation = false

    var stage = Stage.beginning
    /// The redirects followed so far.
    var hops: [RedirectHop] = []
    /// How many URLs on the way were visited with other cookies.
    var outdatedVisits = 0
    /// How often reading from disk has failed for this URL.
    var badReads = 0
    /// Whether it has waited for the exchange of another call and got no usable response.
    var hasFollowed = false
    /// The number of ended exchanges when it looked at the store.
    private var endedBefore = 0

    init(_ cache: HTTPCache, isRevalidation: Bool = false) {
        self.cache = cache
        self.isRevalidation = isRevalidation
    }

    /// The state of the call: what it waits for.
    enum Stage: Sendable {
        case beginning
        case looking(CacheRequest, CacheWork<[CacheEntry]>)
        /// Sends according to the verdict, unless another call has stored a response since.
        case lookingAgain(CacheRequest, CacheWork<[CacheEntry]>, [CacheEntry], CacheVerdict, CacheLead)
        case following(CacheRequest, CacheFlight.Place, [CacheEntry], CacheVerdict)
        case asking(CacheExchange)
        case passing(CacheRequest, CacheStatus.Forward)
        /// The response is being stored; an awaited call delivers it without waiting.
        case storing(Response)
        case delivering(CacheRequest, CacheEntry, CacheWork<CacheDelivery>)
        /// Uses the stale response once another call validates it.
        case handingOver(CacheRequest, CacheEntry)
    }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started: return begin(moment.request, moment)
        case .answered(let outcome): return take(outcome, moment)
        case .resumed: return goOn(moment)
        case .interrupted(let error):
            if case .following(_, let place, _, _) = stage { place.leave() }
            return .finish(.failure(error))
        }
    }

    private mutating func goOn(_ moment: PolicyMoment) -> PolicyStep {
        switch stage {
        case .looking(let request, let work):
            return work.value.map { decide(request, $0, moment) } ?? .wait(until: nil, .starting)
        case .lookingAgain(let request, let work, let stored, let verdict, let lead):
            return work.value.map { goOn(request, seeing: $0, stored, verdict, lead, moment) }
                ?? .wait(until: nil, .starting)
        case .following(let request, let place, let stored, let verdict):
            return goOn(request, behind: place, stored, verdict, moment)
        case .delivering(let request, let entry, let work):
            return work.value.map { take($0, of: entry, to: request, moment) } ?? .wait(until: nil, .receiving)
        case .storing(let response): return deliver(response, moment)
        case .handingOver(let request, let entry):
            return answer(request, with: entry, .hit(entry.response, at: moment.unixTime), moment)
        case .beginning, .asking, .passing: return .pass
        }
    }

    // MARK: Look-up

    /// Starts with the request, or with its redirect.
    mutating func begin(_ request: Request, _ moment: PolicyMoment) -> PolicyStep {
        let question = CacheRequest(request)
        let bypass = question.bypass ?? (cache.store.problem == nil ? nil : .bypass)
        guard let bypass else { return look(question, moment) }
        if question.control.onlyIfCached { return fail(question, bypass) }
        stage = .passing(question, bypass)
        return .send(outgoing(request))
    }

    private mutating func look(_ request: CacheRequest, _ moment: PolicyMoment) -> PolicyStep {
        let store = cache.store
        endedBefore = cache.flights.endedCount
        if store.isImmediate { return decide(request, store.entries(for: request.key), moment) }
        let work = CacheWork<[CacheEntry]>()
        stage = .looking(request, work)
        return work.step(moment) { store.entries(for: request.key) }
    }

    private mutating func decide(
        _ request: CacheRequest, _ stored: [CacheEntry], _ moment: PolicyMoment
    ) -> PolicyStep {
        let now = moment.unixTime
        let verdict = CacheVerdict(stored, for: request, at: now)
        switch verdict {
        case .use(let place, isRevalidationDue: false):
            return answer(request, with: stored[place], .hit(stored[place].response, at: now), moment)
        case .use(let place, isRevalidationDue: true): return use(request, place, stored, moment)
        case .fail(let reason): return fail(request, reason)
        case .validate, .send: return ask(request, stored, verdict, moment)
        }
    }

    private func fail(_ request: CacheRequest, _ reason: CacheStatus.Forward) -> PolicyStep {
        .finish(.failure(.notCached(NotCached(reason, record: CallRecord(request.request, redirects: hops)))))
    }

    /// Uses the stale response while it is validated.
    private mutating func use(
        _ request: CacheRequest, _ place: Int, _ stored: [CacheEntry], _ moment: PolicyMoment
    ) -> PolicyStep {
        let entry = stored[place]
        let validation =
            entry.response.hasValidator && !request.isConditional && !request.isHead && request.range == nil
            ? CacheVerdict.validate([place], .stale) : .send(.stale)
        guard !isRevalidation else { return ask(request, stored, validation, moment, mayLookAgain: false) }
        let key = CacheFlightKey(request, stored)
        switch cache.flights.revalidation(of: key, canSendInBackground: moment.canSendInBackground) {
        case .here: return ask(request, stored, validation, moment, mayLookAgain: false)
        case .others: return answer(request, with: entry, .hit(entry.response, at: moment.unixTime), moment)
        case .background:
            stage = .handingOver(request, entry)
            let request = request.request.forRevalidation(atMost: cache.store.largestBody)
            return .sendInBackground(outgoing(request), policy: CachePolicy(cache, isRevalidation: true))
        }
    }

    // MARK: Shared exchanges

    /// Sends the request, or waits for a call that has sent the same one. `mayLookAgain`: whether to check the store
    /// again first.
    mutating func ask(
        _ request: CacheRequest, _ stored: [CacheEntry], _ verdict: CacheVerdict, _ moment: PolicyMoment,
        mayLookAgain: Bool = true
    ) -> PolicyStep {
        guard request.isCollapsible, !hasFollowed else { return send(request, stored, verdict, nil, moment) }
        switch cache.flights.join(CacheFlightKey(request, stored)) {
        case .lead(let flight):
            let lead = CacheLead(flight, cache.flights)
            guard mayLookAgain, cache.flights.endedCount != endedBefore else {
                return send(request, stored, verdict, lead, moment)
            }
            return lookAgain(request, stored, verdict, lead, moment)
        case .follow(let flight): return follow(flight, request, stored, verdict, moment)
        }
    }

    private mutating func follow(
        _ flight: CacheFlight, _ request: CacheRequest, _ stored: [CacheEntry], _ verdict: CacheVerdict,
        _ moment: PolicyMoment
    ) -> PolicyStep {
        let place = flight.join(moment.waker)
        stage = .following(request, place, stored, verdict)
        return goOn(request, behind: place, stored, verdict, moment)
    }

    /// Checks the store again: the exchange of another call ended after the first look, and may have stored a response.
    private mutating func lookAgain(
        _ request: CacheRequest, _ stored: [CacheEntry], _ verdict: CacheVerdict, _ lead: CacheLead,
        _ moment: PolicyMoment
    ) -> PolicyStep {
        let store = cache.store
        if store.isImmediate {
            return goOn(request, seeing: store.entries(for: request.key), stored, verdict, lead, moment)
        }
        let work = CacheWork<[CacheEntry]>()
        stage = .lookingAgain(request, work, stored, verdict, lead)
        return work.step(moment) { store.entries(for: request.key) }
    }

    private mutating func goOn(
        _ request: CacheRequest, seeing current: [CacheEntry], _ stored: [CacheEntry], _ verdict: CacheVerdict,
        _ lead: CacheLead, _ moment: PolicyMoment
    ) -> PolicyStep {
        let now = moment.unixTime
        let second = CacheVerdict(current, for: request, at: now)
        switch second {
        case .use(let place, isRevalidationDue: false):
            let entry = current[place]
            lead.land(.stored(entry))
            return answer(request, with: entry, .hit(entry.response, at: now, isCollapsed: true), moment)
        case .use(let place, isRevalidationDue: true):
            lead.land(.abandoned)
            return use(request, place, current, moment)
        case .validate, .send: return send(request, current, second, lead, moment)
        case .fail: return send(request, stored, verdict, lead, moment)
        }
    }

    /// How long a call waits for the exchange of another, which may even run on the same thread.
    private static let patience = Duration.seconds(60)

    private mutating func goOn(
        _ request: CacheRequest, behind place: CacheFlight.Place, _ stored: [CacheEntry], _ verdict: CacheVerdict,
        _ moment: PolicyMoment
    ) -> PolicyStep {
        switch place.flight.outcome {
        case nil:
            let end = moment.start + Self.patience
            guard moment.now < end else {
                place.leave()
                hasFollowed = true
                return send(request, stored, verdict, nil, moment)
            }
            return .wait(until: end, .collapsed)
        case .stored(let entry):
            let now = moment.unixTime
            // The store may not have it yet.
            switch CacheVerdict([entry], for: request, at: now) {
            case .use(_, isRevalidationDue: false):
                return answer(request, with: entry, .hit(entry.response, at: now, isCollapsed: true), moment)
            case .use(_, isRevalidationDue: true): return use(request, 0, [entry], moment)
            case .validate, .send, .fail:
                hasFollowed = true
                return look(request, moment)
            }
        case .notStored:
            hasFollowed = true
            return send(request, stored, verdict, nil, moment)
        case .failed(let error):
            return standIn(for: .failure(error), request, stored, moment) ?? .finish(.failure(error))
        case .abandoned: return look(request, moment)
        }
    }
}

/// Work for another thread, with its result.
final class CacheWork<Value: Sendable>: Sendable {
    private let result = Locked<Value?>(nil)

    /// Nil until it is done.
    var value: Value? { result.withLock { $0 } }

    func step(_ moment: PolicyMoment, _ work: @escaping @Sendable () -> Value) -> PolicyStep {
        let waker = moment.waker
        return .run { [self] in
            let value = work()
            result.withLock { $0 = value }
            waker.wake()
        }
    }
}

/// The duty to land a flight. The flight is abandoned if this is released first.
final class CacheLead: Sendable {
    let flight: CacheFlight
    private let flights: CacheFlights

    init(_ flight: CacheFlight, _ flights: CacheFlights) {
        self.flight = flight
        self.flights = flights
    }

    deinit { land(.abandoned) }

    /// Notifies all waiters. `isKept`: whether calls can still join the flight until `end`, while its result is being
    /// stored.
    func land(_ outcome: CacheFlight.Outcome, isKept: Bool = false) {
        if !isKept { end() }
        flight.land(outcome)
    }

    func end() { flights.remove(flight) }
}

extension CacheRequest {
    /// Whether the exchange of another call may answer it. A request for a fresh exchange gets one.
    var isCollapsible: Bool {
        !isConditional && !isHead && range == nil && !control.noCache && control.maxAge == nil
    }
}

extension Request {
    /// The same request with a destination for the store only.
    func forRevalidation(atMost bytes: Int64) -> Request {
        Request(self, headers: headers) { options in
            options.destination = .memory
            options.progress = nil
            options.limits.bodyBytes = Int(min(bytes, Int64(Int.max)))
        }
    }
}
