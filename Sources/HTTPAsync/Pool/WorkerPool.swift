import HTTPSupport
import Synchronization

/// Performs the decisions of the schedule: starts and wakes threads, makes calls, and reports to callers.
///
/// Only the schedule runs under the lock. Threads keep the pool alive and end when idle, so there is nothing to shut
/// down.
final class WorkerPool: Sendable {
    typealias Plan = Schedule<any DispatchedJob, Worker>
    typealias ThreadStarter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    let schedule: Locked<Plan>
    /// The signal of the timer thread.
    let timerWakeup = Semaphore()
    let callbacks: CallbackExecutor
    let startThread: ThreadStarter
    let idleTime: Duration
    let queueLimit: Int
    /// The number of calls that wait between their exchanges for their policies.
    let waiters = Atomic(0)
    /// Whether the dispatcher has been released: a thread does not stay idle then.
    private let isReleased = Atomic(false)
    private let generation = ProcessGeneration.current

    init(_ configuration: Dispatcher.Configuration, startThread: @escaping ThreadStarter) {
        schedule = Locked(Plan(configuration))
        queueLimit = configuration.queued
        idleTime = configuration.idleTime
        self.startThread = startThread
        callbacks = CallbackExecutor(idleTime: idleTime, startThread: startThread)
    }

    /// Runs `job` on a thread of the pool. A call within another call of this pool runs at once: the caller may wait
    /// for it while it holds the slot that it would need. `continues`: whether it is a later exchange of a call.
    func submit(_ job: any DispatchedJob, priority: Dispatcher.Priority, continues: Bool = false) {
        if job.drive(priority: priority) { return }
        if job.isCall, let caller { return caller.nested.run(job, on: caller) }
        let host = job.host
        let (admission, signal) = schedule.withLock { schedule -> (Plan.Admission?, Timekeeping.Signal?) in
            // Checked under the lock: a later cancellation finds the ticket.
            guard !job.isCancelled else { return (nil, nil) }
            let admission = schedule.submit(
                job, host: host, priority: priority, deadline: job.deadline?.point, isRefusable: job.isCall,
                isMultiplexed: job.isMultiplexed, continues: continues)
            if let cause = admission.queueing {
                job.beginQueueing(cause)
                if let early = job.earlyPriority, let ticket = admission.ticket {
                    schedule.queue.raise(ticket, to: early)
                }
            }
            job.ticket = admission.ticket
            return (admission, schedule.timekeeping.signal())
        }
        guard let admission else { return job.end(.cancelledInQueue) }
        if let signal { perform(signal) }
        if let start = admission.start { perform(start) }
        // A callback that this thread runs within its call may wait for the new one, which may need the slot.
        if admission.queueing != nil, Worker.current?.pool === self { Surroundings.giveUpSlot() }
        if admission.ticket == nil {
            job.end(.overloaded(.queueFull, limit: queueLimit, queued: admission.queued))
        }
    }

    /// The worker of this thread while it is in the core of a call, whose slot it keeps.
    var caller: Worker? {
        guard let worker = Worker.current, worker.pool === self, worker.isWithinCall else { return nil }
        return worker
    }

    /// Ends `job`, wherever it is. Any thread may call it at any time, any number of times. It has no effect in a
    /// forked child, where no thread makes the call.
    func cancel(_ job: any DispatchedJob) {
        guard ProcessGeneration.isCurrent(generation) else { return }
        job.interrupt()
        let (withdrawn, signal) = schedule.withLock { schedule in
            let withdrawn = job.ticket.flatMap { schedule.cancel($0, at: .now) }
            return (withdrawn, schedule.timekeeping.signal())
        }
        if let signal { perform(signal) }
        withdrawn?.end(.cancelledInQueue)
    }

    /// Gives `job` a higher priority if it waits, or as soon as it does. Any thread may call it at any time.
    func raise(_ job: any DispatchedJob, to priority: Dispatcher.Priority) {
        guard ProcessGeneration.isCurrent(generation) else { return }
        job.raise(to: priority)
        schedule.withLock { schedule in
            if let ticket = job.ticket {
                schedule.queue.raise(ticket, to: priority)
            } else {
                job.earlyPriority = max(job.earlyPriority ?? priority, priority)
            }
        }
    }

