/// Finds what answers a request: a stored response, the response to the same request of another call, or the server.
struct CacheLookup: Sendable {
    enum Result: Sendable {
        /// It waits, and is asked again.
        case step(PolicyStep)
        case answer(CacheEntry, CacheStatus)
        case ask(CacheQuestion)
        /// The store does not work, for this reason.
        case pass(String)
        case fail(HTTPError)
    }

    let visit: CacheVisit
    private var state = State.beginning
    /// How often it has waited for the exchange of another call.
    private var follows = 0
    /// When it stops waiting for others.
    private var patienceEnd: TimePoint?
    /// The number of ended exchanges when it looked at the store.
    private var endedBefore = 0

    private static let mostFollows = 2

    init(_ visit: CacheVisit) { self.visit = visit }

    private enum State: Sendable {
        case beginning
        case looking(CacheWork<CacheView>)
        /// It is to ask the server, unless another call has stored a response since it looked.
        case lookingAgain(CacheWork<CacheView>, CacheQuestion)
        case following(CacheFlight, CacheQuestion)
        /// Uses the stale response once another call validates it.
        case handingOver(CacheEntry)
    }

    private var request: CacheRequest { visit.request }
    private var flights: CacheFlights { visit.cache.flights }

    mutating func next(_ event: PolicyEvent, _ moment: PolicyMoment) -> Result {
        if case .interrupted(let error) = event { return .fail(error) }
        switch state {
        case .beginning: return look(moment)
        case .looking(let work): return judge(work.value, moment)
        case .lookingAgain(let work, let question): return judge(work.value, again: question, moment)
        case .following(let flight, let question):
            // A few times at most: each look takes what the exchange of another call has left.
            return follow(flight, question, moment) ?? look(moment)
        case .handingOver(let entry): return .answer(entry, .hit(entry.response, at: moment.unixTime))
        }
    }

    // MARK: The store

    private mutating func look(_ moment: PolicyMoment) -> Result {
        endedBefore = flights.endedCount
        let (store, key) = (visit.store, request.key)
        if store.isImmediate { return judge(CacheView(store, key), moment) }
        let work = CacheWork { CacheView(store, key) }
        state = .looking(work)
        return .step(work.step)
    }

    private mutating func judge(_ view: CacheView, _ moment: PolicyMoment) -> Result {
        if let problem = view.problem {
            return request.control.onlyIfCached ? .fail(visit.notCached(.bypass)) : .pass(problem)
        }
        let now = moment.unixTime
        let verdict = CacheVerdict(view.entries, for: request, at: now)
        switch verdict {
        case .use(let place, isRevalidationDue: false):
            return .answer(view.entries[place], .hit(view.entries[place].response, at: now))
        case .use(let place, isRevalidationDue: true): return use(place, view.entries, moment)
        case .fail(let reason): return .fail(visit.notCached(reason))
        case .validate, .send: return share(CacheQuestion(view.entries, verdict), moment)
        }
    }

    /// Uses the stale response while it is validated, by this call or another.
    private mutating func use(_ place: Int, _ stored: [CacheEntry], _ moment: PolicyMoment) -> Result {
        let entry = stored[place]
        let hit = Result.answer(entry, .hit(entry.response, at: moment.unixTime))
        let key = CacheFlightKey(request, stored)
        if !visit.isValidation {
            switch flights.revalidation(of: key, canSendInBackground: moment.canSendInBackground) {
            case .others: return hit
            case .background(let duty):
                state = .handingOver(entry)
                let request = request.request.forRevalidation(atMost: visit.store.largestBody)
                let policy = CachePolicy(visit.cache, validating: duty, above: visit.below)
                return .step(.sendInBackground(visit.course.confined(request), policy: policy))
            case .here: break
            }
        }
        let mayAsk = entry.response.hasValidator && !request.isConditional && !request.isHead && request.range == nil
        var question = CacheQuestion(stored, mayAsk ? .validate([place], .stale) : .send(.stale))
        guard request.isCollapsible else { return .ask(question) }
        switch flights.join(key, at: moment.time) {
        case .lead(let lead):
            question.lead = lead
            return .ask(question)
        // It is being validated, or that has just ended.
        case .follow: return hit
        }
    }

    // MARK: The exchanges of other calls

