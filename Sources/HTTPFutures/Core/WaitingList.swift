/// The waiters of a future in order of arrival. A ticket names each; tickets increase.
@usableFromInline
struct WaitingList<Output: Sendable>: Sendable {
    /// The first waiter, stored apart: most futures have only one, and then need no table.
    @usableFromInline var first: Waiter<Output>?
    @usableFromInline var others: [UInt64: Waiter<Output>]?
    /// The ticket of the first waiter while there is one; no other waiter has a smaller ticket.
    @usableFromInline var front: UInt64 = 0
    @usableFromInline var nextTicket: UInt64 = 0

    @inlinable init() {}

    @inlinable var isEmpty: Bool { first == nil && others?.isEmpty != false }

    /// The first waiter, if it is the only one.
    var only: Waiter<Output>? { others?.isEmpty != false ? first : nil }

    @inlinable mutating func append(_ waiter: consuming Waiter<Output>) {
        if isEmpty {
            (first, front) = (waiter, nextTicket)
        } else {
            others = others ?? [:]
            others?[nextTicket] = waiter
        }
        nextTicket += 1
    }

    @inlinable mutating func popFirst() -> Waiter<Output>? {
        if let waiter = first.take() {
            front += 1
            return waiter
        }
        while others?.isEmpty == false {
            front += 1
            if let waiter = others?.removeValue(forKey: front - 1) { return waiter }
        }
        return nil
    }

    mutating func remove(_ ticket: UInt64) -> Waiter<Output>? {
        ticket == front && first != nil ? first.take() : others?.removeValue(forKey: ticket)
    }
}

/// A waiter.
@usableFromInline
struct Waiter<Output: Sendable>: Sendable {
    /// `node` belongs to the waiter; the step takes it.
    @usableFromInline typealias Step =
        @Sendable (_ result: Output, _ node: inout (any Node)?, _ budget: Budget?) -> Void

    /// The future that the step will end, if any.
    @usableFromInline var node: (any Node)?
    @usableFromInline let step: Step

    @inlinable init(_ node: (any Node)? = nil, _ step: @escaping Step) { (self.node, self.step) = (node, step) }
}

extension (any Node)? {
    /// The future, with the reference that was stored here.
    @inlinable mutating func take<Core: Node>(as type: Core.Type) -> Core? {
        guard let node = take() else { return nil }
        return unsafeDowncast(node, to: type)
    }
}
