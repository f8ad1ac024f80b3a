import HTTPSupport

/// Deadlines, cancelled calls that do not return, and alarms.
extension Schedule {
    /// A due timer: usually a call whose caller must be notified although it has not returned.
    enum Overdue {
        /// Its deadline passed before its turn: it will never run.
        case expired(Job)
        /// It was cancelled and does not return. Its slot stays counted until it does.
        case abandoned(Job)
        case due(any Alarm)
    }

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

    mutating func setTimer(of ticket: Ticket, for instant: TimePoint) {
        // Alarms are not dropped here: they are not released under the lock.
        _ = set(.call(ticket), for: instant) { _ in true }
    }

    /// Returns alarms for which nobody waits any more. Each may be the last to hold a client: the caller releases them
    /// when it holds no lock.
    mutating func setTimer(of alarm: any Alarm, for instant: TimePoint) -> [TimerHeap<TimerSubject>.Timer] {
        set(.alarm(alarm), for: instant, isWanted: \.isPending)
    }

    /// Each waiting or running call and each alarm has at most one timer that matters. Returns what it removes.
    private mutating func set(
        _ subject: TimerSubject, for instant: TimePoint, isWanted: (any Alarm) -> Bool
    ) -> [TimerHeap<TimerSubject>.Timer] {
        defer { timekeeping.timers.insert(TimerHeap<TimerSubject>.Timer(instant: instant, subject)) }
        guard timekeeping.timers.count > mostTimers else { return [] }
        let removed = removeUnwantedTimers(isWanted: isWanted)
        mostTimers = 64 + 2 * max(queue.count + running, timekeeping.timers.count)
        return removed
    }

    /// Removes the timers for which nobody waits. The caller releases them when it holds no lock.
    mutating func removeUnwantedTimers(isWanted: (any Alarm) -> Bool = \.isPending) -> [TimerHeap<TimerSubject>.Timer] {
        timekeeping.timers.keep { [queue] timer in
            switch timer.subject {
            case .call(let ticket): [.waiting, .cancelled].contains(queue.stage(ticket))
            case .alarm(let alarm): isWanted(alarm)
            }
        }
    }

    /// No thread watches the timers, and none can be started. Takes the alarms, to be told so.
    mutating func refuseTimerThread() -> [any Alarm] {
        guard timekeeping.refuseThread() else { return [] }
        return timekeeping.timers.keep { if case .call = $0.subject { true } else { false } }
            .compactMap { if case .alarm(let alarm) = $0.subject { alarm } else { nil } }
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

extension Schedule.Overdue: Sendable where Job: Sendable {}
extension Schedule.Watch: Sendable where Job: Sendable {}