    func perform(_ start: Plan.Start) {
        switch start {
        case .wake(let worker, let run): worker.assign(run)
        case .submit(let run): submitToAgent(run)
        case .newThread(let run):
            // In the mailbox and not in the closure, which lives as long as the thread.
            let worker = Worker(pool: self)
            worker.assign(run)
            let isStarted = startThread { [self] in ThreadRole.run(as: worker) { serve(worker) } }
            if !isStarted, let start = putBack(run.job, run.ticket) { perform(start) }
        }
    }

    /// Queues a call again for which there is no thread, or fails those for which there will be none. Returns what may
    /// start now.
    func putBack(_ job: any DispatchedJob, _ ticket: Ticket, isMultiplexed: Bool = false) -> Plan.Start? {
        let (failed, start, signal) = schedule.withLock { schedule in
            let failed = schedule.refuseThread(ticket, isMultiplexed: isMultiplexed, deadline: job.deadline?.point)
            return (failed, schedule.startWaiting(afterMultiplexed: isMultiplexed), schedule.timekeeping.signal())
        }
        if let signal { perform(signal) }
        for job in failed {
            let refusal = EarlyEnding.overloaded(.noThreads, limit: queueLimit, queued: failed.count)
            job.end(job.isCancelled ? .cancelledInQueue : refusal)
        }
        return start
    }

    /// The main function of a thread.
    private func serve(_ worker: Worker) {
        // The first task-local value of a thread costs an allocation more than nested ones.
        CancellationToken.$current.withValue(nil) {
            // An idle thread must not retain its last call.
            while var run = wait(worker) {
                while let next = make(run, on: worker) { run = next }
            }
        }
    }

    /// Makes a call and returns the next one for this thread; nil when it is idle.
    private func make(_ run: Plan.Run, on worker: Worker) -> Plan.Run? {
        let job = run.job
        let isPrompt = job.isPrompt
        var next: Plan.Run?
        worker.beginCall(run)
        job.run(hasWaited: run.hasWaited) {
            // It may have been abandoned.
            let slot = worker.endCall()
            if isPrompt {
                next = own(
                    schedule.withLock { schedule in
                        if let slot { schedule.finish(slot, on: worker) } else { schedule.next(for: worker) }
                    })
            } else if let slot {
                // The caller's code blocks this thread until it returns.
                release(slot)
            }
        }
        return isPrompt ? next : own(schedule.withLock { $0.next(for: worker) })
    }

    /// The slot is free for another call.
    func release(_ slot: Ticket) {
        if let start = schedule.withLock({ $0.release(slot) }) { perform(start) }
    }

    /// The runs a worker makes itself; the others go to their agent.
    private func own(_ run: Plan.Run?) -> Plan.Run? {
        guard let run, run.isMultiplexed else { return run }
        submitToAgent(run)
        return nil
    }

    private func wait(_ worker: Worker) -> Plan.Run? {
        while true {
            if let run = worker.wait(atMost: idleLimit) { return run }
            if schedule.withLock({ $0.retire(worker) }) { return nil }
        }
    }

    /// How long a thread of the pool stays idle now.
    var idleLimit: Duration { isReleased.load(ordering: .relaxed) ? .zero : idleTime }

    /// The dispatcher has been released. Calls that run or wait keep their threads, each of which ends when it is idle.
    func endIdleThreads() {
        // Before the lock is taken: a thread that becomes idle after that sees it.
        isReleased.store(true, ordering: .relaxed)
        let (idle, unwanted) = schedule.withLock { ($0.idle, $0.removeUnwantedTimers()) }
        for worker in idle { worker.wake() }
        timerWakeup.signal()
        withExtendedLifetime(unwanted) {}
        callbacks.endIdleThreads()
    }
}
