import Synchronization

/// Inline storage for one handler. The thread that changes `word` to `busy` has exclusive access.
struct HandlerSlot: ~Copyable {
    typealias Handler = @Sendable () -> Void

    private static let busy: UInt64 = 1
    private static let full: UInt64 = 2
    private static let stages: UInt64 = 3

    /// The number of uses, and above it the stage. With the stage `full` it is the id of the stored handler.
    private let word = Atomic<UInt64>(0)
    /// Never contended, because `word` admits one thread at a time.
    private let occupant = Mutex<Occupant?>(nil)

    /// A bare closure as the value of a generic type would be wrapped again, which allocates.
    struct Occupant: Sendable {
        let handler: Handler
    }

    /// Whether an id is of a handler in a slot.
    static func isOne(_ id: UInt64) -> Bool { id & stages == full }

    /// Stores the handler and returns its id; nil if the slot is not free.
    func put(_ new: @escaping Handler) -> UInt64? {
        let seen = word.load(ordering: .relaxed)
        guard seen & Self.stages == 0, move(from: seen, to: seen | Self.busy) else { return nil }
        occupant.withLock { $0 = Occupant(handler: new) }
        word.store(seen | Self.full, ordering: .releasing)
        return seen | Self.full
    }

    /// Removes the handler with that id. Only one caller gets it.
    func take(_ id: UInt64) -> Handler? {
        let count = id & ~Self.stages
        guard move(from: id, to: count | Self.busy) else { return nil }
        let taken = occupant.withLock { occupant in
            defer { occupant = nil }
            return occupant
        }
        word.store(count &+ Self.stages + 1, ordering: .releasing)
        return taken?.handler
    }

    /// Removes the stored handler, whatever its id.
    func takeAny() -> Handler? {
        let seen = word.load(ordering: .acquiring)
        return Self.isOne(seen) ? take(seen) : nil
    }

    private func move(from old: UInt64, to new: UInt64) -> Bool {
        word.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}
