import Synchronization

/// The untyped part of a future: its state, the list of those who wait for it, and its own place in such a list.
///
/// A derived future is itself the list node in its parent, so a link of a chain is one object. Observers, waiting
/// threads and awaiting tasks are plain cores without a result.
///
/// `word` is the newest waiting node's address and three bits: `busy`, and two for `pledged`, `claimed` or `done`. While
/// a future is pending anybody pushes nodes; the one who sets `busy` may walk the list. Whoever publishes the result
/// takes `busy` and drains; if somebody else has it (sweeping the list), that one drains when done. A node pushed during
/// a drain is the drainer's. So each node is run by one thread, once, in the order of registration, and no thread ever
/// waits for another.
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
/// | `budget`, `role` | constant |
///
/// In a `JoinCore`, which waits for many, nothing of this is written but `claimed`, and so any thread may hold it.
///
/// The parent's list owns its nodes and a node owns its parent, but only until either ends: and every future does end,
/// for a promise that goes away fails its future.
@usableFromInline
class FutureCore: @unchecked Sendable {
    /// What a node does once its source is done.
    @usableFromInline typealias Step = @Sendable (_ source: FutureCore, _ node: FutureCore) -> StepEnd

    static let busy: UInt = 1
    /// Somebody is about to end it.
    @usableFromInline static let claimed: UInt = 2
    /// Its promise has been told to follow another future and has no say any more. Not together with `claimed`.
    @usableFromInline static let pledged: UInt = 4
    /// Has its result. A pair of bits, to be compared as a whole.
    @usableFromInline static let done: UInt = 6
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
    final let role: Role
    @exclusivity(unchecked) @usableFromInline final var wasAbandoned = false

    @usableFromInline
    init(state: UInt = 0, budget: Budget? = nil, role: Role = .ordinary, step: Step? = nil) {
        word = Atomic(state)
        self.budget = budget
        self.role = role
        self.step = step
    }

    deinit { releaseUpstream() }

    /// Waits in a list for nothing any more.
    var isUnwanted: Bool { isClaimed }

    /// Settles as cancelled, if the error type can say so.
    @usableFromInline func abandon() { claim() }

    /// Lets go of what a step would have needed that is not going to run. For the `busy` holder of the source.
    @usableFromInline func discard() { step = nil }

    /// What a node does that has no step.
    func arrive(from source: FutureCore) {}
}

/// How a node takes part in a list.
@usableFromInline
enum Role: Sendable {
    case ordinary
    /// Wakes a thread or task: runs as soon as the result is there, ahead of all callbacks, and runs no foreign code.
    case prompt
    /// May be the last node of many lists: nothing in it is written but that it is claimed.
    case shared
}

/// The typed part: the result. Generic over the slot alone, so that freeing one needs no look-up of the slot's type.
@usableFromInline
class ResultCore<Slot: ResultSlot>: FutureCore, @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline final var stored: Slot

    @inlinable
    init(_ slot: Slot, state: UInt = 0, budget: Budget? = nil, step: Step? = nil) {
        stored = slot
        super.init(state: state, budget: budget, role: .ordinary, step: step)
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

    @exclusivity(unchecked) @usableFromInline var work: Held?

    /// So that it can be moved out: by itself it would be copied, or wrapped in another closure. So it would be in a type
    /// that were generic over the closure, which is why each core has one of its own.
    @usableFromInline
    struct Held: ~Copyable {
        @usableFromInline let work: Work

        @inlinable
        init(_ work: @escaping Work) { self.work = work }
    }

    @inlinable
    init(_ pending: Slot, _ work: @escaping Work, step: @escaping Step) {
        self.work = Held(work)
        super.init(pending, state: 0, budget: nil, step: step)
    }

    /// The closure, for the one time it runs: what it holds goes when it has.
    @inlinable
    func takeWork() -> Held? { work.take() }

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

    @exclusivity(unchecked) @usableFromInline var work: Held?

    @usableFromInline
    struct Held: ~Copyable {
        @usableFromInline let work: Work

        @inlinable
        init(_ work: @escaping Work) { self.work = work }
    }

    @inlinable
    init(_ work: @escaping Work, step: @escaping Step) {
        self.work = Held(work)
        super.init(.pending, state: 0, budget: nil, step: step)
    }

    @inlinable
    func takeWork() -> Held? { work.take() }

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

    @exclusivity(unchecked) @usableFromInline var work: Held?

    @usableFromInline
    struct Held: ~Copyable {
        @usableFromInline let work: Work

        @inlinable
        init(_ work: @escaping Work) { self.work = work }
    }

    @inlinable
    init(_ work: @escaping Work, step: @escaping Step) {
        self.work = Held(work)
        super.init(state: 0, budget: nil, role: .ordinary, step: step)
    }

    @inlinable
    func takeWork() -> Held? { work.take() }

    @usableFromInline
    override func discard() {
        step = nil
        work = nil
    }
}

/// What waits for many futures at once, as one object: it may be the node of any number of lists.
///
/// That is possible because it has no next node and nothing in it is written but that it is claimed. So it can only be
/// the first to be pushed on a list; where somebody waits already, and where a list is lined up in which somebody came
/// after it, a `JoinLink` stands for it.
@usableFromInline
final class JoinCore: FutureCore, @unchecked Sendable {
    private let arrived: Step

    @usableFromInline
    init(_ arrived: @escaping Step) {
        self.arrived = arrived
        super.init(role: .shared)
    }

    override func arrive(from source: FutureCore) { if !isClaimed { _ = arrived(source, self) } }

    /// The step is for all sources: it goes with the object.
    @usableFromInline
    override func discard() {}
}

/// Stands for a join in one list.
final class JoinLink: FutureCore, @unchecked Sendable {
    private let join: JoinCore

    init(_ join: JoinCore) {
        self.join = join
        super.init()
    }

    override var isUnwanted: Bool { join.isClaimed }
    override func arrive(from source: FutureCore) { join.arrive(from: source) }
}
