extension Dispatcher {
    /// The place of a call among waiting calls. A higher priority overtakes every lower one that may run at that
    /// moment.
    public enum Priority: Sendable, Hashable, Comparable, CaseIterable {
        /// Before all others.
        case high
        /// The default.
        case normal
        /// After all others.
        case low

        /// The priority that corresponds to a task's: `.normal` for `.medium`, the default of tasks.
        public init(_ priority: TaskPriority) {
            self = priority > .medium ? .high : priority < .medium ? .low : .normal
        }

        public static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.rank > rhs.rank }

        /// The priority of that rank; nil for none.
        init?(rank: UInt64) {
            guard let priority = Self.allCases.first(where: { $0.rank == rank }) else { return nil }
            self = priority
        }

        /// 1 for the highest; 0 is the rank of passes.
        var rank: Int32 {
            switch self {
            case .high: 1
            case .normal: 2
            case .low: 3
            }
        }
    }
}

extension TaskPriority {
    /// The priority of a task whose calls have `priority`.
    init(_ priority: Dispatcher.Priority) {
        self =
            switch priority {
            case .high: .high
            case .normal: .medium
            case .low: .low
            }
    }
}
