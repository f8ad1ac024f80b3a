import HTTPSupport

/// Calls that one thread makes concurrently. They have slots like all others, and no worker. Passes are handled the
/// same way.
extension WorkerPool {
    /// Submits the call of `run` to its agent; if its deadline has passed, the next call for its slot.
    func submitToAgent(_ run: Plan.Run) {
        var run = run
        while run.hasWaited, let deadline = run.job.deadline, deadline.point <= .now {
            let start = schedule.withLock { $0.release(run.ticket) }
            // This may be the agent's thread.
            if run.job.isPrompt {
                run.job.end(.expired)
            } else {
                callbacks.run { [job = run.job] in job.end(.expired) }
            }
            guard case .submit(let next)? = start else {
                if let start { perform(start) }
                return
            }
            run = next
        }
        if run.hasWaited { run.job.endQueueing() }
        enter(run.job)
        // Room for a pass may also be room for a call.
        if run.isPass, let start = schedule.withLock({ $0.startNext() }) { perform(start) }
    }

    private func enter(_ job: any DispatchedJob) {
        guard let agent = job.enterAgent() else { return }
        let isStarted = startThread { [idleTime] in agent.drive(idleTime: idleTime) }
        guard !isStarted else { return }
        // The agent has no thread. Its calls may belong to other dispatchers, too.
        for call in agent.refuseThread() { (call as? any DispatchedJob)?.returnFromAgent() }
    }

    /// The core of a call without a worker has returned.
    func release(_ job: any DispatchedJob) {
        let start = schedule.withLock { schedule in job.ticket.flatMap { schedule.release($0) } }
        if let start { perform(start) }
    }

    /// Queues a call that its agent could not make for a worker.
    func takeBack(_ job: any DispatchedJob) {
        if let ticket = schedule.withLock({ _ in job.ticket }) { putBack(job, ticket, isMultiplexed: true) }
    }
}
