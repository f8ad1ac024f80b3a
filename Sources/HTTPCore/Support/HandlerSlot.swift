import Synchronization

/// Storage for one handler inside its owner. The thread that changes `word` to `busy` has exclusive access.
struct HandlerSlot: ~Copyable {
    typealias Handler = @Sendable () -> Void

    private static let busy: UInt64 = 1
    private static let full: UInt64 = 2
    private static let stages: UInt64 = 3

    /// The number of uses, and above it the stage. With `full` it is the name of the stored handler.
    private let word = Atomic<UInt64>(0)
    /// It is never contended, because `word` admits one thread at a time.
    private let occupant = Mutex<Occupant?>(nil)

    /// A bare closure as the value of a generic type would be wrapped again, which is an allocation.
    struct Occupant: Sendable {
        let handler: Handler
    }

    /// Whether a name is of a handler that was put into a slot.
    static func isOne(_ id: UInt64) -> Bool { id & stages == full }

    /// The name under which the handler can be taken out; nil if the slot is not free.
    func put(_ new: @escaping Handler) -> UInt64? {
        let seen = word.load(ordering: .relaxed)
        guard seen & Self.stages == 0, move(from: seen, to: seen | Self.busy) else { return nil }
        occupant.withLock { $0 = Occupant(handler: new) }
        word.store(seen | Self.full, ordering: .releasing)
        return seen | Self.full
    }

    /// The handler of that name, for one caller only.
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

    /// The stored handler, whatever its name.
    func takeAny() -> Handler? {
        let seen = word.load(ordering: .acquiring)
        return Self.isOne(seen) ? take(seen) : nil
    }

    private func move(from old: UInt64, to new: UInt64) -> Bool {
        word.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}
