public import Synchronization

extension FutureCore {
    /// Has `step` run for each source that ends, until `joined` has ended. Then the sources still pending are left, and
    /// cancelled if nothing else needs them.
    @usableFromInline
    static func join(_ sources: [FutureCore], into joined: FutureCore, _ step: @escaping Step) {
        // One closure for all, so that a source costs one object.
        let nodes = sources.map { source in
            let node = FutureCore(step: step)
            node.wait(on: source)
            return node
        }
        joined.whenOver { _ in
            for node in nodes { node.leave() }
        }
        for (source, node) in zip(sources, nodes) where !node.isClaimed { source.attach(node) }
    }
}

extension Future {
    /// A future that several others make: `arrived` is told each that ends.
    @inlinable
    static func joining(
        _ sources: [FutureCore], _ arrived: @escaping @Sendable (_ source: FutureCore, _ joined: Core) -> Void
    ) -> Future {
        let joined = Core(.pending)
        FutureCore.join(sources, into: joined) { source, node in
            arrived(source, joined)
            node.leaveUpstream()
            return .over
        }
        return Future(core: joined)
    }

    /// The slot of one of the joined futures, once it is done.
    @inlinable
    static func slot(_ source: FutureCore) -> Slot<Value, Failure> { unsafeDowncast(source, to: Core.self).stored }
}

/// Counts to zero, from any thread.
@usableFromInline
final class Countdown: Sendable {
    @usableFromInline let left: Atomic<Int>

    @inlinable
    init(_ count: Int) { left = Atomic(count) }

    /// True for the last.
    @inlinable
    func arrive() -> Bool { left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 }

    /// Whether the last has arrived.
    @usableFromInline var isOver: Bool { left.load(ordering: .acquiring) == 0 }
}
