public import HTTPAsync

extension FutureCore {
    /// Goes on with `node` on `queue`, unless it has ended by the time the queue comes to it.
    @usableFromInline
    final func hop(to queue: CallbackQueue, _ node: FutureCore, _ work: @escaping Step) {
        // Handed over as one counted reference, so that `adopt` can tell whether anybody else has one.
        let handover = Handover(source: self, node: node)
        queue.run {
            Trampoline.perform {
                guard var parts = handover.take(), !parts.node.isClaimed else { return }
                Self.conclude(&parts.node, work(parts.source, parts.node))
            }
        }
    }
}
