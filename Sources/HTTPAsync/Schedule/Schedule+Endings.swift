import HTTPCore

extension Schedule {
    /// What cancelling came upon.
    enum Cancellation {
        /// The call waited and will never run.
        case withdrawn(Job)
        /// It runs, or is over, or was never submitted.
        case none
    }

    /// A call whose caller is to be told, though it has not returned.
    enum Overdue {
        /// Its time was over before its turn came: it will never run.
        case expired(Job)
        /// It was cancelled and does not return. Its slot stays counted until it does.
        case abandoned(Job)

        var job: Job {
            switch self {
            case .expired(let job), .abandoned(let job): job
            }
        }
    }

    mutating func cancel(_ ticket: Ticket, at now: TimePoint) -> Cancellation {
        if let job = queue.withdraw(ticket) { return .withdrawn(job) }
        if queue.cancel(ticket) {
            setTimer(TimerHeap.Timer(instant: now + limits.grace, ticket: ticket))
        }
        return .none
    }

    mutating func setTimer(_ timer: TimerHeap.Timer) {
        // At most one timer of each call that waits or runs has a point.
        if timekeeping.timers.count > 64 + 2 * (queue.count + running) {
            timekeeping.timers.keep { [queue] in [.waiting, .cancelled].contains(queue.stage($0.ticket)) }
        }
        timekeeping.timers.insert(timer)
    }
}

extension Schedule.Cancellation: Sendable where Job: Sendable {}
extension Schedule.Overdue: Sendable where Job: Sendable {}
