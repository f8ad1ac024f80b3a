import HTTPCore
import HTTPSupport

extension Schedule {
    /// The state in which a call was cancelled.
    enum Cancellation {
        /// It was waiting and will never run.
        case withdrawn(Job)
        /// It is running, has ended, or was never submitted.
        case none
    }

    /// A due timer: usually a call whose caller must be notified although it has not returned.
    enum Overdue {
        /// Its deadline passed before its turn: it will never run.
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
        timekeeping.timers.insert(timer)
    }
}

extension Schedule.Cancellation: Sendable where Job: Sendable {}
extension Schedule.Overdue: Sendable where Job: Sendable {}
