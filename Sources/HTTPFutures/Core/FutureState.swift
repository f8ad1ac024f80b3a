/// All of a future that is behind its lock. What follows from a change is returned, to be done without the lock.
@usableFromInline
struct FutureState<Output: Sendable>: Sendable {
    @usableFromInline typealias Sleeper = @Sendable (Output) -> Void

    /// Who may still end a pending future.
    @usableFromInline enum Stage: Int, Sendable {
        case open
        /// Its promise has been told to follow another future, and has no say any more.
        case pledged
        /// Only the one who is ending it from the reading side.
        case ending
    }

    @usableFromInline var result: Output?
    @usableFromInline var stage = Stage.open
    /// Whether it ends from the reading side.
    @usableFromInline var isAbandoned = false
    @usableFromInline var waiting = WaitingList<Output>()
    /// Threads and tasks, woken as soon as the result is there, ahead of all callbacks.
    @usableFromInline var sleepers: [UInt64: Sleeper]?
    /// How many want the result.
    @usableFromInline var dependents = 0
    @usableFromInline var upstream: Upstream
    /// Whether a thread has begun to call those who wait. It calls those as well that come meanwhile, so that they keep
    /// their order.
    @usableFromInline var isCalling = false

    /// What the steps after this future have in all, as far as it is known: it comes with the result, or before.
    @usableFromInline var budget: Budget?

    @inlinable init(_ result: Output?, _ upstream: Upstream, _ budget: Budget?) {
        (self.result, self.upstream, self.budget) = (result, upstream, budget)
    }

    var isWanted: Bool { result == nil && stage != .ending }

    /// The result, if a budget does not come with it.
    @inlinable var unlimitedResult: Output? { budget == nil ? result : nil }

    /// The same, if a callback that runs at once overtakes no other.
    @inlinable var quietResult: Output? { isCalling ? nil : unlimitedResult }

    /// True if the caller is to call those who wait.
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

    /// The next to call; after the last, others may call.
    @inlinable mutating func next() -> (waiter: Waiter<Output>, result: Output, budget: Budget?)? {
        if let result, let waiter = waiting.popFirst() { return (waiter, result, budget) }
        isCalling = false
        return nil
    }

    @usableFromInline typealias Settlement = (sleepers: [UInt64: Sleeper]?, mustCall: Bool, upstream: Upstream)

    /// Nil if it has ended, or is past that stage.
    @inlinable mutating func settle(_ result: Output, upTo last: Stage, isAbandoned: Bool) -> Settlement? {
        guard self.result == nil, stage.rawValue <= last.rawValue else { return nil }
        self.result = result
        if isAbandoned { self.isAbandoned = true }
        return (sleepers.take(), startCalling(), takeUpstream())
    }

    @inlinable mutating func takeUpstream() -> Upstream {
        var taken = Upstream.nothing
        swap(&taken, &upstream)
        return taken
    }

    /// True for one caller only, who may have this promised future follow another.
    mutating func pledge() -> Bool {
        guard result == nil, stage == .open else { return false }
        stage = .pledged
        return true
    }

    /// Reserves the end to the caller, who is to leave what it returns; nil if it is too late.
    mutating func beginEnding() -> Upstream? {
        guard isWanted else { return nil }
        (stage, isAbandoned) = (.ending, true)
        return takeUpstream()
    }

    /// The ticket of one who sleeps; nil if the result is there.
    mutating func attach(_ sleeper: @escaping Sleeper) -> UInt64? {
        guard result == nil else { return nil }
        dependents += 1
        defer { waiting.nextTicket += 1 }
        sleepers = sleepers ?? [:]
        sleepers?[waiting.nextTicket] = sleeper
        return waiting.nextTicket
    }

    /// The waiters that were removed, to be freed without the lock, and whether nothing needs this future any more.
    mutating func lose(_ ticket: UInt64?) -> (Sleeper?, Waiter<Output>?, isUnwanted: Bool) {
        dependents -= 1
        let (sleeper, waiter) = ticket.map { (sleepers?.removeValue(forKey: $0), waiting.remove($0)) } ?? (nil, nil)
        return (sleeper, waiter, dependents <= 0 && isWanted)
    }

    /// Leaves its sources, but goes on.
    mutating func giveUp() -> Upstream {
        isAbandoned = true
        return takeUpstream().keepingSteps
    }

    /// Returns what is to be left at once.
    mutating func wait(for new: Upstream) -> Upstream {
        guard isWanted else { return new }
        if isAbandoned { return new.keepingSteps }
        if case .nothing = upstream { upstream = new }
        return .nothing
    }

    mutating func letGo(of node: any Node) -> UInt64? {
        guard case .one(let source) = upstream, source.node === node else { return nil }
        upstream = .nothing
        return source.ticket
    }
}
