import HTTPCore
import Synchronization

/// Does what the schedule decides: starts and wakes threads, makes calls, and tells callers.
///
/// The schedule is asked under the lock; nothing else happens there. Threads keep the pool alive, and end when they have
/// been idle, so there is nothing to shut down.
final class WorkerPool: Sendable {
    typealias Plan = Schedule<any DispatchedJob, Worker>
    typealias ThreadStarter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    let schedule: Locked<Plan>
    let timekeeper = TimerThread()
    let crew: CallbackExecutor
    let startThread: ThreadStarter
    let idleTime: Duration
    let queueLimit: Int
    /// How many calls wait between their exchanges, as their policies want.
    let waiters = Atomic(0)
    private let generation = ProcessGeneration.current

    init(_ limits: Plan.Limits, idleTime: Duration, startThread: @escaping ThreadStarter) {
        schedule = Locked(Plan(limits))
        queueLimit = limits.queued
        self.idleTime = idleTime
        self.startThread = startThread
        crew = CallbackExecutor(idleTime: idleTime, startThread: startThread)
    }

    /// Has `job` run on a thread of the pool. A call made within another of this pool is made here and now: the caller
    /// may be going to wait for it, with a slot that it would wait for.
    func submit(_ job: any DispatchedJob, priority: Dispatcher.Priority) {
        if job.drive(in: self, priority: priority) { return }
        if job.isCall, let caller { return caller.nested.run(job) }
        let host = job.host
        let decision = schedule.withLock { schedule in
            // Looked at under the lock: who cancels from here on finds the ticket.
            guard !job.isCancelled else { return Decision(ending: .cancelledInQueue) }
            let admission = schedule.submit(
                job, host: host, priority: priority, deadline: job.deadline?.point, isRefusable: job.isCall,
                isMultiplexed: job.isMultiplexed)
            job.ticket = admission.ticket
            if let cause = admission.queueing { job.beginQueueing(cause) }
            return Decision(
                start: admission.start, signal: schedule.timekeeping.signal(),
                ending: admission.ticket == nil
                    ? .overloaded(.queueFull, limit: queueLimit, queued: schedule.queue.count) : nil)
        }
        if let signal = decision.signal { perform(signal) }
        if let start = decision.start { perform(start) }
        if let ending = decision.ending { job.end(ending) }
    }

    /// What is to be done about a submission.
    private struct Decision {
        var start: Plan.Start?
        var signal: Timekeeping.Signal?
        /// How the call that was submitted ends at once, if it does. `start` may be another's.
        var ending: EarlyEnding?
    }

    /// Whether this thread is one of the pool's, in the core of a call, whose slot it keeps.
    var isWithinCall: Bool { caller != nil }

    /// The one whose thread this is, in the core of a call.
    var caller: Worker? {
        guard let worker = WorkerThread.worker, worker.pool === self, worker.slot != nil, !worker.isOutsideCall
        else { return nil }
        return worker
    }

    /// Ends `job`, wherever it is. May be called at any time, from any thread, any number of times.
    /// Nothing comes of it in a child that was forked since: there nobody makes the call.
    func cancel(_ job: any DispatchedJob) {
        guard generation == ProcessGeneration.current else { return }
        job.interrupt()
        let (cancellation, signal) = schedule.withLock { schedule in
            let cancellation = job.ticket.map { schedule.cancel($0, at: .now) } ?? .none
            return (cancellation, schedule.timekeeping.signal())
        }
        if let signal { perform(signal) }
        if case .withdrawn(let job) = cancellation { job.end(.cancelledInQueue) }
    }

    func perform(_ start: Plan.Start) {
        switch start {
        case .wake(let worker, let run): worker.assign(run)
        case .feed(let run): feed(run)
        case .newThread(let run):
            // In the letter box, not in the closure, which lives as long as the thread.
            let worker = Worker(pool: self)
            worker.assign(run)
            let isStarted = startThread { [self] in WorkerThread.run(as: worker) { serve(worker) } }
            if !isStarted { putBack(run.job, run.ticket) }
        }
    }

    func putBack(_ job: any DispatchedJob, _ ticket: Ticket, isMultiplexed: Bool = false) {
        let (failed, start, signal) = schedule.withLock { schedule in
            let failed = schedule.refuseThread(ticket, isMultiplexed: isMultiplexed, deadline: job.deadline?.point)
            return (failed, schedule.wakeIdle(), schedule.timekeeping.signal())
        }
        if let start { perform(start) }
        if let signal { perform(signal) }
        for job in failed {
            let refusal = EarlyEnding.overloaded(.noThreads, limit: queueLimit, queued: failed.count)
            job.end(job.isCancelled ? .cancelledInQueue : refusal)
        }
    }

    /// The life of a thread.
    private func serve(_ worker: Worker) {
        // The first task-local value of a thread costs an allocation more than those within it.
        CancellationToken.$current.withValue(nil) {
            // An idle thread must not hold its last call.
            while var run = wait(worker) {
                while let next = make(run, on: worker) { run = next }
            }
        }
    }

    /// Makes a call and returns the next one for this thread; nil when it is idle.
    private func make(_ run: Plan.Run, on worker: Worker) -> Plan.Run? {
        let job = run.job
        var next: Plan.Run?
        worker.slot = run.ticket
        worker.namesHost = job.host != nil
        job.run(hasWaited: run.hasWaited) {
            // It may have been given up.
            let slot = worker.slot
            worker.slot = nil
            if job.isPrompt {
                next = own(
                    schedule.withLock { schedule in
                        if let slot { schedule.finish(slot, on: worker) } else { schedule.next(for: worker) }
                    })
            } else if let slot {
                // This thread is held up by the caller's code for as long as that takes.
                release(slot)
            }
        }
        return job.isPrompt ? next : own(schedule.withLock { $0.next(for: worker) })
    }

    /// Another call may have the slot.
    func release(_ slot: Ticket) {
        if let start = schedule.withLock({ $0.release(slot) }) { perform(start) }
    }

    /// What a worker makes itself; the rest is handed to its feed.
    private func own(_ run: Plan.Run?) -> Plan.Run? {
        guard let run, run.isMultiplexed else { return run }
        feed(run)
        return nil
    }

    private func wait(_ worker: Worker) -> Plan.Run? {
        while true {
            if let run = worker.wait(atMost: idleTime) { return run }
            if schedule.withLock({ $0.retire(worker) }) { return nil }
        }
    }
}
