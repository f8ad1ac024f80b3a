import Synchronization

/// Futures that wait for one another in a circle, which could never end.
///
/// Only a future that takes over another one's result can close a circle: all others are new when they begin to wait. So
/// this is where it is looked for, along the sources of that other one.
extension FutureCore {
    /// How often to look again at a word that another thread is about to put back.
    private static let patience = 10_000

    /// Whether this pending future waits for `node`, through any number of others.
    ///
    /// To be asked when `node` has been made to wait for this one: of several threads that make parts of one circle, the
    /// last then sees all of it.
    final func waits(for node: FutureCore) -> Bool {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // Most have nobody yet who waits for them.
        guard Self.node(node.word.load(ordering: .relaxed)) != nil else { return false }
        var current = self
        while current !== node {
            guard let source = current.source(for: node) else { return false }
            current = source
        }
        return true
    }

    /// What this one waits for; nil if nothing. Whoever leaves it may free it at any time, so the reference is taken out
    /// of its place, copied and put back.
    private final func source(for asker: FutureCore) -> FutureCore? {
        let mark = Self.address(asker) | Self.taken
        for _ in 0..<Self.patience {
            let seen = upstream.load(ordering: .relaxed)
            if seen == Self.none || seen == Self.left { return nil }
            guard seen & Self.taken == 0 else { continue }
            guard upstream.compareExchange(expected: seen, desired: mark, ordering: .acquiringAndReleasing).exchanged,
                let source = Self.owned(seen)
            else { continue }
            let copy = Unmanaged.passRetained(source)
            let (isBack, now) = upstream.compareExchange(
                expected: mark, desired: seen, ordering: .acquiringAndReleasing)
            if isBack { return source }
            copy.release()
            // It has another source by now; or it has left, and this reference was not there to leave with.
            if now == Self.left { Self.withdraw(from: source) }
        }
        return nil
    }

    /// Ends this future, which waits for itself, as cancelled, and with it all of the circle.
    final func endCircle() {
        abandon()
        Self.withdraw(from: leaveUpstream())
    }
}
