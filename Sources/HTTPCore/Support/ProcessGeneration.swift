import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Tells a process from those it was forked from: each `fork` makes the child the next generation.
///
/// Counted by `pthread_atfork`, since to ask the system for the process's number takes a system call each time. A `fork`
/// that runs no such handlers (`_Fork`, `vfork`, a bare `clone`) is not seen.
@usableFromInline package enum ProcessGeneration {
    private static let forks = Atomic(0)

    private static let isCounting: Bool = {
        // Made here, for the handler may do next to nothing in the child.
        _ = forks.load(ordering: .relaxed)
        return pthread_atfork(nil, nil) { ProcessGeneration.forks.add(1, ordering: .relaxed) } == 0
    }()

    /// Forks that come after the first time it was asked are counted.
    @usableFromInline package static var current: Int {
        _ = isCounting
        return forks.load(ordering: .relaxed)
    }
}

/// A value that a forked child does not share with its parent: it gets one of its own, made when it is first asked for.
///
/// The parent's is left untouched in the child, whatever state the fork found it in: a thread that no longer exists may
/// have held its locks. There is no lock here, for the same reason. It is freed with this object, so that what it holds
/// must know itself whose it is, and close nothing of another process.
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

    /// That of the process which made this object; those of its descendants follow.
    @usableFromInline let first: Entry
    private let make: @Sendable () -> Value

    package init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        first = Entry(ProcessGeneration.current, make())
    }

    /// Inlined where it is known what `Value` is.
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
