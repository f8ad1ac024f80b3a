/// One URL of a call, for all stages.
struct CacheVisit: Sendable {
    let cache: HTTPCache
    let below: CacheSurroundings
    let request: CacheRequest
    /// The redirects before it.
    let course: RedirectCourse
    /// Whether this is the background call that validates a stale response while that is used.
    let isValidation: Bool
    /// The mark of the URL in the store, which the look-up notes.
    var mark: UInt64?

    var store: any CacheStore { cache.store }
    var hops: [RedirectHop] { course.hops }

    /// The end of a request that says only-if-cached, for which nothing is.
    func notCached(_ reason: CacheStatus.Forward, _ problem: String? = nil) -> CacheStage {
        let record = CallRecord(request.request, redirects: hops)
        return .finished(.failure(.other(NotCached(reason, detail: problem, record: record))))
    }

    /// Does work that blocks.
    ///
    /// - Parameters:
    ///   - isOnDisk: Whether it waits for nothing but a disk. Few threads do that for all calls.
    ///   - late: What follows if the time of the call is up first; nil for its failure.
    func run(
        isOnDisk: Bool = true, late: CacheStage? = nil, _ work: @escaping @Sendable () -> CacheStage
    ) -> CacheStage {
        let work = CacheWork(self, late: late, work)
        let step: PolicyStep =
            isOnDisk ? .runOnDisk(because: .cache) { work.run() } : .run(because: .cache) { work.run() }
        return .waiting(step, .working(work))
    }

    /// Does work on the store, on this thread if that takes no time.
    ///
    /// - Parameter late: What follows if the time of the call is up first; nil for its failure.
    func storing(late: @autoclosure () -> CacheStage?, _ work: @escaping @Sendable () -> CacheStage) -> CacheStage {
        store.isImmediate ? work() : run(late: late(), work)
    }
}

extension RedirectCourse {
    /// `request` as it goes to the policies below the one that follows the redirects: behind a redirect to another
    /// origin, what they add for the call's own origin is not sent.
    package func confined(_ request: Request) -> Request {
        let isLed = request.hop != nil || hops.contains { $0.url.origin != $0.location.origin }
        return isLed ? request.asHop(from: hops.first?.url.origin ?? request.origin) : request
    }
}

/// What lies below a cache: whom the client trusts, and what the policies in between do to a request. A stored response
/// is for the request that was sent, not for the one that came to the cache.
struct CacheSurroundings: Sendable {
    /// Nil for a cache that is around no client yet.
    var trust: ClientTrust?
    /// Whether closures of others are below, whose effect cannot be foreseen.
    var hasClosures = false
    /// The policies below, outermost first, if any of them may change a request.
    var policies: [any CallPolicy] = []

    init() {}

    init(above client: any HTTPClient) {
        trust = client.clientTrust
        let policies = (client as? PolicyClient)?.policies ?? []
        hasClosures = client.hasClosures || policies.contains { !($0 is any ForeseeablePolicy) }
    }

    /// The request as it will be sent, as far as the policies below are known. Nil if one of them cannot tell yet.
    func foreseen(_ request: Request) -> Request? {
        var request = request
        for policy in policies {
            guard let policy = policy as? any ForeseeablePolicy else { continue }
            guard let next = policy.foreseen(request) else { return nil }
            request = next
        }
        return request
    }
}

extension HTTPClient {
    /// The trust of the innermost client. One that this package does not know has that of its type.
    var clientTrust: ClientTrust {
        switch self {
        case let client as any TrustingClient: client.trust
        case let client as any WrappingClient: client.wrapped.clientTrust
        default: ClientTrust("\(type(of: self))")
        }
    }

    /// Whether closures of others, which may add anything to a request, lie between this and the innermost client.
    var hasClosures: Bool {
        guard let client = self as? any WrappingClient else { return false }
        return client.mayChangeRequests || client.wrapped.hasClosures
    }
}
