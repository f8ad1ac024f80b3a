/// The redirects of one call, for whoever follows them: an engine's plan, or the cache.
package struct RedirectCourse: Sendable {
    /// Those followed so far.
    package private(set) var hops: [RedirectHop] = []
    /// How many URLs were visited before the cookies last changed: the call may visit them again.
    private var outdatedVisits = 0

    package init() {}

    /// The last response has changed the cookies that the next request will have. Call it before `next`.
    package mutating func noteNewCookies() { outdatedVisits = hops.count + 1 }

    /// What follows from a response to `request`, by the rules and then by the hook of its policy. A redirect that is
    /// followed is one of the `hops` from then on.
    package mutating func next(
        _ status: HTTPStatus, _ headers: HTTPHeaders, answering request: Request
    ) -> RedirectDecision {
        let decision = RedirectDecision(
            status, headers, answering: request, after: hops, outdatedVisits: outdatedVisits)
        guard case .follow(_, let hop) = decision else { return decision }
        if case .refuse(let words)? = request.redirects.hook?.decide(hop) {
            return .refuse(.refusedByPolicy(words), hop.location)
        }
        hops.append(hop)
        return decision
    }

    /// `request` as it goes to the policies below the one that follows the redirects: behind a redirect to another
    /// origin, what they add for the call's own origin is not sent.
    package func confined(_ request: Request) -> Request {
        let isLed = request.hop != nil || hops.contains { $0.url.origin != $0.location.origin }
        return isLed ? request.asHop(from: hops.first?.url.origin ?? request.origin) : request
    }
}
