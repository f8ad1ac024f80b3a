import HTTPCore

/// Calls that are made many at once on one thread. They have slots like all others, and no worker. Passes come the same way.
extension WorkerPool {
    /// Hands the call of `run` to its feed; where its time is over already, the next one that its slot is for.
    func feed(_ run: Plan.Run) {
        var run = run
        while run.hasWaited, let deadline = run.job.deadline, deadline.point <= .now {
            let start = schedule.withLock { $0.release(run.ticket) }
            // This may be the thread of a feed.
            if run.job.isPrompt { run.job.end(.expired) } else { crew.run { [job = run.job] in job.end(.expired) } }
            guard case .feed(let next)? = start else {
                if let start { perform(start) }
                return
            }
            run = next
        }
        if run.hasWaited { run.job.endQueueing() }
        enter(run.job)
        // Whatever made room for the pass may have made room for a call, too.
        if run.isPass, let start = schedule.withLock({ $0.startBehindPass() }) { perform(start) }
    }

    private func enter(_ job: any DispatchedJob) {
        guard let feed = job.enterFeed(of: self) else { return }
        let isStarted = startThread { [idleTime] in feed.drive(idleTime: idleTime) }
        guard !isStarted else { return }
        // There is no thread for the feed. Its calls may be those of other dispatchers, too.
        for call in feed.refuseThread() { (call as? any DispatchedJob)?.returnFromFeed() }
    }

    /// The core of a call has returned that has no worker.
    func release(_ job: any DispatchedJob) {
        let start = schedule.withLock { schedule in job.ticket.flatMap { schedule.release($0) } }
        if let start { perform(start) }
    }

    /// Has a call wait for a worker that its feed could not make.
    func takeBack(_ job: any DispatchedJob) {
        if let ticket = schedule.withLock({ _ in job.ticket }) { putBack(job, ticket, isMultiplexed: true) }
    }
}
