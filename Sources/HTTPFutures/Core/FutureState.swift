/// The state behind the lock of a future. Each change returns the effects, which are performed without the lock.
@usableFromInline
struct FutureState<Output: Sendable>: Sendable {
    @usableFromInline typealias Sleeper = @Sendable (Output) -> Void

    /// Which side may still end a pending future.
    @usableFromInline enum Stage: Int, Sendable {
        case open
        /// The promise follows another future and can no longer resolve this one.
        case pledged
        /// Only the reader that is ending it.
        case ending
    }

    @usableFromInline var result: Output?
    @usableFromInline var stage = Stage.open
    /// Whether it ends from the reading side.
    @usableFromInline var isAbandoned = false
    @usableFromInline var waiting = WaitingList<Output>()
    /// Threads and tasks, woken as soon as the result is there, ahead of all callbacks.
    @usableFromInline var sleepers: [UInt64: Sleeper]?
    /// What ends it at a certain time, until then.
    @usableFromInline var wakeup: Wakeup?
    /// The number of dependents.
    // Small, because a future is made for each link of a chain.
    @usableFromInline var dependents: Int32 = 0
    @usableFromInline var upstream: Upstream
    /// Whether a thread has begun to call the waiters. It also calls those that arrive meanwhile, in order.
    @usableFromInline var isCalling = false

    /// The budget of the steps after this future, once it is known: it comes with the result, or before.
    @usableFromInline var budget: Budget?

    @inlinable init(_ result: Output?, _ upstream: Upstream, _ budget: Budget?) {
        (self.result, self.upstream, self.budget) = (result, upstream, budget)
    }

    @inlinable var isWanted: Bool { result == nil && stage != .ending }

    /// Whether nobody waits for it since it was abandoned.
    @inlinable var isGivenUp: Bool { isAbandoned && dependents <= 0 }

    /// The result, if no budget comes with it.
    @inlinable var unlimitedResult: Output? { budget == nil ? result : nil }

    /// The result, if a callback that runs at once overtakes no other.
    @inlinable var quietResult: Output? { isCalling ? nil : unlimitedResult }

    /// True if the caller must call the waiters.
    @inlinable mutating func attach(_ waiter: consuming Waiter<Output>, isDependent: Bool) -> Bool {
        if isDependent { dependents += 1 }
        waiting.append(waiter)
        return result != nil && startCalling()
    }

    @inlinable mutating func startCalling() -> Bool {
        guard !isCalling, !waiting.isEmpty else { return false }
        isCalling = true
        return true
    }

    /// The next waiter to call. After the last, another thread may call waiters.
    @inlinable mutating func next() -> (waiter: Waiter<Output>, result: Output, budget: Budget?)? {
        if let result, let waiter = waiting.popFirst() { return (waiter, result, budget) }
        isCalling = false
        return nil
    }

    @usableFromInline typealias Settlement = (
        sleepers: [UInt64: Sleeper]?, wakeup: Wakeup?, mustCall: Bool, upstream: Upstream
    )

    /// Nil if it has ended, or is past that stage.
    @inlinable mutating func settle(_ result: Output, upTo last: Stage, isAbandoned: Bool) -> Settlement? {
        guard self.result == nil, stage.rawValue <= last.rawValue else { return nil }
        self.result = result
        if isAbandoned { self.isAbandoned = true }
        return (sleepers.take(), wakeup.take(), startCalling(), takeUpstream())
    }

    @inlinable mutating func takeUpstream() -> Upstream {
        var taken = Upstream.nothing
        swap(&taken, &upstream)
        return taken
    }

    /// True for one caller only, which may make this future follow another.
    mutating func pledge() -> Bool {
        guard result == nil, stage == .open else { return false }
        stage = .pledged
        return true
    }

    /// Reserves the end for the caller and returns the sources to leave; nil if it is too late.
    mutating func beginEnding(within budget: Budget?) -> Upstream? {
        guard isWanted else { return nil }
        if let budget { self.budget = budget.least(self.budget) }
        (stage, isAbandoned) = (.ending, true)
        return takeUpstream()
    }

    /// The ticket of a waiter that sleeps; nil if the result is set.
    mutating func attach(_ sleeper: @escaping Sleeper) -> UInt64? {
        guard result == nil else { return nil }
        dependents += 1
        defer { waiting.nextTicket += 1 }
        sleepers = sleepers ?? [:]
        sleepers?[waiting.nextTicket] = sleeper
        return waiting.nextTicket
    }

    /// The removed waiters, to be freed without the lock, and whether the future has no dependent left.
    mutating func lose(_ ticket: UInt64?) -> (Sleeper?, Waiter<Output>?, isUnwanted: Bool) {
        dependents -= 1
        let (sleeper, waiter) = ticket.map { (sleepers?.removeValue(forKey: $0), waiting.remove($0)) } ?? (nil, nil)
        return (sleeper, waiter, dependents <= 0 && isWanted)
    }

    /// Leaves its sources, and stays pending.
    mutating func giveUp() -> Upstream {
        isAbandoned = true
        return takeUpstream().keepingSteps
    }

    /// Returns the source to leave at once.
    mutating func wait(for new: Upstream) -> Upstream {
        guard isWanted else { return new }
        if isAbandoned { return new.keepingSteps }
        if case .nothing = upstream { upstream = new }
        return .nothing
    }

    mutating func stopWaiting(for node: any Node) -> UInt64? {
        guard case .one(let source) = upstream, source.node === node else { return nil }
        upstream = .nothing
        return source.ticket
    }
}
