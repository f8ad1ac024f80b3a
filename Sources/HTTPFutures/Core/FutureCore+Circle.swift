import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Futures that wait for one another in a circle, which could never end.
///
/// Only a future that takes over another one's result can close a circle: all others are new when they begin to wait. So
/// this is where it is looked for, along the sources of that other one.
extension FutureCore {
    /// How often to look again at once at a word that another thread is about to put back: it takes that thread a few
    /// instructions, if it runs.
    private static let spins = 100
    /// How often to look in all, letting other threads run in between. Together this is some tenths of a second at least,
    /// so it is used up only if that thread has been stopped.
    private static let patience = 1_000_000

    /// Whether this pending future waits for `node`, through any number of others.
    ///
    /// To be asked when `node` has been made to wait for this one: of several threads that make parts of one circle, the
    /// last then sees all of it.
    final func waits(for node: FutureCore) -> Bool {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // Most have nobody yet who waits for them.
        guard Self.node(node.word.load(ordering: .relaxed)) != nil else { return false }
        // Each step is seen at a time of its own. So a way that never was there as a whole may be seen once, where futures
        // end and others begin to wait meanwhile. But a circle stays as it is.
        return Self.withMark { mark in leads(to: node, mark) && leads(to: node, mark) }
    }

    /// Calls `body` with a mark that no other walk has as long as `body` runs: so none can take the mark of another one,
    /// on behalf of the same future, for its own. It is a place on this thread's stack.
    static func withMark<Value>(_ body: (UInt) -> Value) -> Value {
        var place: UInt = 0
        return withUnsafeMutablePointer(to: &place) { body(UInt(bitPattern: $0) | taken) }
    }

    /// One walk along the sources.
    private final func leads(to node: FutureCore, _ mark: UInt) -> Bool {
        var current = self
        // To find repetition, as R. P. Brent does: one of those passed is remembered, each for twice as long as the last.
        var passed = current
        var (steps, stride) = (0, 1)
        while current !== node {
            guard let source = current.source(mark) else { return false }
            current = source
            // A circle without `node`: for the one to end who closed it, and then what waits for it ends as well.
            if current === passed { return false }
            steps += 1
            if steps == stride {
                passed = current
                (steps, stride) = (0, stride * 2)
            }
        }
        return true
    }

    /// What this one waits for; nil if nothing. Whoever leaves it may free it at any time, so the reference is taken out
    /// of its place, copied and put back.
    private final func source(_ mark: UInt) -> FutureCore? {
        for attempt in 0..<Self.patience {
            if attempt > Self.spins { sched_yield() }
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
