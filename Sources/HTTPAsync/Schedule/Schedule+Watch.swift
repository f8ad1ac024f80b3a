import HTTPCore
import HTTPSupport

extension Schedule {
    /// The next action of the timer thread.
    enum Watch {
        /// Sleep until that instant; until it is signalled if nil.
        case sleep(until: TimePoint?)
        /// Tell a caller, which takes no time.
        case tell(Overdue)
        /// Tell a caller whose code may take long. This thread does not watch meanwhile: if timers remain, the signal
        /// starts another.
        case leave(toTell: Overdue, Timekeeping.Signal?)
    }

    /// One caller at a time: those due at the same moment must not wait for each other's code.
    mutating func watch(at now: TimePoint, isPrompt: (Job) -> Bool) -> Watch {
        guard let overdue = takeOverdue(at: now) else { return .sleep(until: timekeeping.sleep()) }
        switch overdue {
        case .expired(let job), .abandoned(let job):
            return isPrompt(job) ? .tell(overdue) : .leave(toTell: overdue, timekeeping.leave())
        case .due: return .tell(overdue)
        }
    }

    /// The first due timer.
    mutating func takeOverdue(at now: TimePoint) -> Overdue? {
        while let timer = timekeeping.timers.popDue(at: now) {
            switch timer.subject {
            case .alarm(let alarm): return .due(alarm)
            case .call(let ticket):
                if let job = queue.withdraw(ticket) { return .expired(job) }
                if queue.stage(ticket) == .cancelled, let job = queue.job(ticket) { return .abandoned(job) }
            }
        }
        return nil
    }
}

extension Schedule.Watch: Sendable where Job: Sendable {}
