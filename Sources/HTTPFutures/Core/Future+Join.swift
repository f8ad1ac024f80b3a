import Synchronization

extension Future {
    /// A future that several others make: `arrived` is told each that ends, until this one has ended. Then those still
    /// pending are left, and cancelled if nothing else needs them.
    static func joining(
        _ sources: [FutureCore], _ arrived: @escaping @Sendable (_ source: FutureCore, _ joined: Core) -> Void
    ) -> Future {
        let joined = Core(.pending)
        // One closure for all, so that a source costs one object.
        let step: FutureCore.Step = { source, node in
            arrived(source, joined)
            node.leaveUpstream()
            return nil
        }
        let nodes = sources.map { source in
            let node = FutureCore(step: step)
            node.wait(on: source)
            return node
        }
        joined.whenOver { _ in
            for node in nodes { node.leave() }
        }
        for (source, node) in Swift.zip(sources, nodes) where !node.isClaimed { source.attach(node) }
        return Future(core: joined)
    }

    /// The slot of one of the joined futures, once it is done.
    static func slot(_ source: FutureCore) -> Slot<Value, Failure> { unsafeDowncast(source, to: Core.self).stored }
}

/// Counts to zero, from any thread.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    /// True for the last.
    func arrive() -> Bool { left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
