import Synchronization

/// Distinguishes a process from those it was forked from: each `fork` makes the child the next generation.
///
/// `pthread_atfork` counts the generations, because reading the process identifier takes a system call each time. A
/// `fork` that runs no handlers (`_Fork`, `vfork`, a bare `clone`) is not detected.
@usableFromInline package enum ProcessGeneration {
    private static let forks = Atomic(0)

    private static let isCounting: Bool = {
        // Allocated here, because the handler may do almost nothing in the child.
        _ = forks.load(ordering: .relaxed)
        return pthread_atfork(nil, nil) { ProcessGeneration.forks.add(1, ordering: .relaxed) } == 0
    }()

    /// Whether this is the process in which `generation` was the current one: forks have been counted since.
    @usableFromInline package static func isCurrent(_ generation: Int) -> Bool {
        generation == forks.load(ordering: .relaxed)
    }

    /// Forks after its first use are counted.
    @usableFromInline package static var current: Int {
        _ = isCounting
        return forks.load(ordering: .relaxed)
    }
}

/// A value that a forked child does not share with its parent: the child makes its own on first use.
///
/// The child never touches the parent's value: a thread that no longer exists may hold its locks. For the same reason
/// this type has no lock. The parent's value is released with this object, so it must detect the fork itself and must
/// not close anything of another process.
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

    /// The value of the process that made this object, followed by those of its descendants.
    @usableFromInline let first: Entry
    private let make: @Sendable () -> Value

    package init(_ make: @escaping @Sendable () -> Value) {
        self.make = make
        first = Entry(ProcessGeneration.current, make())
    }

    /// Inlinable, so that `Value` is known.
    @inlinable package var value: Value {
        ProcessGeneration.isCurrent(first.generation) ? first.value : value(of: ProcessGeneration.current)
    }

    @usableFromInline func value(of generation: Int) -> Value {
        var entry = first
        while entry.generation != generation {
            entry = entry.next.load() ?? entry.next.storeIfNil(Entry(generation, make()))
        }
        return entry.value
    }

    /// This process's value, if it has been made.
    package var ifMade: Value? {
        let generation = ProcessGeneration.current
        var entry: Entry? = first
        while let candidate = entry, candidate.generation != generation { entry = candidate.next.load() }
        return entry?.value
    }
}
