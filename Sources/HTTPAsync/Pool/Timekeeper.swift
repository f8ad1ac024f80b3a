import Dispatch
import HTTPCore

/// The bell of the thread that watches the clock.
final class Timekeeper: Sendable {
    private let bell = DispatchSemaphore(value: 0)

    func wake() { bell.signal() }

    /// Sleeps; false if nobody rang.
    func sleep(_ time: Duration) -> Bool { bell.wait(timeout: .now() + time.interval) == .success }
}

extension WorkerPool {
    func perform(_ signal: Timekeeping.Signal) {
        switch signal {
        case .wake: timekeeper.wake()
        case .start:
            // Without a thread the next submission tries again.
            if !startThread({ [self] in keepTime() }) { schedule.withLock { $0.timekeeping.abdicate() } }
        }
    }

    /// The life of the thread that watches the clock. There is one while there is something to watch for.
    private func keepTime() {
        while true {
            let (overdue, end) = schedule.withLock { schedule in
                let overdue = schedule.takeOverdue(at: .now)
                return (overdue, overdue.isEmpty ? schedule.timekeeping.sleep() : nil)
            }
            if !overdue.isEmpty {
                guard tell(overdue) else { return }
            } else if let end {
                _ = timekeeper.sleep(ContinuousClock.now.duration(to: end))
            } else if !timekeeper.sleep(idleTime), schedule.withLock({ $0.timekeeping.retire() }) {
                return
            }
        }
    }

    /// Tells the callers; false if another thread watches the clock by now.
    private func tell(_ overdue: [Plan.Overdue]) -> Bool {
        var mayWatch = true
        for call in overdue {
            let (job, ending): (any Dispatchable, EarlyEnding) =
                switch call {
                case .expired(let job): (job, .expired)
                case .abandoned(let job): (job, .abandoned)
                }
            if mayWatch, !job.isPrompt {
                // The caller's own code may take any time, which the other timers must not wait for.
                mayWatch = false
                if let signal = schedule.withLock({ $0.timekeeping.leave() }) { perform(signal) }
            }
            job.end(ending)
        }
        return mayWatch || schedule.withLock { $0.timekeeping.resume() }
    }
}
