public import Synchronization

/// Counts to zero, from any thread.
@usableFromInline
final class Countdown: Sendable {
    @usableFromInline let left: Atomic<Int>

    @inlinable
    init(_ count: Int) { left = Atomic(count) }

    /// True for the last call.
    @inlinable
    func arrive() -> Bool { left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
