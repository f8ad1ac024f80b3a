import HTTPCore

extension Schedule {
    /// What the thread that watches the clock does next.
    enum Watch {
        /// Nothing is due before that instant; before somebody rings, if it is nil.
        case sleep(until: TimePoint?)
        /// Tells a caller, which takes no time.
        case tell(Overdue)
        /// Tells a caller whose own code may take any time. It does not watch meanwhile: where timers are left, the signal
        /// gets another thread.
        case leave(toTell: Overdue, Timekeeping.Signal?)
    }

    /// One caller at a time: those due at the same moment must not wait for one another's code either.
    mutating func watch(at now: TimePoint, isPrompt: (Job) -> Bool) -> Watch {
        guard let overdue = takeOverdue(at: now) else { return .sleep(until: timekeeping.sleep()) }
        switch overdue {
        case .expired(let job), .abandoned(let job):
            return isPrompt(job) ? .tell(overdue) : .leave(toTell: overdue, timekeeping.leave())
        case .due: return .tell(overdue)
        }
    }

    /// The first whose time has come.
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
