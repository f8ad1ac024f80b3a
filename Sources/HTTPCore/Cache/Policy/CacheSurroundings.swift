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
