import HTTPCore

extension Schedule {
    /// What cancelling came upon.
    enum Cancellation {
        /// The call waited and will never run.
        case withdrawn(Job)
        /// It runs, or is over, or was never submitted.
        case none
    }

    /// What a time has come for: mostly a call whose caller is to be told, though it has not returned.
    enum Overdue {
        /// Its time was over before its turn came: it will never run.
        case expired(Job)
        /// It was cancelled and does not return. Its slot stays counted until it does.
        case abandoned(Job)
        case due(any Alarm)
    }

    mutating func cancel(_ ticket: Ticket, at now: TimePoint) -> Cancellation {
        if let job = queue.withdraw(ticket) { return .withdrawn(job) }
        if queue.cancel(ticket) {
            setTimer(TimerHeap<TimerSubject>.Timer(instant: now + limits.grace, .call(ticket)))
        }
        return .none
    }

    mutating func setTimer(_ timer: TimerHeap<TimerSubject>.Timer) {
        // At most one timer of each call that waits or runs has a point, and one of each alarm.
        if timekeeping.timers.count > mostTimers {
            timekeeping.timers.keep { [queue] timer in
                switch timer.subject {
                case .call(let ticket): [.waiting, .cancelled].contains(queue.stage(ticket))
                case .alarm(let alarm): alarm.isPending
                }
            }
            mostTimers = 64 + 2 * max(queue.count + running, timekeeping.timers.count)
        }
        timekeeping.timers.insert(timer)
    }
}

extension Schedule.Cancellation: Sendable where Job: Sendable {}
extension Schedule.Overdue: Sendable where Job: Sendable {}
