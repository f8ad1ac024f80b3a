/// What to send again after a 401: the request that the server refused.
extension Request {
    /// This request, or what its redirects have made of it. It is not that of the answer, in which are the changes of the
    /// policies behind this one: they will make them again. Nil if only all of the call could be repeated, and must not be, or if
    /// a reader has had something of the answer, which the next one would follow.
    func refused(by outcome: Result<Response, HTTPError>) -> Request? {
        let isPassedOn = destination.isStream && destination.takesRefusals && (outcome.answer?.bodyByteCount ?? 0) > 0
        guard !isPassedOn, self[DeliveryKey.self]?.hasBegun != true else { return nil }
        let hops = hops(passedBy: outcome)
        guard hops.count == outcome.redirects.count || mayBeRepeated else { return nil }
        let last = hops.reduce(self) { $0.redirected(to: $1.location, by: $1.status) }
        return hops.contains { $0.url.origin != $0.location.origin } ? last.asHop(from: origin) : last
    }

    /// The redirects that need not be followed again: none if a policy behind this one has rewritten the URL, because it
    /// would rewrite that of the last one, too.
    func hops(passedBy outcome: Result<Response, HTTPError>) -> [RedirectHop] {
        outcome.redirects.first?.url == url ? outcome.redirects : []
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// Those that led to its response.
    fileprivate var redirects: [RedirectHop] { answer?.redirects ?? [] }
}
