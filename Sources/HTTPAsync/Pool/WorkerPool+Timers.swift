import HTTPSupport

extension WorkerPool {
    /// Fires `alarm` at that time, on a thread that it must not block. If no thread can be started, it is refused.
    func set(_ alarm: any Alarm, for instant: TimePoint) {
        let (signal, removed) = schedule.withLock { schedule in
            let removed = schedule.setTimer(of: alarm, for: instant)
            return (schedule.timekeeping.signal(), removed)
        }
        withExtendedLifetime(removed) {}
        if let signal { perform(signal) }
    }

    func perform(_ signal: Timekeeping.Signal) {
        switch signal {
        case .wake: timerWakeup.signal()
        case .start:
            let isStarted = startThread { [self] in
                if schedule.withLock({ $0.timekeeping.arrive() }) { keepTime() }
            }
            guard !isStarted else { return }
            // For deadlines the next submission tries again. Alarms, also of others meanwhile, may be all that there is.
            for alarm in schedule.withLock({ $0.refuseTimerThread() }) { alarm.refuse() }
        }
    }

    /// The main function of the timer thread. There is one while there are timers.
    private func keepTime() {
        while true {
            switch schedule.withLock({ $0.watch(at: .now, isPrompt: \.isPrompt) }) {
            case .sleep(let end?): timerWakeup.wait(atMost: TimePoint.now.duration(to: end))
            case .sleep(nil):
                // Signalled for a timer, or to end.
                let isSignalled = timerWakeup.wait(atMost: idleLimit) && idleLimit > .zero
                if !isSignalled, schedule.withLock({ $0.timekeeping.retire() }) { return }
            case .tell(let overdue): tell(overdue)
            case .leave(let overdue, let signal):
                if let signal { perform(signal) }
                tell(overdue)
                guard schedule.withLock({ $0.timekeeping.resume() }) else { return }
            }
        }
    }

    private func tell(_ overdue: Plan.Overdue) {
        switch overdue {
        case .expired(let job): job.end(.expired)
        case .abandoned(let job): job.end(.abandoned)
        case .due(let alarm): alarm.fire()
        }
    }
}
