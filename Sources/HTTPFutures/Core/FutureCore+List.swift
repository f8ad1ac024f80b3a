import Synchronization

/// The list of a future's waiting nodes: pushing, draining, sweeping.
extension FutureCore {
    static func node(_ word: UInt) -> Unmanaged<FutureCore>? {
        UnsafeRawPointer(bitPattern: word & ~flags).map(Unmanaged.fromOpaque)
    }

    static func address(_ node: Unmanaged<FutureCore>) -> UInt { UInt(bitPattern: node.toOpaque()) }

    /// Has `node`'s step run when this future is done: now, if nobody is ahead of it and no callback is running here.
    @usableFromInline
    final func attach(_ node: FutureCore) { attach(Unmanaged.passRetained(node)) }

    /// The list takes over the caller's reference.
    final func attach(_ node: Unmanaged<FutureCore>) {
        var seen = word.load(ordering: .acquiring)
        while true {
            let isMine = seen & (Self.done | Self.busy) == Self.done
            node._withUnsafeGuaranteedRef { $0.next = isMine ? nil : Self.node(seen) }
            let desired = isMine ? seen | Self.busy : Self.address(node) | seen & Self.flags
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
            if swapped {
                if isMine {
                    waiting = node
                    Trampoline.schedule(self)
                }
                return
            }
            seen = now
        }
    }

    /// Attaches unless the result is there already.
    final func attachUnlessDone(_ node: FutureCore) -> Bool {
        let node = Unmanaged.passRetained(node)
        var seen = word.load(ordering: .acquiring)
        while seen & Self.done == 0 {
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
        if let list, list._withUnsafeGuaranteedRef({ $0.next == nil && !$0.isPrompt }) {
            return waiting = list
        }
        var rest = list
        while let node = rest {
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
            guard node._withUnsafeGuaranteedRef({ $0.isPrompt }) else {
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
            let desired = Self.claimed | Self.done | (list == nil ? 0 : Self.busy)
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

    /// Runs a node of this future's list that was taken out of it.
    final func run(_ taken: Unmanaged<FutureCore>, on trampoline: Trampoline.Place) {
        let step = taken._withUnsafeGuaranteedRef { node -> Step? in
            if node.isClaimed { node.discard() }
            let step = node.step
            node.step = nil
            return step
        }
        guard let step else { return taken.release() }
        switch taken._withUnsafeGuaranteedRef({ step(self, $0) }) {
        case .over: taken.release()
        case .settled:
            taken._withUnsafeGuaranteedRef { _ = $0.leaveUpstream() }
            if taken._withUnsafeGuaranteedRef({ $0.markDone() }) {
                // With the reference that the list had.
                trampoline.pointee.append(taken)
            } else {
                taken.release()
            }
        case .pending(let adoption):
            var node = taken.takeRetainedValue()
            Self.adopt(&node, adoption)
        }
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
        while seen & Self.flags == 0 {
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
            let isDone = seen & Self.done != 0
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
