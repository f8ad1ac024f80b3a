import HTTPSupport

/// Calls that one thread makes concurrently. They have slots like all others, and no worker. Passes are handled the
/// same way.
extension WorkerPool {
    /// What is to be started next, and by whom.
    typealias NextStart = (pool: WorkerPool, start: Plan.Start)

    /// Submits the call of `run` to its agent, and what may start because of that. A loop: where no thread can be started,
    /// each call that comes back makes room for the next.
    func submitToAgent(_ run: Plan.Run) {
        var starts = enterAgent(run)
        while let (pool, start) = starts.popLast() {
            if case .submit(let run) = start { starts += pool.enterAgent(run) } else { pool.perform(start) }
        }
    }

    private func enterAgent(_ run: Plan.Run) -> [NextStart] {
        if run.hasWaited, let deadline = run.job.deadline, deadline.point <= .now {
            let start = schedule.withLock { $0.release(run.ticket) }
            // This may be the agent's thread.
            if run.job.isPrompt {
                run.job.end(.expired)
            } else {
                callbacks.run { [job = run.job] in job.end(.expired) }
            }
            return start.map { [(self, $0)] } ?? []
        }
        if run.hasWaited { run.job.endQueueing() }
        var starts = enter(run.job)
        // Room for a pass may also be room for a call.
        if run.isPass, let start = schedule.withLock({ $0.startNext() }) { starts.append((self, start)) }
        return starts
    }

    private func enter(_ job: any DispatchedJob) -> [NextStart] {
        guard let agent = job.enterAgent() else { return [] }
        let isStarted = startThread { [idleTime] in agent.drive(idleTime: idleTime) }
        guard !isStarted else { return [] }
        // The agent has no thread. Its calls may belong to other dispatchers, too.
        return agent.refuseThread().compactMap { ($0 as? any DispatchedJob)?.returnFromAgent() }
    }

    /// The core of a call without a worker has returned.
    func release(_ job: any DispatchedJob) {
        let start = schedule.withLock { schedule in job.ticket.flatMap { schedule.release($0) } }
        if let start { perform(start) }
    }

    /// Queues a call that its agent could not make for a worker.
    func takeBack(_ job: any DispatchedJob) -> NextStart? {
        guard let ticket = schedule.withLock({ _ in job.ticket }) else { return nil }
        return putBack(job, ticket, isMultiplexed: true).map { (self, $0) }
    }
}
