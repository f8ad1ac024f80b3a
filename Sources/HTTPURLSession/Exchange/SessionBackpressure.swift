/// Whether a task that delivers faster than its data is read is suspended. The session suspends it, and the reader
/// resumes it, but only after it is suspended. A value behind the queue's lock.
enum SessionBackpressure: Sendable {
    case running
    /// Decided, but not yet done.
    case suspending
    /// The queue was emptied before the task was suspended.
    case outpaced
    case suspended

    /// Whether the session must suspend the task now.
    mutating func begin() -> Bool {
        guard case .running = self else { return false }
        self = .suspending
        return true
    }

    /// The task is suspended. Returns whether the session must resume it at once.
    mutating func confirm() -> Bool {
        defer { self = if case .outpaced = self { .running } else { .suspended } }
        return if case .outpaced = self { true } else { false }
    }

    /// There is room again. Returns whether the reader must resume the task now.
    mutating func release() -> Bool {
        switch self {
        case .running, .outpaced: return false
        case .suspending:
            self = .outpaced
            return false
        case .suspended:
            self = .running
            return true
        }
    }
}
