import Synchronization

/// What a node waits for, and how it stops waiting.
extension FutureCore {
    /// Waits for nothing.
    static let none: UInt = 0
    /// Somebody is moving this node to another future, or looking at its source, and will see whether it left in the
    /// meantime. With an address where they only look: one that is theirs alone, see `withMark`.
    static let taken: UInt = 1
    /// Ended, or no longer interested.
    static let left: UInt = 2

    static func address(_ core: FutureCore) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(core).toOpaque())
    }

    static func owned(_ word: UInt) -> FutureCore? {
        guard word > left, word & taken == 0, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
        return Unmanaged<FutureCore>.fromOpaque(pointer).takeRetainedValue()
    }

    /// Counts one more who wants the result.
    @usableFromInline
    final func gainDependent() { dependents.wrappingAdd(1, ordering: .relaxed) }

    /// A node that only looked on has left: nothing is cancelled.
    final func loseObserver() {
        noteDead(among: dependents.wrappingSubtract(1, ordering: .relaxed).newValue)
    }

    /// Makes `source` what this new node waits for. Before it is attached.
    @usableFromInline
    final func wait(on source: FutureCore) {
        upstream.store(UInt(bitPattern: Unmanaged.passRetained(source).toOpaque()), ordering: .relaxed)
        source.gainDependent()
    }

    /// Gives up the reference to what this node waits for, for good.
    @discardableResult @usableFromInline
    final func leaveUpstream() -> FutureCore? {
        Self.owned(upstream.exchange(Self.left, ordering: .acquiringAndReleasing))
    }

    /// The same where nobody can be giving this one another source.
    @usableFromInline
    final func leaveUpstreamIfAny() { if upstream.load(ordering: .relaxed) != Self.none { leaveUpstream() } }

    /// For `deinit`, when no other thread can look.
    final func releaseUpstream() { _ = Self.owned(upstream.load(ordering: .relaxed)) }

    private final func moveUpstream(from old: UInt, to new: FutureCore) -> Bool {
        let reference = Unmanaged.passRetained(new)
        let (swapped, _) = upstream.compareExchange(
            expected: old, desired: Self.address(reference), ordering: .acquiringAndReleasing)
        if !swapped { reference.release() }
        return swapped
    }

    /// For the one who ended this future from the side.
    @usableFromInline
    final func withdrawAndPublish() {
        Trampoline.perform {
            // In this order: whoever sees that this one has ended finds its source cancelled.
            Self.withdraw(from: leaveUpstream())
            publish()
        }
    }

    /// Has `action` run when this future has ended. It does not count as a dependent.
    @usableFromInline
    final func whenOver(_ action: @escaping @Sendable (FutureCore) -> Void) {
        attach(
            FutureCore { source, _ in
                action(source)
                return .over
            })
    }

    /// Ends a node without a result: it will not be run.
    final func leave() {
        guard upstream.load(ordering: .relaxed) != Self.left, claim() else { return }
        Self.withdraw(from: leaveUpstream())
    }

    /// One dependent of `first` is not interested any more. A future whose last dependent left is cancelled, and leaves
    /// its own source in turn. A loop, for chains are long.
    @usableFromInline
    static func withdraw(from first: FutureCore?) {
        var current = first
        while let core = current {
            let left = core.dependents.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
            if core.isDone { return }
            if left > 0 {
                core.noteDead(among: left)
                return
            }
            core.abandon()
            current = core.leaveUpstream()
        }
    }

    /// Sweeps at once where few are waiting, and now and then where many are, so that the cost of each stays constant.
    final func noteDead(among living: Int32) {
        let count = dead.wrappingAdd(1, ordering: .relaxed).newValue
        if count > living / 16 { sweep() }
    }

    /// Takes the nodes out of the list that have ended.
    private final func sweep() {
        guard tryBusy() else { return }
        dead.store(0, ordering: .relaxed)
        var removed: Unmanaged<FutureCore>?
        // A list has one at most, and the sweep ends when it is empty.
        var shared: Unmanaged<FutureCore>?
        func remove(_ node: Unmanaged<FutureCore>) {
            guard node._withUnsafeGuaranteedRef({ $0.role != .shared }) else { return shared = node }
            node._withUnsafeGuaranteedRef { $0.next = removed }
            removed = node
        }
        var seen = word.load(ordering: .acquiring)
        while let head = Self.node(seen) {
            var kept = head
            while let node = kept._withUnsafeGuaranteedRef({ $0.next }) {
                if node._withUnsafeGuaranteedRef({ $0.isUnwanted }) {
                    let after = node._withUnsafeGuaranteedRef { $0.next }
                    kept._withUnsafeGuaranteedRef { $0.next = after }
                    remove(node)
                } else {
                    kept = node
                }
            }
            guard head._withUnsafeGuaranteedRef({ $0.isUnwanted }) else { break }
            let after = head._withUnsafeGuaranteedRef { $0.next }.map(Self.address) ?? 0
            let (swapped, now) = word.compareExchange(
                expected: seen, desired: after | seen & Self.flags, successOrdering: .acquiringAndReleasing,
                failureOrdering: .acquiring)
            if swapped {
                remove(head)
                seen = after | seen & Self.flags
            } else {
                seen = now
            }
        }
        endBusy()
        // Last, for what a node holds may run foreign code when it goes.
        while let node = removed {
            removed = node._withUnsafeGuaranteedRef { $0.next }
            node._withUnsafeGuaranteedRef { $0.discard() }
            node.release()
        }
        shared?.release()
    }

    /// Has `node` take on the result of another future of the same type. `node` is in no list. If it came to wait for
    /// itself, through others or not, it could never end: that is what `endCircle` is for.
    static func adopt(
        _ node: inout FutureCore, _ adoption: Adoption, endCircle: (FutureCore) -> Void = { $0.endCircle() }
    ) {
        let inner = adoption.inner
        guard inner !== node else { return endCircle(node) }
        if node.budget == nil, dissolve(&node, into: inner) { return }
        inner.gainDependent()
        node.step = adoption.forward
        let isWanted = node.replaceUpstream(with: inner)
        inner.attach(node)
        if !isWanted { withdraw(from: inner) } else if inner.waits(for: node) { endCircle(node) }
    }

    private final func replaceUpstream(with inner: FutureCore) -> Bool {
        var seen = upstream.load(ordering: .relaxed)
        while seen != Self.left {
            if moveUpstream(from: seen, to: inner) {
                _ = Self.owned(seen)
                return true
            }
            seen = upstream.load(ordering: .relaxed)
        }
        return false
    }

    /// Has `inner` take over the one dependent of `node`, if nobody else can see `node`: so a recursion in the tail
    /// position leaves no trail of futures that only pass a result on. Returns false, with nothing changed, otherwise.
    private static func dissolve(_ node: inout FutureCore, into inner: FutureCore) -> Bool {
        guard node.tryBusy() else { return false }
        let seen = node.word.load(ordering: .acquiring)
        guard let dependent = Self.node(seen) else {
            // Nobody waits, and without a handle nobody ever will: the inner future runs on by itself.
            if isHidden(&node, ifStill: seen) { return true }
            node.endBusy()
            return false
        }
        let place = address(node)
        let isAlone = dependent._withUnsafeGuaranteedRef { dependent in
            dependent.next == nil
                && dependent.upstream.compareExchange(
                    expected: place, desired: taken, ordering: .acquiringAndReleasing
                ).exchanged
        }
        guard isAlone else {
            node.endBusy()
            return false
        }
        // That was the dependent's reference; if ours is the last now, no thread can reach `node` any more.
        Unmanaged.passUnretained(node).release()
        let isHidden = isHidden(&node, ifStill: seen)
        let source = isHidden ? inner : node
        if isHidden {
            node.word.store(0, ordering: .relaxed)
            inner.gainDependent()
        }
        let isWanted = dependent._withUnsafeGuaranteedRef { $0.moveUpstream(from: taken, to: source) }
        let waiter = dependent.takeUnretainedValue()
        if isHidden { inner.attach(dependent) } else { node.endBusy() }
        if !isWanted { withdraw(from: source) } else if isHidden, inner.waits(for: waiter) { waiter.endCircle() }
        return isHidden
    }

    /// Whether no thread but this one can reach `node`, and none pushed to its list before it let go.
    private static func isHidden(_ node: inout FutureCore, ifStill seen: UInt) -> Bool {
        guard isKnownUniquelyReferenced(&node) else { return false }
        atomicMemoryFence(ordering: .acquiring)
        return node.word.load(ordering: .acquiring) == seen
    }
}
