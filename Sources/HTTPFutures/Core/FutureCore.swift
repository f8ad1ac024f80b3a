import HTTPSupport

/// The part of a future that all its handles share: the state behind a lock, and the effects of state changes.
///
/// A source refers to its waiters, and a derived future to its source. A thread never holds two of these locks, and
/// calls no other code while it holds one.
@usableFromInline
final class FutureCore<Value: Sendable, Failure: Error>: LockedObject, Node {
    @usableFromInline typealias Output = Result<Value, Failure>
    @usableFromInline typealias Guarded = FutureState<Output>

    deinit { Lock.deinitialize(self) }

    @inlinable static func make(
        _ result: Output? = nil, waitingFor upstream: Upstream = .nothing, budget: Budget? = nil
    ) -> FutureCore {
        make { Guarded(result, upstream, budget) }
    }

    @inlinable var result: Output? { withLock { $0.result } }

    var budget: Budget? { withLock { $0.budget } }

    /// Limits the chain after this future to `budget`.
    @usableFromInline func limit(_ budget: Budget?) {
        if let budget { withLock { $0.budget = budget.least($0.budget) } }
    }

    /// Calls `waiter` with the result: now, if the result is set, no other waiter is ahead and no callback is running
    /// on this thread; otherwise later. Returns its ticket.
    @inlinable @discardableResult
    func attach(_ waiter: Waiter<Output>, isDependent: Bool) -> UInt64 {
        let (ticket, mustCall) = withLock { state in
            (state.waiting.nextTicket, state.attach(waiter, isDependent: isDependent))
        }
        if mustCall { call() }
        return ticket
    }

    /// The same on behalf of `dependent`, which waits for this future from now on.
    func attach(_ waiter: Waiter<Output>, of dependent: any Node) {
        let ticket = attach(waiter, isDependent: true)
        dependent.wait(for: .one(Upstream.Source(self, ticket)))
    }

    /// A pending future for `step` to end; `step` is called with this one's result. Nil if this future has ended.
    @inlinable func derive<NewValue, NewFailure>(
        _ type: FutureCore<NewValue, NewFailure>.Type, _ step: @escaping Waiter<Output>.Step
    ) -> FutureCore<NewValue, NewFailure>? {
        withLock { state in
            guard state.result == nil else { return nil }
            let source = Upstream.Source(self, state.waiting.nextTicket)
            let derived = type.make(waitingFor: .one(source), budget: state.budget)
            _ = state.attach(Waiter(derived, step), isDependent: true)
            return derived
        }
    }

    @inlinable func call() {
        Trampoline.schedule {
            guard var next = self.withLock({ $0.next() }) else { return false }
            next.waiter.step(next.result, &next.waiter.node, next.budget)
            return true
        }
    }

    /// Ends this future and returns its sources; nil if it has ended, or is past that stage.
    @inlinable @discardableResult
    func settle(_ result: Output, upTo last: Guarded.Stage = .pledged, isAbandoned: Bool = false) -> Upstream? {
        guard let settlement = withLock({ $0.settle(result, upTo: last, isAbandoned: isAbandoned) }) else { return nil }
        settlement.wakeup?.stop()
        settlement.sleepers?.values.forEach { $0(result) }
        if settlement.mustCall { call() }
        return settlement.upstream
    }

    /// Ends this future from the reading side and removes it from its sources. `budget` comes with that result alone.
    @usableFromInline @discardableResult
    func end(_ result: Output, within budget: Budget? = nil) -> Bool {
        guard let upstream = withLock({ $0.beginEnding(within: budget) }) else { return false }
        Trampoline.perform {
            // The source is cancelled first, so that it is cancelled by the time this future is seen to end.
            upstream.withdraw()
            settle(result, upTo: .ending)
        }
        return true
    }

    /// The error of a cancelled future, if its type has one.
    static var cancellation: Failure? { (Failure.self as? any FutureFailure.Type)?.cancelled as? Failure }

    @usableFromInline func lose(_ ticket: UInt64?) -> Upstream {
        let (sleeper, waiter, isUnwanted) = withLock { $0.lose(ticket) }
        withExtendedLifetime((sleeper, waiter)) {}
        guard isUnwanted else { return .nothing }
        guard let cancelled = Self.cancellation else { return withLock { $0.giveUp() } }
        return settle(.failure(cancelled), isAbandoned: true) ?? .nothing
    }

    @usableFromInline var sources: Upstream { withLock { $0.upstream } }

    @usableFromInline var hasDependents: Bool { withLock { $0.dependents > 0 } }

    @usableFromInline func wait(for upstream: Upstream) { withLock { $0.wait(for: upstream) }.withdraw() }

    @usableFromInline func stopWaiting(for node: any Node) -> UInt64? { withLock { $0.stopWaiting(for: node) } }
}
