import HTTPSupport

enum TimerSubject: Sendable {
    /// The deadline of a waiting call, or the grace period of a cancelled one.
    case call(Ticket)
    case alarm(any Alarm)
}

/// Whether a timer thread watches, and until when it sleeps.
struct Timekeeping {
    enum Signal: Sendable {
        /// No thread watches; one must be started.
        case start
        /// The timer thread must wake earlier than planned.
        case wake
    }

    private enum ThreadState {
        case absent
        /// Checks the timers before it sleeps.
        case awake
        case asleep(until: TimePoint?)
    }

    var timers = TimerHeap<TimerSubject>()
    private var thread = ThreadState.absent
    /// A thread was requested and has not arrived; another request would not be faster.
    private var isThreadComing = false

    /// What must be done so that the earliest timer fires in time.
    mutating func signal() -> Signal? {
        guard let earliest = timers.earliest else { return nil }
        switch thread {
        case .awake: return nil
        case .absent:
            guard !isThreadComing else { return nil }
            isThreadComing = true
            return .start
        case .asleep(let end):
            if let end, end <= earliest { return nil }
            thread = .awake
            return .wake
        }
    }

    /// The timer thread goes to sleep until the returned instant; until it is woken if that is nil.
    mutating func sleep() -> TimePoint? {
        thread = .asleep(until: timers.earliest)
        return timers.earliest
    }

    /// The timer thread has been idle and wants to end; false if there is a timer now.
    mutating func retire() -> Bool {
        guard timers.earliest == nil else { return false }
        thread = .absent
        return true
    }

    /// The timer thread will be blocked. Another must watch if timers remain.
    mutating func leave() -> Signal? {
        thread = .absent
        return signal()
    }

    /// The requested thread has arrived. It watches, unless the blocked one has returned first.
    mutating func arrive() -> Bool {
        isThreadComing = false
        return resume()
    }

    /// The requested thread could not be started. Returns whether none watches.
    mutating func refuseThread() -> Bool {
        isThreadComing = false
        return if case .absent = thread { true } else { false }
    }

    /// A blocked timer thread wants to continue; false if another has taken over.
    mutating func resume() -> Bool {
        guard case .absent = thread else { return false }
        thread = .awake
        return true
    }
}
