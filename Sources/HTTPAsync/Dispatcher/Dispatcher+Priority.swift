extension Dispatcher {
    /// Which of the calls that wait goes first. A higher one overtakes every lower one that may run at that moment.
    public enum Priority: UInt8, Sendable, Hashable, Comparable, CaseIterable {
        /// Ahead of all others.
        case high
        /// The default.
        case normal
        /// Behind all others.
        case low

        /// The one that fits a task's: `.normal` for `.medium`, which is where tasks start.
        public init(_ priority: TaskPriority) {
            self = priority > .medium ? .high : priority < .medium ? .low : .normal
        }

        public static func < (lhs: Priority, rhs: Priority) -> Bool { lhs.rawValue > rhs.rawValue }
    }
}
