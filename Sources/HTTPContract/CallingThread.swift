import HTTPSupport

/// Identifies threads. Not by a task-local value, which a task on another thread inherits.
enum CallingThread {
    private final class Mark: Sendable {}

    private static let marks = PerThread { Mark() }

    /// The same as long as this thread lives.
    static var current: ObjectIdentifier { ObjectIdentifier(marks.object) }
}
