/// One call through a cache: for each URL on its way a look-up, then perhaps an exchange with the server, then the
/// delivery.
///
/// A redirect is stored and used like any other response. It is therefore followed here and not in the engine: each
/// redirect starts over with the responses stored under its URL.
struct CachePolicy: PlacedPolicy {
    var workCause: CallActivity { .cache }
    let cache: HTTPCache
    /// The duty of a background call to validate what is stored; nil for a call of the program.
    private let duty: CacheDuty?
    /// What is below.
    private var below: CacheSurroundings
    private var stage = Stage.beginning
    /// The redirects followed so far.
    private var hops: [RedirectHop] = []
    /// How many URLs on the way were visited with other cookies.
    private var outdatedVisits = 0

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
        let sent = below.foreseen(CacheVisit.outgoing(request, behind: hops))
        let question = CacheRequest(
            request, sent: sent ?? request, trust: below.trust, mayChange: below.hasClosures || sent == nil)
        let visit = CacheVisit(cache: cache, below: below, request: question, hops: hops, isValidation: duty != nil)
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
        guard request.redirects.limit > 0, response.status.isRedirection,
            let head = try? ResponseHead(
                version: response.version, status: response.status, headers: response.headers.onlyLocation)
        else { return .finish(.success(response)) }
        if request.cookies != nil, response.headers.contains("Set-Cookie"), response.cacheStatus?.isFromStore == false {
            outdatedVisits = hops.count + 1
        }
        switch RedirectDecision(head, answering: request, after: hops, outdatedVisits: outdatedVisits) {
        case .final: return .finish(.success(response))
        case .refuse(let reason, let location): return refuse(reason, response, location)
        case .follow(let next, let hop):
            if case .refuse(let words)? = request.redirects.hook?.decide(hop) {
                return refuse(.refusedByPolicy(words), response, hop.location)
            }
            hops.append(hop)
            return visit(next)
        }
    }

    private func refuse(
        _ reason: RedirectFailure.Reason, _ response: Response, _ location: HTTPURL?
    ) -> PolicyStep {
        let record = CallRecord(response.request, phase: .receiving, metrics: response.metrics, redirects: hops)
        return .finish(
            .failure(.redirect(RedirectFailure(reason, status: response.status, location: location, record: record))))
    }
}

/// One URL of a call, for all stages.
struct CacheVisit: Sendable {
    let cache: HTTPCache
    let below: CacheSurroundings
    let request: CacheRequest
    /// The redirects before it.
    let hops: [RedirectHop]
    /// Whether this is the background call that validates a stale response while that is used.
    let isValidation: Bool

    var store: any CacheStore { cache.store }

    func notCached(_ reason: CacheStatus.Forward) -> HTTPError {
        .notCached(NotCached(reason, record: CallRecord(request.request, redirects: hops)))
    }

    /// The request as it goes to the policies below: behind a redirect to another origin, what they add for the call's
    /// own origin is not sent.
    func outgoing(_ request: Request) -> Request { Self.outgoing(request, behind: hops) }

    static func outgoing(_ request: Request, behind hops: [RedirectHop]) -> Request {
        let isLed = request.hop != nil || hops.contains { $0.url.origin != $0.location.origin }
        return isLed ? request.asHop(from: hops.first?.url.origin ?? request.origin) : request
    }

    /// The server's response, as one to the caller's request.
    func own(_ response: Response, _ status: CacheStatus) -> Response {
        response.answering(request.request, behind: hops, status)
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

extension RedirectDecision {
    /// Whether a response with this head, from the server or the store, is a redirect that is followed.
    static func isFollowedRedirect(_ status: HTTPStatus, _ headers: HTTPHeaders, answering request: Request) -> Bool {
        guard request.redirects.limit > 0, status.isRedirection else { return false }
        return (try? ResponseHead(status: status, headers: headers.onlyLocation))
            .map { isFollowedRedirect($0, answering: request) } ?? false
    }
}

extension HTTPHeaders {
    /// The fields that a redirect decision reads.
    fileprivate var onlyLocation: HTTPHeaders {
        var headers = self
        headers.removeAll { !$0.isNamed("Location") }
        return headers
    }
}

extension Response {
    /// This response as one to `request`, after these redirects.
    func answering(_ request: Request, behind hops: [RedirectHop], _ status: CacheStatus) -> Response {
        Response(
            request: request, status: self.status, reason: reason, version: version, headers: headers,
            trailers: trailers, body: body, bodyByteCount: bodyByteCount, metrics: metrics,
            redirects: hops + redirects, cacheStatus: status)
    }
}

extension HTTPError {
    /// The same error with these redirects before its own.
    func behind(_ hops: [RedirectHop]) -> HTTPError {
        guard !hops.isEmpty else { return self }
        return changingRecord { $0.redirects = hops + $0.redirects }
    }
}
