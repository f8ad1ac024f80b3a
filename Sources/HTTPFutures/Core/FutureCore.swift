import Synchronization

/// The untyped part of a future: its state, the list of those who wait for it, and its own place in such a list.
///
/// A derived future is itself the list node in its parent, so a link of a chain is one object. Observers, waiting
/// threads and awaiting tasks are plain cores without a result.
///
/// `word` is the newest waiting node's address and three flags. While a future is pending anybody pushes nodes; the one
/// who sets `busy` may walk the list. Whoever publishes the result takes `busy` and drains; if somebody else has it
/// (sweeping the list), that one drains when done. A node pushed during a drain is the drainer's. So each node is run by
/// one thread, once, in the order of registration, and no thread ever waits for another.
///
/// The compiler does not check the thread-safety of this type and those derived from it. Who may touch what:
///
/// | field | touched by |
/// |---|---|
/// | `word`, `upstream`, `dependents`, `dead` | any thread, atomically |
/// | `next`, `step`, `work` | the maker before attaching, then the `busy` holder of the future it is attached to |
/// | `waiting` | the `busy` holder of this future |
/// | `ready` | the thread whose trampoline this future is queued on: one that holds `busy` |
/// | `wasAbandoned`, the result | the one that set `claimed`, before `done`; anyone reads after seeing `done` |
/// | `budget`, `isPrompt` | constant |
///
/// The parent's list owns its nodes and a node owns its parent, but only until either ends: and every future does end,
/// for a promise that goes away fails its future.
@usableFromInline
class FutureCore: @unchecked Sendable {
    /// What a node does once its source is done.
    @usableFromInline typealias Step = @Sendable (_ source: FutureCore, _ node: FutureCore) -> StepEnd

    static let busy: UInt = 1
    @usableFromInline static let claimed: UInt = 2
    @usableFromInline static let done: UInt = 4
    static let flags: UInt = 7

    final let word: Atomic<UInt>
    /// The future this node waits for, owned; or `none`, `taken`, `left`.
    final let upstream = Atomic<UInt>(none)
    /// How many nodes want the result.
    final let dependents = Atomic<Int32>(0)
    /// About how many nodes of the list want it no more.
    final let dead = Atomic<Int32>(0)
    @exclusivity(unchecked) final var next: Unmanaged<FutureCore>?
    @exclusivity(unchecked) final var ready: Unmanaged<FutureCore>?
    @exclusivity(unchecked) final var waiting: Unmanaged<FutureCore>?
    @exclusivity(unchecked) final var step: Step?
    @usableFromInline final let budget: Budget?
    /// Wakes a thread or task: runs as soon as the result is there, ahead of all callbacks, and runs no foreign code.
    final let isPrompt: Bool
    @exclusivity(unchecked) @usableFromInline final var wasAbandoned = false

    @usableFromInline
    init(state: UInt = 0, budget: Budget? = nil, isPrompt: Bool = false, step: Step? = nil) {
        word = Atomic(state)
        self.budget = budget
        self.isPrompt = isPrompt
        self.step = step
    }

    deinit { releaseUpstream() }

    @usableFromInline final var isDone: Bool { word.load(ordering: .acquiring) & Self.done != 0 }

    /// Ended, or about to: a node like this is not to be run.
    @usableFromInline final var isClaimed: Bool { word.load(ordering: .relaxed) & Self.claimed != 0 }

    /// Done, with nobody left to call: a callback registered now runs at once without overtaking another.
    @usableFromInline final var isQuiet: Bool {
        word.load(ordering: .acquiring) & Self.flags == Self.done | Self.claimed
    }

    /// Settles as cancelled, if the error type can say so.
    @usableFromInline func abandon() { claim() }

    /// Lets go of what a step would have needed that is not going to run. For the `busy` holder of the source.
    @usableFromInline func discard() { step = nil }

    /// True for one caller only, who may end this future.
    @discardableResult @usableFromInline
    final func claim() -> Bool {
        var seen = word.load(ordering: .relaxed)
        while seen & Self.claimed == 0 {
            let (won, now) = word.weakCompareExchange(
                expected: seen, desired: seen | Self.claimed, successOrdering: .acquiring, failureOrdering: .relaxed)
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
            let desired =
                isMine ? Self.claimed | Self.done | Self.busy : seen | Self.done
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if swapped { return isMine && lineUp(list) }
            seen = now
        }
    }
}

/// What running a step has come to.
@usableFromInline
enum StepEnd {
    /// There is nothing left to do.
    case over
    /// The node is claimed and has its result, which is to be published.
    case settled
    /// The node is to wait for another future.
    case pending(Adoption)
}

