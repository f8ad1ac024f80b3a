/// One call through a cache: for each URL on its way a look-up, then perhaps an exchange with the server, then the
/// delivery.
///
/// A redirect is stored and used like any other response. It is therefore followed here and not in the engine: each
/// redirect starts over with the responses stored under its URL.
struct CachePolicy: PlacedPolicy {
    let cache: HTTPCache
    /// The duty of a background call to validate what is stored; nil for a call of the program.
    private let duty: CacheDuty?
    /// What is below.
    private var below: CacheSurroundings
    private var stage = Stage.beginning
    private var course = RedirectCourse()

    init(_ cache: HTTPCache, validating duty: CacheDuty? = nil, above below: CacheSurroundings = CacheSurroundings()) {
        self.cache = cache
        self.duty = duty
        self.below = below
    }

    mutating func place(above client: any HTTPClient) { below = CacheSurroundings(above: client) }

    mutating func prepare(above policies: [any CallPolicy]) { below.policies = policies }

    /// What the call waits for. The stages are values that do not know each other: the type of each one's result says
    /// where it may lead.
    private enum Stage: Sendable {
        case beginning
        case lookup(CacheLookup)
        case exchange(CacheExchange)
        case delivery(CacheDelivery)
        /// What the cache leaves alone.
        case passage(CachePassage)
    }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        var event = event
        while true {
            if let step = advance(event, moment) { return step }
            event = .started
        }
    }

    /// Nil if another stage follows. For one URL it is a later one, but for a stored response that turns out to be of no
    /// use: the exchange that follows then knows of none.
    private mutating func advance(_ event: PolicyEvent, _ moment: PolicyMoment) -> PolicyStep? {
        switch stage {
        case .beginning: return visit(moment.request)
        case .lookup(var lookup):
            switch lookup.next(event, moment) {
            case .step(let step): return stay(.lookup(lookup), step)
            case .answer(let entry, let status): return enter(.delivery(CacheDelivery(lookup.visit, entry, status)))
            case .ask(let question): return enter(.exchange(CacheExchange(lookup.visit, question)))
            case .pass(let problem): return enter(.passage(CachePassage(lookup.visit, .bypass, detail: problem)))
            case .fail(let error): return .finish(.failure(error))
            }
        case .exchange(var exchange):
            switch exchange.next(event, moment) {
            case .step(let step): return stay(.exchange(exchange), step)
            case .answer(let entry, let status, let metrics):
                return enter(.delivery(CacheDelivery(exchange.visit, entry, status, metrics)))
            case .deliver(let response): return deliver(response)
            case .fail(let error): return .finish(.failure(error))
            }
        case .delivery(var delivery):
            switch delivery.next(event, moment) {
            case .step(let step): return stay(.delivery(delivery), step)
            case .deliver(let response): return deliver(response)
            case .useless: return useless(delivery.visit)
            case .fail(let error): return .finish(.failure(error))
            }
        case .passage(var passage):
            let step = passage.next(event, moment)
            return stay(.passage(passage), step)
        }
    }

    private mutating func stay(_ stage: Stage, _ step: PolicyStep) -> PolicyStep {
        self.stage = stage
        return step
    }

    private mutating func enter(_ stage: Stage) -> PolicyStep? {
        self.stage = stage
        return nil
    }

    /// Begins with the request, or with its redirect.
    private mutating func visit(_ request: Request) -> PolicyStep? {
        let sent = below.foreseen(course.confined(request))
        let question = CacheRequest(
            request, sent: sent ?? request, trust: below.trust, mayChange: below.hasClosures || sent == nil)
        let visit = CacheVisit(cache: cache, below: below, request: question, course: course, isValidation: duty != nil)
        if let bypass = visit.request.bypass { return enter(.passage(CachePassage(visit, bypass))) }
        // What will be sent shows only then: nothing stored can be for it.
        return sent == nil ? useless(visit) : enter(.lookup(CacheLookup(visit)))
    }

    /// The stored response does not have what the request wants, or cannot be read: the server is asked.
    private mutating func useless(_ visit: CacheVisit) -> PolicyStep? {
        guard !visit.request.control.onlyIfCached else { return .finish(.failure(visit.notCached(.miss))) }
        return enter(.exchange(CacheExchange(visit, .unconditional)))
    }

    /// Delivers a response to the caller, or follows its redirect.
    private mutating func deliver(_ response: Response) -> PolicyStep? {
        let request = response.request
        if request.cookies != nil, response.headers.contains("Set-Cookie"), response.cacheStatus?.isFromStore == false {
            course.noteNewCookies()
        }
        switch course.next(response.status, response.headers, answering: request) {
        case .final: return .finish(.success(response))
        case .follow(let next, _): return visit(next)
        case .refuse(let reason, let location):
            let record = CallRecord(request, phase: .receiving, metrics: response.metrics, redirects: course.hops)
            return .finish(
                .failure(
                    .redirect(RedirectFailure(reason, status: response.status, location: location, record: record))))
        }
    }
}

/// One URL of a call, for all stages.
struct CacheVisit: Sendable {
    let cache: HTTPCache
    let below: CacheSurroundings
    let request: CacheRequest
    /// The redirects before it.
    let course: RedirectCourse
    /// Whether this is the background call that validates a stale response while that is used.
    let isValidation: Bool

    var store: any CacheStore { cache.store }
    var hops: [RedirectHop] { course.hops }

    func notCached(_ reason: CacheStatus.Forward) -> HTTPError {
        .other(NotCached(reason, record: CallRecord(request.request, redirects: hops)))
    }

    /// The server's response, as one to the caller's request.
    func own(_ response: Response, _ status: CacheStatus) -> Response {
        response.answering(request.request, behind: hops, status)
    }
}

/// Work on the store, with its result.
final class CacheWork<Value: Sendable>: Sendable {
    private let work: @Sendable () -> Value
    private let result = Locked<Value?>(nil)

    init(_ work: @escaping @Sendable () -> Value) { self.work = work }

    var step: PolicyStep {
        .run(because: .cache) { [self] in
            let value = work()
            result.withLock { $0 = value }
        }
    }

    /// The result, once the step is done. Before that, the work is done here.
    var value: Value { result.withLock { $0 } ?? work() }
}

extension Response {
    /// This response as one to `request`, after these redirects.
    func answering(_ request: Request, behind hops: [RedirectHop], _ status: CacheStatus) -> Response {
        var carried = carried
        carried[CacheStatusKey.self] = status
        return Response(
            request: request, status: self.status, reason: reason, version: version, headers: headers,
            trailers: trailers, body: body, bodyByteCount: bodyByteCount, metrics: metrics,
            redirects: hops + redirects, carrying: carried)
    }
}

extension HTTPError {
    /// The same error with these redirects before its own.
    func behind(_ hops: [RedirectHop]) -> HTTPError {
        guard !hops.isEmpty else { return self }
        return changingRecord { $0.redirects = hops + $0.redirects }
    }
}
