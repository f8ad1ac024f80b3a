/// Whether a task that delivers faster than its data is read is suspended: the session suspends it, the reader resumes
/// it, and neither resumes a task that is not suspended yet. A value, kept behind the queue's lock.
enum SessionBackpressure: Sendable {
    case running
    /// Decided, but not done yet.
    case suspending
    /// The queue was emptied before it was done.
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
