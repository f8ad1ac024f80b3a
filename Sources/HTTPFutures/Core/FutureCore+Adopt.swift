import HTTPCore

/// Ending as another future of the same type does.
extension FutureCore {
    /// Ends `core`, whose step has run, as `inner` ends.
    @usableFromInline static func adopt(_ core: inout FutureCore, _ inner: FutureCore) {
        if !dissolve(&core, into: inner) { core.follow(inner) }
    }

    func follow(_ inner: FutureCore) {
        if let result = inner.result { return _ = settle(result) }
        if inner === self { return Self.cancellation.map { _ = end(.failure($0)) } ?? () }
        _ = withLock { $0.takeUpstream() }
        let forward = Waiter<Output>(self) { result, node in node.take(as: FutureCore.self)?.settle(result) }
        inner.attach(forward, of: self)
    }

    /// Has `inner` take over the one who waits for `core`, if nobody else can see `core`: so a recursion in the tail
    /// position leaves no trail of futures that only pass a result on. Returns false, with nothing changed, otherwise.
    private static func dissolve(_ core: inout FutureCore, into inner: FutureCore) -> Bool {
        let (dependent, isIdle) = core.withLock { ($0.waiting.only?.node, $0.waiting.isEmpty && !$0.isAbandoned) }
        // Nobody waits, and without a handle nobody ever will: the inner future runs on by itself.
        guard let dependent else { return isIdle && isKnownUniquelyReferenced(&core) }
        // Who waits refers to it as well.
        guard let ticket = dependent.letGo(of: core) else { return false }
        guard isKnownUniquelyReferenced(&core), let waiter = core.withLock({ $0.waiting.popFirst() }) else {
            dependent.wait(for: .one(Upstream.Source(core, ticket)))
            return false
        }
        inner.attach(waiter, of: dependent)
        return true
    }
}
