/// The policies that wait for another call, each with its own number.
struct PolicyWaiters: Sendable {
    private var wakers: [UInt64: PolicyWaker] = [:]
    private var lastID: UInt64 = 0

    var count: Int { wakers.count }

    /// Adds a waiter and returns its number. A finished wait accepts no waiters.
    mutating func add(_ waker: PolicyWaker, isOver: Bool) -> UInt64 {
        lastID += 1
        if !isOver { wakers[lastID] = waker }
        return lastID
    }

    mutating func remove(_ id: UInt64) { wakers[id] = nil }

    /// All of them, to be woken once the lock is released.
    mutating func takeAll() -> [PolicyWaker] {
        defer { wakers = [:] }
        return Array(wakers.values)
    }
}
