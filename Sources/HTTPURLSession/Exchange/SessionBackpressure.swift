/// Whether a task that delivers faster than it is read is held back: who delivers suspends it, who reads resumes it,
/// and neither may resume what is not suspended yet. A value, kept behind the mailbox's lock.
enum SessionBackpressure: Sendable {
    case running
    /// Decided, and not yet done.
    case suspending
    /// Read empty before it was done.
    case outpaced
    case suspended

    /// Whether who delivers is to suspend now.
    mutating func begin() -> Bool {
        guard case .running = self else { return false }
        self = .suspending
        return true
    }

    /// The task is suspended. Whether who delivers is to resume it at once.
    mutating func confirm() -> Bool {
        defer { self = if case .outpaced = self { .running } else { .suspended } }
        return if case .outpaced = self { true } else { false }
    }

    /// There is room again. Whether who reads is to resume now.
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
