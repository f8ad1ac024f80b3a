import Synchronization

/// The list of a future's waiting nodes: pushing, draining, sweeping.
extension FutureCore {
    static func node(_ word: UInt) -> Unmanaged<FutureCore>? {
        UnsafeRawPointer(bitPattern: word & ~flags).map(Unmanaged.fromOpaque)
    }

    static func address(_ node: Unmanaged<FutureCore>) -> UInt { UInt(bitPattern: node.toOpaque()) }

    /// The reference itself: `passRetained` would retain for the taker and release for the giver.
    static func handOver(_ node: consuming FutureCore) -> Unmanaged<FutureCore> {
        var place: FutureCore? = node
        return withUnsafeMutableBytes(of: &place) { bytes in
            let reference = bytes.load(as: Unmanaged<FutureCore>.self)
            bytes.storeBytes(of: 0, as: UInt.self)
            return reference
        }
    }

    /// Has `node`'s step run when this future is done: now, if nobody is ahead of it and no callback is running here.
    @usableFromInline
    final func attach(_ node: consuming FutureCore) { attach(Self.handOver(node)) }

    /// The list takes over the caller's reference.
    final func attach(_ node: Unmanaged<FutureCore>) {
        var seen = word.load(ordering: .acquiring)
        while true {
            let isMine = Self.isIdle(seen)
            node._withUnsafeGuaranteedRef { $0.next = isMine ? nil : Self.node(seen) }
            guard let now = tryAttach(node, over: seen) else { return }
            seen = now
        }
    }

    /// Done, with nobody at work on the list: whoever attaches a node takes that on.
    @inline(__always)
    private static func isIdle(_ word: UInt) -> Bool { word & (done | busy) == done }

    /// Puts `node` on the list, or has it run, if the word is still `seen`. Nil when it was, and else what it is now.
    @inline(__always)
    final func tryAttach(_ node: Unmanaged<FutureCore>, over seen: UInt) -> UInt? {
        let isMine = Self.isIdle(seen)
        let desired = isMine ? seen | Self.busy : Self.address(node) | seen & Self.flags
        let (swapped, now) = word.weakCompareExchange(
            expected: seen, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
        guard swapped else { return now }
        if isMine {
            waiting = node
            Trampoline.schedule(self)
        }
        return nil
    }

    /// Attaches unless the result is there already.
    final func attachUnlessDone(_ node: FutureCore) -> Bool {
        let node = Unmanaged.passRetained(node)
        var seen = word.load(ordering: .acquiring)
        while seen & Self.done != Self.done {
            node._withUnsafeGuaranteedRef { $0.next = Self.node(seen) }
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: Self.address(node) | seen & Self.flags,
                successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
            if swapped { return true }
            seen = now
        }
        node.release()
        return false
    }

    /// Wakes who is to be woken at once; true if there are others to call. For the `busy` holder of a done future, who
    /// has given that up if there are none.
    final func lineUp(_ list: Unmanaged<FutureCore>?) -> Bool {
        line(up: list)
        return waiting != nil || refill()
    }

    /// Turns the list, newest first, into the order of registration.
    private final func line(up list: Unmanaged<FutureCore>?) {
        // Most have one.
        if let list, list._withUnsafeGuaranteedRef({ $0.next == nil && $0.role != .prompt }) {
            return waiting = list
        }
        var rest = list
        while var node = rest {
            if node._withUnsafeGuaranteedRef({ $0.role == .shared }) {
                node = Self.link(for: node)
            }
            node._withUnsafeGuaranteedRef {
                rest = $0.next
                $0.next = waiting
            }
            waiting = node
        }
        var last: Unmanaged<FutureCore>?
        rest = waiting
        while let node = rest {
            rest = node._withUnsafeGuaranteedRef { $0.next }
            guard node._withUnsafeGuaranteedRef({ $0.role == .prompt }) else {
                last = node
                continue
            }
            if let last { last._withUnsafeGuaranteedRef { $0.next = rest } } else { waiting = rest }
            let prompt = node.takeRetainedValue()
            var step: Step?
            swap(&step, &prompt.step)
            if prompt.claim() { _ = step?(self, prompt) }
        }
    }

    /// Takes what was pushed during the drain; gives up `busy` and returns false if there is nothing.
    private final func refill() -> Bool {
        var seen = word.load(ordering: .acquiring)
        while true {
            let list = Self.node(seen)
            let desired = Self.done | (list == nil ? 0 : Self.busy)
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
            if swapped {
                guard let list else { return false }
                line(up: list)
                if waiting != nil { return true }
                seen = word.load(ordering: .acquiring)
            } else {
                seen = now
            }
        }
    }

    /// The next node to run; nil, and `busy` given up, after the last. For the `busy` holder.
    final func popWaiting() -> Unmanaged<FutureCore>? {
        guard waiting != nil || refill(), let node = waiting else { return nil }
        waiting = node._withUnsafeGuaranteedRef { $0.next }
        return node
    }

    /// Runs a node of this future's list that was taken out of it, with the reference that the list had.
    final func run(_ taken: Unmanaged<FutureCore>, on trampoline: Trampoline.Place) {
        var node = taken.takeRetainedValue()
        if node.isClaimed { node.discard() }
        guard let step = node.takeStep() else { return node.arrive(from: self) }
        switch step(self, node) {
        case .over: break
        case .settled:
            node.leaveUpstream()
            if node.markDone() { trampoline.pointee.append(Self.handOver(node)) }
        case .pending(let adoption): Self.adopt(&node, adoption)
        }
    }

    /// The step, for the one time it runs.
    private final func takeStep() -> Step? {
        guard let taken = step else { return nil }
        step = nil
        return taken
    }

    /// Does what the end of a step asks for, where it was not run by its source.
    static func conclude(_ node: inout FutureCore, _ end: StepEnd) {
        switch end {
        case .over: break
        case .settled:
            node.leaveUpstream()
            node.publish()
        case .pending(let adoption): adopt(&node, adoption)
        }
    }

    /// For the `busy` holder, who has the only reference: whether nobody pushed before letting go of theirs.
    final var isForgotten: Bool {
        atomicMemoryFence(ordering: .acquiring)
        return Self.node(word.load(ordering: .acquiring)) == nil
    }

    /// Takes the right to walk the list of a pending future.
    final func tryBusy() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen & (Self.busy | Self.claimed) == 0 {
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: seen | Self.busy, successOrdering: .acquiring, failureOrdering: .relaxed)
            if swapped { return true }
            seen = now
        }
        return false
    }

    /// Gives it back; drains if the result came in the meantime.
    final func endBusy() {
        var seen = word.load(ordering: .acquiring)
        while true {
            let isDone = seen & Self.done == Self.done
            let desired = isDone ? seen & Self.flags : seen & ~Self.busy
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
            if swapped {
                if isDone, lineUp(Self.node(seen)) { Trampoline.schedule(self) }
                return
            }
            seen = now
        }
    }
}