/// A pending future to wait for, and the step that takes over its result.
@usableFromInline
struct Adoption {
    let inner: FutureCore
    let forward: FutureCore.Step

    @usableFromInline
    init(_ inner: FutureCore, _ forward: @escaping FutureCore.Step) {
        self.inner = inner
        self.forward = forward
    }
}

/// The typed part: the result. Generic over the slot alone, so that freeing one needs no look-up of the slot's type.
@usableFromInline
class ResultCore<Slot: ResultSlot>: FutureCore, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var stored: Slot

    @inlinable
    init(_ slot: Slot, state: UInt = 0, budget: Budget? = nil, step: Step? = nil) {
        stored = slot
        super.init(state: state, budget: budget, isPrompt: false, step: step)
    }

    /// Ends this future unless it has ended; says whether it did. The source has delivered or there is none.
    @discardableResult @inlinable
    final func settle(_ slot: Slot) -> Bool {
        guard claim() else { return false }
        stored = slot
        leaveUpstreamIfAny()
        publish()
        return true
    }

    /// The same as the end of this node's step, for whoever runs that to publish.
    @inlinable
    final func settled(_ slot: Slot) -> StepEnd {
        guard claim() else { return .over }
        stored = slot
        return .settled
    }

    /// Ends this future from the side: its source is told that it is not needed here.
    @discardableResult @inlinable
    final func end(_ slot: Slot) -> Bool {
        guard claim() else { return false }
        stored = slot
        wasAbandoned = true
        withdrawAndPublish()
        return true
    }

    @usableFromInline
    final override func abandon() {
        guard let slot = Slot.cancelled, claim() else { return }
        stored = slot
        wasAbandoned = true
        publish()
    }
}

/// A derived future with its transform in it, so that a link of a chain is one allocation: the step, which finds it here,
/// captures nothing.
@usableFromInline
final class LinkCore<Slot: ResultSlot, Input, Output, Failure: Error>: ResultCore<Slot>, @unchecked Sendable {
    @usableFromInline typealias Work = @Sendable (Input) throws(Failure) -> Output

    @exclusivity(unchecked) @usableFromInline var work: Work?

    @inlinable
    init(_ pending: Slot, _ work: @escaping Work, step: @escaping Step) {
        self.work = work
        super.init(pending, state: 0, budget: nil, step: step)
    }

    /// The closure, for the one time it runs: what it holds goes when it has.
    @inlinable
    func takeWork() -> Work? {
        // Not swapped: a generic function would wrap the closure in another.
        let taken = work
        work = nil
        return taken
    }

    @usableFromInline
    override func discard() {
        step = nil
        work = nil
    }
}

/// The same with a transform that makes a future. A type of its own, because as a general output the future would be
/// returned in another way, and the transform wrapped in two more closures for that.
@usableFromInline
final class FlatLinkCore<Input, Value: Sendable, Failure: Error>:
    ResultCore<Slot<Value, Failure>>, @unchecked Sendable
{
    @usableFromInline typealias Work = @Sendable (Input) throws(Failure) -> Future<Value, Failure>

    @exclusivity(unchecked) @usableFromInline var work: Work?

    @inlinable
    init(_ work: @escaping Work, step: @escaping Step) {
        self.work = work
        super.init(.pending, state: 0, budget: nil, step: step)
    }

    @inlinable
    func takeWork() -> Work? {
        let taken = work
        work = nil
        return taken
    }

    @usableFromInline
    override func discard() {
        step = nil
        work = nil
    }
}

/// An observer with its callback in it.
@usableFromInline
final class ObserverCore<Input>: FutureCore, @unchecked Sendable {
    @usableFromInline typealias Work = @Sendable (Input) -> Void

    @exclusivity(unchecked) @usableFromInline var work: Work?

    @inlinable
    init(_ work: @escaping Work, step: @escaping Step) {
        self.work = work
        super.init(state: 0, budget: nil, isPrompt: false, step: step)
    }

    /// The closure, for the one time it runs: what it holds goes when it has.
    @inlinable
    func takeWork() -> Work? {
        // Not swapped: a generic function would wrap the closure in another.
        let taken = work
        work = nil
        return taken
    }

    @usableFromInline
    override func discard() {
        step = nil
        work = nil
    }
}

/// What waits for one of many futures. It knows where to report, so that all share a step that captures nothing.
@usableFromInline
final class JoinLink: FutureCore, @unchecked Sendable {
    @usableFromInline let join: any AnyObject & Sendable

    @inlinable
    init(_ join: any AnyObject & Sendable, step: @escaping Step) {
        self.join = join
        super.init(state: 0, budget: nil, isPrompt: false, step: step)
    }
}
