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
/// This is the one type whose thread-safety the compiler does not check. Who may touch what:
///
/// | field | touched by |
/// |---|---|
/// | `word`, `upstream`, `dependents`, `dead` | any thread, atomically |
/// | `next`, `step` | the maker before attaching, then the `busy` holder of the future it is attached to |
/// | `waiting` | the `busy` holder of this future |
/// | `ready` | the thread whose trampoline this future is queued on: one that holds `busy` |
/// | `wasAbandoned`, the result | the one that set `claimed`, before `done`; anyone reads after seeing `done` |
/// | `budget`, `isPrompt` | constant |
///
/// The parent's list owns its nodes and a node owns its parent, but only until either ends: and every future does end,
/// for a promise that goes away fails its future.
class FutureCore: @unchecked Sendable {
    /// What a node does once its source is done: settles itself and returns nil, or returns the future to wait for.
    typealias Step = @Sendable (_ source: FutureCore, _ node: FutureCore) -> FutureCore?

    static let busy: UInt = 1
    static let claimed: UInt = 2
    static let done: UInt = 4
    static let flags: UInt = 7

    final let word: Atomic<UInt>
    /// The future this node waits for, owned; or `none`, `taken`, `left`.
    final let upstream = Atomic<UInt>(none)
    /// How many nodes want the result.
    final let dependents = Atomic<Int32>(0)
    /// About how many nodes of the list want it no more.
    final let dead = Atomic<Int32>(0)
    final var next: Unmanaged<FutureCore>?
    final var ready: Unmanaged<FutureCore>?
    final var waiting: Unmanaged<FutureCore>?
    final var step: Step?
    final let budget: Budget?
    /// Wakes a thread or task: runs as soon as the result is there, ahead of all callbacks, and runs no foreign code.
    final let isPrompt: Bool
    final var wasAbandoned = false

    init(state: UInt = 0, budget: Budget? = nil, isPrompt: Bool = false, step: Step? = nil) {
        word = Atomic(state)
        self.budget = budget
        self.isPrompt = isPrompt
        self.step = step
    }

    deinit { releaseUpstream() }

    final var isDone: Bool { word.load(ordering: .acquiring) & Self.done != 0 }

    /// Ended, or about to: a node like this is not to be run.
    final var isClaimed: Bool { word.load(ordering: .relaxed) & Self.claimed != 0 }

    /// Done, with nobody left to call: a callback registered now runs at once without overtaking another.
    final var isQuiet: Bool { word.load(ordering: .acquiring) & Self.flags == Self.done | Self.claimed }

    /// Settles with the result of `source`, a future of the same type.
    func settle(from source: FutureCore) { claim() }

    /// Settles as cancelled, if the error type can say so.
    func abandon() { claim() }

    /// True for one caller only, who may end this future.
    @discardableResult
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
    final func publish() {
        var seen = word.load(ordering: .relaxed)
        while true {
            let list = Self.node(seen)
            let isMine = list != nil && seen & Self.busy == 0
            let desired =
                isMine ? Self.claimed | Self.done | Self.busy : seen | Self.done
            let (swapped, now) = word.weakCompareExchange(
                expected: seen, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
            if swapped {
                if isMine { startDraining(list) }
                return
            }
            seen = now
        }
    }
}

/// The typed part: the result.
final class ResultCore<Value: Sendable, Failure: Error>: FutureCore, @unchecked Sendable {
    private var stored: Result<Value, Failure>?

    init(budget: Budget?, step: Step? = nil) { super.init(budget: budget, step: step) }

    init(_ result: Result<Value, Failure>, budget: Budget? = nil) {
        stored = result
        super.init(state: Self.claimed | Self.done, budget: budget)
    }

    /// Nil while pending.
    var result: Result<Value, Failure>? { isDone ? stored : nil }

    /// Ends this future unless it has ended; says whether it did. The source has delivered or there is none.
    @discardableResult
    func settle(_ result: Result<Value, Failure>) -> Bool {
        guard claim() else { return false }
        stored = result
        _ = leaveUpstream()
        publish()
        return true
    }

    /// Ends this future from the side: its source is told that it is not needed here.
    @discardableResult
    func end(_ result: Result<Value, Failure>) -> Bool {
        Trampoline.perform {
            guard claim() else { return false }
            stored = result
            wasAbandoned = true
            publish()
            Self.withdraw(from: leaveUpstream())
            return true
        }
    }

    override func settle(from source: FutureCore) {
        guard let result = unsafeDowncast(source, to: Self.self).result else { return }
        settle(result)
    }

    override func abandon() {
        guard let failure = Self.cancelled, claim() else { return }
        stored = .failure(failure)
        wasAbandoned = true
        publish()
    }

    /// The error for a cancelled future of this type, if there is one.
    static var cancelled: Failure? { (Failure.self as? any FutureFailure.Type)?.cancelled as? Failure }

    static func broken(file: StaticString, line: Int) -> Failure? {
        (Failure.self as? any FutureFailure.Type)?.brokenPromise(file: "\(file)", line: line) as? Failure
    }
}
