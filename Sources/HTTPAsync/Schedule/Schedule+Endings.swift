import HTTPCore
import HTTPSupport

extension Schedule {
    /// A due timer: usually a call whose caller must be notified although it has not returned.
    enum Overdue {
        /// Its deadline passed before its turn: it will never run.
        case expired(Job)
        /// It was cancelled and does not return. Its slot stays counted until it does.
        case abandoned(Job)
        case due(any Alarm)
    }

    /// Returns the call if it was waiting: it will never run.
    mutating func cancel(_ ticket: Ticket, at now: TimePoint) -> Job? {
        if let job = queue.withdraw(ticket) { return job }
        if queue.cancel(ticket) { setTimer(.call(ticket), for: now + limits.grace) }
        return nil
    }

    mutating func setTimer(_ subject: TimerSubject, for instant: TimePoint) {
        // Each waiting or running call and each alarm has at most one timer that matters.
        if timekeeping.timers.count > mostTimers {
            timekeeping.timers.keep { [queue] timer in
                switch timer.subject {
                case .call(let ticket): [.waiting, .cancelled].contains(queue.stage(ticket))
                case .alarm(let alarm): alarm.isPending
                }
            }
            mostTimers = 64 + 2 * max(queue.count + running, timekeeping.timers.count)
        }
        timekeeping.timers.insert(TimerHeap<TimerSubject>.Timer(instant: instant, subject))
    }
}

extension Schedule.Overdue: Sendable where Job: Sendable {}