    /// Asks the server, unless another call is asking the same.
    private mutating func share(_ question: CacheQuestion, _ moment: PolicyMoment) -> Result {
        guard request.isCollapsible, follows < Self.mostFollows else { return .ask(question) }
        switch flights.join(CacheFlightKey(request, question.stored), at: moment.time) {
        case .lead(let lead):
            var question = question
            question.lead = lead
            guard flights.endedCount != endedBefore else { return .ask(question) }
            return lookAgain(question, moment)
        case .follow(let flight):
            follows += 1
            let end = patienceEnd ?? moment.time + Self.patience(moment)
            patienceEnd = end
            state = .following(flight, question)
            return wait(for: flight, until: min(end, flight.end))
        }
    }

    private func wait(for flight: CacheFlight, until end: TimePoint) -> Result {
        .step(.wait(until: end.instant, for: flight.outcome.signal, because: .collapsed))
    }

    /// How long the call waits for others in all. Most of its time is left for an exchange of its own.
    private static func patience(_ moment: PolicyMoment) -> Duration {
        min(CacheFlights.patience.duration, max(.zero, moment.timeLeft.map { $0 / 4 } ?? .seconds(60)))
    }

    /// Nil if the store has to be looked at again.
    private mutating func follow(
        _ flight: CacheFlight, _ question: CacheQuestion, _ moment: PolicyMoment
    ) -> Result? {
        switch flight.outcome.value {
        case nil:
            let end = min(patienceEnd ?? moment.time, flight.end)
            return moment.time < end ? wait(for: flight, until: end) : .ask(question)
        case .stored(let entry):
            let now = moment.unixTime
            // The store may not have it yet. Whether it is stale already does not matter: it came for this call, too.
            if case .use = CacheVerdict([entry], for: request, at: now) {
                return .answer(entry, .hit(entry.response, at: now, isCollapsed: true))
            }
            follows = Self.mostFollows
            return nil
        case .notStored: return .ask(question)
        case .abandoned: return nil
        }
    }

    /// Checks the store again: the exchange of another call ended after the first look, and may have stored a response.
    private mutating func lookAgain(_ question: CacheQuestion, _ moment: PolicyMoment) -> Result {
        let (store, key) = (visit.store, request.key)
        if store.isImmediate { return judge(CacheView(store, key), again: question, moment) }
        let work = CacheWork { CacheView(store, key) }
        state = .lookingAgain(work, question)
        return .step(work.step)
    }

    private func judge(_ view: CacheView, again question: CacheQuestion, _ moment: PolicyMoment) -> Result {
        let now = moment.unixTime
        let verdict = CacheVerdict(view.entries, for: request, at: now)
        switch verdict {
        // Whether it is stale already does not matter: it was stored while this call was on its way.
        case .use(let place, isRevalidationDue: _):
            let entry = view.entries[place]
            question.lead?.end(.stored(entry))
            return .answer(entry, .hit(entry.response, at: now, isCollapsed: true))
        case .validate, .send: return .ask(CacheQuestion(view.entries, verdict, question.lead))
        case .fail: return .ask(question)
        }
    }
}

/// What the store has for a URL.
struct CacheView: Sendable {
    let entries: [CacheEntry]
    /// Why the store does not work; nil if it does.
    let problem: String?

    /// Blocks, unless the store is immediate.
    init(_ store: any CacheStore, _ key: CacheKey) {
        entries = store.entries(for: key)
        problem = store.problem
    }
}

/// What is asked of the server.
struct CacheQuestion: Sendable {
    /// All responses stored under the URL.
    let stored: [CacheEntry]
    /// Whether and by which of them the request is conditional.
    let verdict: CacheVerdict
    /// Nil if no other call waits for the exchange.
    var lead: CacheLead?

    init(_ stored: [CacheEntry], _ verdict: CacheVerdict, _ lead: CacheLead? = nil) {
        (self.stored, self.verdict, self.lead) = (stored, verdict, lead)
    }

    /// The request as it is, whatever is stored.
    static let unconditional = CacheQuestion([], .send(.miss))
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
    /// The same request with a destination for the store only.
    func forRevalidation(atMost bytes: Int64) -> Request {
        Request(self, headers: headers) { options in
            options.destination = .memory
            options.carried[ProgressKey.self] = nil
            options.limits.bodyBytes = Int(min(bytes, Int64(Int.max)))
        }
    }
}
