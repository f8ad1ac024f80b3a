import HTTPSupport

/// One call through a cache.
///
/// A redirect is stored and used like any other response. It is therefore followed here and not in the engine: each
/// redirect starts over with the responses stored under its URL.
struct CachePolicy: PlacedPolicy {
    let cache: HTTPCache
    /// The duty of a background call to validate what is stored; nil for a call of the program.
    private let duty: CacheDuty?
    private var below: CacheSurroundings
    private var stage = CacheStage.beginning
    private var course = RedirectCourse()

    init(_ cache: HTTPCache, validating duty: CacheDuty? = nil, above below: CacheSurroundings = CacheSurroundings()) {
        (self.cache, self.duty, self.below) = (cache, duty, below)
    }

    mutating func place(above client: any HTTPClient) { below = CacheSurroundings(above: client) }

    mutating func prepare(above policies: [any CallPolicy]) { below.policies = policies }

    /// The stages follow in this order, for each URL of the call. Only a stored response that turns out to be of no use
    /// leads back to an exchange, which then knows of none.
    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        if case .interrupted(let error) = event { stage = stage.interrupted(by: error) }
        while true {
            switch stage {
            case .beginning: stage = visit(moment.request)
            // The store has been read.
            case .lookup(let lookup):
                let now = moment.unixTime
                let verdict = lookup.verdict(at: now)
                switch verdict {
                case .fail(let reason): stage = lookup.visit.notCached(reason)
                // A hit neither waits nor sends, so nobody else would look.
                case .use where moment.isCancelled: return .finish(.failure(moment.cancelled(.queued)))
                case .use(let place, isRevalidationDue: false): stage = lookup.use(place, at: now)
                case .use(let place, isRevalidationDue: true): stage = lookup.revalidate(place, moment)
                case .validate, .send: stage = lookup.join(verdict, moment)
                }
            // Another call asks the server the same.
            case .following(let flight, let lookup, let verdict): stage = lookup.follow(flight, verdict, moment)
            // The server has to be asked, on condition that what is stored has changed.
            case .exchange(let exchange): stage = exchange.isForbidden ?? exchange.send(moment)
            // Of a redirect only the head has to be whole. A stored response replaces another failure. Else a 304 confirms
            // one, or the answer is stored and delivered.
            case .asked(let exchange):
                guard case .answered(let outcome) = event else { return .pass }
                stage =
                    exchange.redirect(for: outcome) ?? exchange.standIn(for: outcome, moment)
                    ?? exchange.take(outcome, moment)
            case .working(let work): stage = work.result
            case .delivery(let delivery): stage = delivery.deliver(moment)
            case .response(let response): stage = redirect(response)
            case .finished(let outcome): return .finish(outcome)
            case .waiting(let step, let next):
                stage = next
                return step
            }
        }
    }

    /// Begins with the request, or with its redirect.
    private func visit(_ request: Request) -> CacheStage {
        let sent = below.foreseen(course.confined(request))
        let question = CacheRequest(
            request, sent: sent ?? request, trust: below.trust, mayChange: below.hasClosures || sent == nil)
        let visit = CacheVisit(cache: cache, below: below, request: question, course: course, isValidation: duty != nil)
        if let bypass = question.bypass { return .exchange(CacheExchange(visit, bypassing: bypass)) }
        // What will be sent shows only then: nothing stored can be for it.
        return sent == nil ? .exchange(CacheExchange(visit, [], .send(.miss))) : CacheLookup(visit).read()
    }

    /// Delivers a response to the caller, or follows its redirect.
    private mutating func redirect(_ response: Response) -> CacheStage {
        let request = response.request
        if response[NewCookiesKey.self] { course.noteNewCookies() }
        switch course.next(response.status, response.headers, answering: request) {
        case .final: return .finished(.success(response))
        case .follow(let next, _): return visit(next)
        case .refuse(let reason, let location):
            let record = CallRecord(request, phase: .receiving, metrics: response.metrics, redirects: course.hops)
            let failure = RedirectFailure(reason, status: response.status, location: location, record: record)
            return .finished(.failure(.redirect(failure)))
        }
    }
}

/// Where a call is on its way through the cache.
enum CacheStage: Sendable {
    case beginning
    case lookup(CacheLookup)
    case following(CacheFlight, CacheLookup, CacheVerdict)
    case exchange(CacheExchange)
    case asked(CacheExchange)
    case working(CacheWork)
    case delivery(CacheDelivery)
    case response(Response)
    case finished(Result<Response, HTTPError>)
    /// The event that the step ends with is for the stage behind it.
    indirect case waiting(PolicyStep, CacheStage)

    /// The call ends here. A response that has only to be stored yet is delivered, unless the call was cancelled.
    func interrupted(by error: HTTPError) -> CacheStage {
        if case .following(_, let lookup, _) = self { return .finished(.failure(error.during(lookup.visit))) }
        guard case .working(let work) = self else { return .finished(.failure(error)) }
        let failure = CacheStage.finished(.failure(error.during(work.visit)))
        guard let late = work.late else { return failure }
        // It had failed before.
        if case .finished(.failure) = late { return late }
        if case .cancelled = error { return failure }
        return late
    }
}

/// Blocking work, with the stage that it leads to.
final class CacheWork: Sendable {
    let visit: CacheVisit
    /// What follows if the time of the call is up first; nil for its failure.
    let late: CacheStage?
    private let work: @Sendable () -> CacheStage
    private let done = Locked<CacheStage?>(nil)

    init(_ visit: CacheVisit, late: CacheStage?, _ work: @escaping @Sendable () -> CacheStage) {
        (self.visit, self.late, self.work) = (visit, late, work)
    }

    func run() {
        let stage = work()
        done.withLock { $0 = stage }
    }

    /// The result, once it has run. Before that, the work is done here.
    var result: CacheStage { done.withLock { $0 } ?? work() }
}
