/// How far a call has come: the request that is sent, and the redirects that led to it.
struct CallPosition: Sendable {
    /// Without the cookies of its jar.
    let request: Request
    let redirects: [RedirectHop]
    /// How many places the call has been to before its cookies last changed: it may come there again.
    var outdatedVisits: Int

    /// Whether the answer to `request` that begins with `head` only points on, so that its body is of no use.
    func isIntermediate(_ head: ResponseHead) -> Bool {
        guard RedirectDecision.isFollowed(head.status) else { return false }
        if case .final = decision(head) { return false }
        return true
    }

    func decision(_ head: ResponseHead) -> RedirectDecision {
        RedirectDecision(head, answering: request, after: redirects, outdatedVisits: outdatedVisits)
    }

    /// Where `hop` leads, with `next` as what is sent there.
    func going(_ hop: RedirectHop, with next: Request) -> CallPosition {
        CallPosition(request: next, redirects: redirects + [hop], outdatedVisits: outdatedVisits)
    }
}
