/// Those who wait for a future, in the order in which they came. A ticket names each, and is greater than those before it.
@usableFromInline
struct WaitingList<Output: Sendable>: Sendable {
    /// One who came when there was nobody, apart from the others: most futures have no more, and so no table.
    @usableFromInline var first: Waiter<Output>?
    @usableFromInline var firstTicket: UInt64 = 0
    @usableFromInline var others: [UInt64: Waiter<Output>]?
    /// None of the others has a smaller ticket.
    @usableFromInline var front: UInt64 = 0
    @usableFromInline var nextTicket: UInt64 = 0

    @inlinable init() {}

    @inlinable var isEmpty: Bool { first == nil && others?.isEmpty != false }

    /// The first, if there is no other.
    var only: Waiter<Output>? { others?.isEmpty != false ? first : nil }

    @inlinable mutating func append(_ waiter: consuming Waiter<Output>) {
        if isEmpty {
            (first, firstTicket, front) = (waiter, nextTicket, nextTicket)
        } else {
            others = others ?? [:]
            others?[nextTicket] = waiter
        }
        nextTicket += 1
    }

    @inlinable mutating func popFirst() -> Waiter<Output>? {
        if let waiter = first.take() { return waiter }
        while others?.isEmpty == false {
            front += 1
            if let waiter = others?.removeValue(forKey: front - 1) { return waiter }
        }
        return nil
    }

    mutating func remove(_ ticket: UInt64) -> Waiter<Output>? {
        ticket == firstTicket ? first.take() : others?.removeValue(forKey: ticket)
    }
}

/// Somebody who waits for a future.
@usableFromInline
struct Waiter<Output: Sendable>: Sendable {
    /// `node` is the waiter's own, for the step to take.
    @usableFromInline typealias Step =
        @Sendable (_ result: Output, _ node: inout (any Node)?, _ budget: Budget?) -> Void

    /// The future that the step is going to end, if there is one.
    @usableFromInline var node: (any Node)?
    @usableFromInline let step: Step

    @inlinable init(_ node: (any Node)? = nil, _ step: @escaping Step) { (self.node, self.step) = (node, step) }
}

extension (any Node)? {
    /// The future itself, with the reference that was here.
    @inlinable mutating func take<Core: Node>(as type: Core.Type) -> Core? {
        guard let node = take() else { return nil }
        return unsafeDowncast(node, to: type)
    }
}
