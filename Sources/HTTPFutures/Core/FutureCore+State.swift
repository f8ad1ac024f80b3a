import Synchronization

/// How a future comes to its end.
extension FutureCore {
    @usableFromInline final var isDone: Bool { word.load(ordering: .acquiring) & Self.done == Self.done }

    /// Ended, or about to: a node like this is not to be run.
    @usableFromInline final var isClaimed: Bool { word.load(ordering: .relaxed) & Self.claimed != 0 }

    /// Done, with nobody left to call: a callback registered now runs at once without overtaking another.
    @usableFromInline final var isQuiet: Bool {
        word.load(ordering: .acquiring) & Self.flags == Self.done
    }

    /// Nothing has been decided, neither by its promise nor from elsewhere.
    @usableFromInline final var isOpen: Bool { word.load(ordering: .acquiring) & Self.done == 0 }

    /// True for one caller only, who may end this future.
    @discardableResult @usableFromInline
    final func claim() -> Bool { claim(unless: Self.claimed) }

    /// The same for a promise, which has no say any more once it follows another future.
    @usableFromInline
    final func claimUnlessPledged() -> Bool { claim(unless: Self.claimed | Self.pledged) }

    @inline(__always)
    private final func claim(unless bits: UInt) -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen & bits == 0 {
            let (won, now) = word.weakCompareExchange(
                expected: seen, desired: seen & ~Self.pledged | Self.claimed, successOrdering: .acquiring,
                failureOrdering: .relaxed)
            if won { return true }
            seen = now
        }
        return false
    }

    /// True for one caller only, who may make this promised future follow another.
    final func pledge() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen & Self.done == 0 {
            let (won, now) = word.weakCompareExchange(
                expected: seen, desired: seen | Self.pledged, successOrdering: .acquiringAndReleasing,
                failureOrdering: .relaxed)
            if won { return true }
            seen = now
        }
        return false
    }

    /// Makes the result visible, wakes the waiting and has the callbacks run. For the one who claimed.
    @usableFromInline
    final func publish() { if markDone() { Trampoline.schedule(self) } }

    /// Makes the result visible and wakes the waiting. True if there are callbacks for this thread to run.
    final func markDone() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while true {
            let list = Self.node(seen)
            let isMine = list != nil && seen & Self.busy == 0
            let desired = isMine ? Self.done | Self.busy : seen | Self.done
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if swapped { return isMine && lineUp(list) }
            seen = now
        }
    }
}
