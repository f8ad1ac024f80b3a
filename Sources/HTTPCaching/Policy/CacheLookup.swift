import HTTPSupport

/// What the store has for a request, and what follows from it: a stored response is used, the response to the same
/// request of another call, or the server is asked.
struct CacheLookup: Sendable {
    private(set) var visit: CacheVisit
    /// All responses stored under the URL.
    private var stored: [CacheEntry] = []
    /// The duty to ask the server for all who wait. It then looks once more.
    private var lead: CacheLead?
    /// How often it has waited for the exchange of another call.
    private var follows = 0
    /// When it stops waiting for others.
    private var waitEnd: TimePoint?
    /// The number of ended exchanges when it looked at the store.
    private var endedBefore = 0

    private static let mostFollows = 2

    init(_ visit: CacheVisit) { self.visit = visit }

    private var request: CacheRequest { visit.request }
    private var flights: CacheFlights { visit.cache.flights }

    // MARK: The store

    func read() -> CacheStage {
        var lookup = self
        lookup.endedBefore = flights.endedCount
        return visit.store.isImmediate ? lookup.found() : visit.run { [lookup] in lookup.found() }
    }

    /// Blocks, unless the store is immediate.
    private func found() -> CacheStage {
        var lookup = self
        lookup.stored = visit.store.entries(for: request.key)
        let mark = visit.store.mark(of: request.key)
        lookup.visit.mark = mark
        // Its request has not been sent.
        lead?.flight.note(mark)
        guard let problem = visit.store.problem, lead == nil else { return .lookup(lookup) }
        return .exchange(CacheExchange(visit, bypassing: .bypass, problem))
    }

    func verdict(at now: Double) -> CacheVerdict { CacheVerdict(stored.map(\.response), for: request, at: now) }

    func use(_ place: Int, at now: Double) -> CacheStage {
        lead?.end(.stored(stored[place]))
        return hit(stored[place], at: now, isCollapsed: lead != nil)
    }

    private func hit(
        _ entry: CacheEntry, at now: Double, isCollapsed: Bool, then next: PolicyStep? = nil
    ) -> CacheStage {
        var delivery = CacheDelivery(visit, entry, .fromStore(entry.response, at: now, isCollapsed: isCollapsed))
        delivery.next = next
        return .delivery(delivery)
    }

    /// Uses the stale response while it is validated, by this call or another.
    func revalidate(_ place: Int, _ moment: PolicyMoment) -> CacheStage {
        let hit = use(place, at: moment.unixTime)
        // Whether it is stale already does not matter: it was stored while this call was on its way.
        guard lead == nil else { return hit }
        let key = CacheFlightKey(request, stored)
        if !visit.isValidation {
            switch flights.revalidation(of: key, canSendInBackground: moment.canSendInBackground) {
            case .others: return hit
            case .background(let duty):
                let request = request.request.forRevalidation(atMost: visit.store.largestBody)
                let policy = CachePolicy(visit.cache, validating: duty, above: visit.below)
                let step = PolicyStep.sendInBackground(visit.course.confined(request), policy: policy)
                // Its answer may replace a file that is still to be read. The reader of a stream may take its time.
                guard !self.request.request.destination.isStream else { return .waiting(step, hit) }
                return self.hit(stored[place], at: moment.unixTime, isCollapsed: false, then: step)
            case .here: break
            }
        }
        let verdict = CacheVerdict.asking(about: place, of: stored[place].response, for: request, because: .stale)
        guard request.isCollapsible else { return ask(verdict) }
        switch flights.join(key, at: moment.time, visit.mark) {
        case .lead(let lead): return ask(verdict, lead)
        // It is being validated, or that has just ended.
        case .follow: return hit
        }
    }

    private func ask(_ verdict: CacheVerdict, _ lead: CacheLead? = nil) -> CacheStage {
        .exchange(CacheExchange(visit, stored, verdict, lead))
    }

    // MARK: The exchanges of other calls

    /// Asks the server, unless another call is asking the same.
    func join(_ verdict: CacheVerdict, _ moment: PolicyMoment) -> CacheStage {
        guard lead == nil, request.isCollapsible, follows < Self.mostFollows else { return ask(verdict, lead) }
        var lookup = self
        switch flights.join(CacheFlightKey(request, stored), at: moment.time, visit.mark) {
        case .lead(let lead):
            guard flights.endedCount != endedBefore else { return ask(verdict, lead) }
            // The exchange of another call ended after the look at the store, and may have stored a response.
            lookup.lead = lead
            return lookup.read()
        case .follow(let flight):
            lookup.follows += 1
            // Most of its time is left for an exchange of its own.
            let limit = max(.zero, moment.timeLeft.map { $0 / 4 } ?? .seconds(60))
            let end = waitEnd ?? moment.time + min(CacheFlights.waitLimit.duration, limit)
            lookup.waitEnd = end
            return lookup.wait(for: flight, until: min(end, flight.end), verdict)
        }
    }

    private func wait(for flight: CacheFlight, until end: TimePoint, _ verdict: CacheVerdict) -> CacheStage {
        .waiting(
            .wait(until: end.instant, for: flight.outcome.signal, because: .collapsed),
            .following(flight, self, verdict))
    }

    /// Uses the response to another call's request. If there is none for this one, it asks the server, or looks at the
    /// store again: a few times at most, as each look takes what the exchange of another call has left.
    func follow(_ flight: CacheFlight, _ verdict: CacheVerdict, _ moment: PolicyMoment) -> CacheStage {
        switch flight.outcome.value {
        case nil:
            let end = min(waitEnd ?? moment.time, flight.end)
            return moment.time < end ? wait(for: flight, until: end, verdict) : ask(verdict)
        case .stored(let entry):
            let now = moment.unixTime
            // The store may not have it yet. Whether it is stale already does not matter: it came for this call, too.
            if case .use = CacheVerdict([entry.response], for: request, at: now) {
                return hit(entry, at: now, isCollapsed: true)
            }
            var lookup = self
            lookup.follows = Self.mostFollows
            return lookup.read()
        case .notStored: return ask(verdict)
        case .abandoned: return read()
        }
    }
}

extension CacheRequest {
    /// Whether the exchange of another call may answer it. A request for a fresh exchange gets one. A body that does not
    /// go to memory is not waited for: its first bytes may be wanted at once, and whoever takes it sets the pace.
    var isCollapsible: Bool {
        !isConditional && !isHead && range == nil && !control.noCache && control.maxAge == nil
            && request.destination.isMemory
    }
}

extension Request {
    /// The same request with a destination for the store only. Nobody watches it: the call that it was is over by then. It
    /// takes no more memory than that could: a body for elsewhere goes to the store as it comes.
    func forRevalidation(atMost bytes: Int64) -> Request {
        Request(self, headers: headers) { options in
            options.destination = destination.isMemory ? .memory : .discard
            options.carried[ProgressKey.self] = ProgressKey.defaultValue
            options.carried[ObserverKey.self] = nil
            options.carried[RenewalKey.self] = nil
            options.carried[DeliveryKey.self] = nil
            options.limits.bodyBytes = min(limits.bodyBytes, Int(clamping: bytes))
        }
    }
}
