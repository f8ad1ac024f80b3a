import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Distinguishes a process from those it was forked from: each `fork` makes the child the next generation.
///
/// Counted by `pthread_atfork`, because reading the process identifier takes a system call each time. A `fork` that
/// runs no handlers (`_Fork`, `vfork`, a bare `clone`) is not detected.
@usableFromInline package enum ProcessGeneration {
    private static let forks = Atomic(0)

    private static let isCounting: Bool = {
        // Allocated here, because the handler may do almost nothing in the child.
        _ = forks.load(ordering: .relaxed)
        return pthread_atfork(nil, nil) { ProcessGeneration.forks.add(1, ordering: .relaxed) } == 0
    }()

    /// Forks after its first use are counted.
    @usableFromInline package static var current: Int {
        _ = isCounting
        return forks.load(ordering: .relaxed)
    }
}

/// A value that a forked child does not share with its parent: the child makes its own on first use.
///
/// The parent's value is not touched in the child, whatever its state: a thread that no longer exists may hold its
/// locks. There is no lock here, for the same reason. The parent's value is freed with this object, so it must detect
/// that itself and close nothing of another process.
@usableFromInline package final class ForkLocal<Value: Sendable>: Sendable {
    @usableFromInline final class Entry: Sendable {
        @usableFromInline let generation: Int
        @usableFromInline let value: Value
        let next = AtomicLazyReference<Entry>()

        init(_ generation: Int, _ value: Value) {
            self.generation = generation
            self.value = value
        }
    }

    /// The value of the process that made this object; those of its descendants follow.
    @usableFromInline let first: Entry
    private let make: @Sendable () -> Value

    package init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        first = Entry(ProcessGeneration.current, make())
    }

    /// Inlined where `Value` is known.
    @inlinable package var value: Value {
        let generation = ProcessGeneration.current
        return first.generation == generation ? first.value : value(of: generation)
    }

    @usableFromInline func value(of generation: Int) -> Value {
        var entry = first
        while entry.generation != generation {
            entry = entry.next.load() ?? entry.next.storeIfNil(Entry(generation, make()))
        }
        return entry.value
    }

    /// This process's value, if it has one.
    package var ifMade: Value? {
        let generation = ProcessGeneration.current
        var entry: Entry? = first
        while let candidate = entry, candidate.generation != generation { entry = candidate.next.load() }
        return entry?.value
    }
}
