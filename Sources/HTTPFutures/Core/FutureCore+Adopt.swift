import HTTPSupport

/// Following another future of the same type.
extension FutureCore {
    /// Ends `core`, whose step has run, as `inner` ends.
    @usableFromInline static func adopt(_ core: inout FutureCore, _ inner: FutureCore) {
        if !dissolve(&core, into: inner) { core.follow(inner) }
    }

    /// `place` is that of the promise that follows, if one does.
    func follow(_ inner: FutureCore, takingBudget: Bool = true, at place: PromisePlace? = nil) {
        let (result, budget) = inner.withLock { ($0.result, takingBudget ? $0.budget : nil) }
        limit(budget)
        if let result { return _ = settle(result) }
        if inner === self { return Self.cancellation.map { _ = end(.failure($0)) } ?? () }
        withExtendedLifetime(withLock { $0.takeUpstream() }) {}
        let ticket = inner.attach(takingBudget ? forward : forwardWithoutBudget, isDependent: true)
        let source = Upstream.Source(inner, ticket)
        wait(for: place.map { .several([source, Upstream.Source($0, nil)]) } ?? .one(source))
        Circle.end(self, waitingFor: inner)
    }

    // Two closures that capture nothing, and so take no memory.

    private var forward: Waiter<Output> {
        Waiter(self) { result, node, budget in
            guard let core = node.take(as: FutureCore.self) else { return }
            core.limit(budget)
            core.settle(result)
        }
    }

    private var forwardWithoutBudget: Waiter<Output> {
        Waiter(self) { result, node, _ in node.take(as: FutureCore.self)?.settle(result) }
    }

    /// Passes the waiter of `core` to `inner`, if `core` is not visible elsewhere, so that recursion in the tail
    /// position uses flat memory. Otherwise returns false and changes nothing.
    private static func dissolve(_ core: inout FutureCore, into inner: FutureCore) -> Bool {
        let (dependent, isIdle, budget) = core.withLock { state in
            (state.waiting.only?.node, state.waiting.isEmpty && !state.isAbandoned, state.budget)
        }
        // The waiter would not get the budget.
        guard budget == nil || budget === inner.budget else { return false }
        // It has no waiter, and without a handle will never have one: the inner future runs on by itself.
        guard let dependent else { return isIdle && isKnownUniquelyReferenced(&core) }
        // The waiters refer to it, too.
        guard let ticket = dependent.stopWaiting(for: core) else { return false }
        guard isKnownUniquelyReferenced(&core), let waiter = core.withLock({ $0.waiting.popFirst() }) else {
            dependent.wait(for: .one(Upstream.Source(core, ticket)))
            return false
        }
        inner.attach(waiter, of: dependent)
        Circle.end(dependent, waitingFor: inner)
        return true
    }
}
