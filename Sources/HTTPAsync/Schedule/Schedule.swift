import HTTPSupport

/// Decides which call runs where and when; the pool performs it.
///
/// A value without threads, locks and clocks: each event changes it and returns the actions. The pool passes events in
/// order and performs the actions after it has released its lock.
struct Schedule<Job, Worker: Equatable> {
    typealias Run = CallQueue<Job>.Run

    enum Start {
        case wake(Worker, Run)
        case newThread(Run)
        case submit(Run)
    }

    struct Admission {
        /// Nil if the call was refused because the queue is full.
        let ticket: Ticket?
        /// Not always the run of the submitted call.
        let start: Start?
        /// What the submitted call waits for; nil if it does not wait.
        var queueing: SlotLimit?
        /// The number of waiting calls, if it was refused.
        var queued = 0
    }

    private let mostRunning: Int
    private let mostQueued: Int
    var queue: CallQueue<Job>
    var timekeeping = Timekeeping()
    /// Above this number, timers that no longer matter are removed.
    var mostTimers = 64
    /// The slots in use: calls that have not returned, including abandoned ones.
    private(set) var running = 0
    /// The number of threads, including idle ones.
    private(set) var workers = 0
    /// The most recently busy worker is taken first: its memory is warm, and the others can time out.
    private(set) var idle: [Worker] = []

    init(_ limits: Dispatcher.Configuration) {
        mostRunning = max(1, limits.running)
        mostQueued = limits.queued
        queue = CallQueue(runningPerHost: max(1, limits.runningPerHost))
    }

    mutating func submit(
        _ job: Job, host: CallHost? = nil, priority: Dispatcher.Priority = .normal,
        deadline: TimePoint? = nil, isRefusable: Bool = true, isMultiplexed: Bool = false, continues: Bool = false
    ) -> Admission {
        if running < mostRunning,
            let run = queue.addFirst(job, host: host, priority: priority, isMultiplexed: isMultiplexed)
        {
            running += 1
            return Admission(ticket: run.ticket, start: start(run))
        }
        let ticket = queue.add(
            job, host: host, priority: priority, isMultiplexed: isMultiplexed, continues: continues)
        let start = startNext(submitted: ticket)
        guard queue.stage(ticket) == .waiting else { return Admission(ticket: ticket, start: start) }
        guard !isRefusable || queue.count <= mostQueued else {
            _ = queue.withdraw(ticket)
            return Admission(ticket: nil, start: start, queued: queue.count)
        }
        if let deadline { setTimer(of: ticket, for: deadline) }
        // A free slot is no use to a host at its limit.
        return Admission(ticket: ticket, start: start, queueing: running < mostRunning ? .host : .total)
    }

    /// The call to the host has ended, or the thread has stopped waiting for it.
    mutating func returnPass(_ ticket: Ticket) -> Start? {
        if queue.withdraw(ticket) == nil { queue.finish(ticket) }
        return startNext()
    }

    /// Returns the call if it was waiting: it will never run. If it is running, its caller is told when it has not returned
    /// after 100 ms.
    mutating func cancel(_ ticket: Ticket, at now: TimePoint) -> Job? {
        if let job = queue.withdraw(ticket) { return job }
        if queue.cancel(ticket) { setTimer(of: ticket, for: now + .milliseconds(100)) }
        return nil
    }

    /// The core of a call has returned on a thread that has more to do, or that makes many calls: another call may take
    /// the slot.
    mutating func release(_ ticket: Ticket) -> Start? {
        if queue.finish(ticket) { running -= 1 }
        return startNext()
    }

    /// The thread of a running call is about to wait for another call or for a time: the slot is free meanwhile.
    /// Returns the host where it counted.
    mutating func pause(_ ticket: Ticket) -> (host: CallHost?, start: Start?) {
        let (wasCounted, host) = queue.pause(ticket)
        guard wasCounted else { return (nil, nil) }
        running -= 1
        return (host, startNext())
    }

    /// The wait is over, and the call goes on. It may be one more than the limit: a thread that waited for a slot here
    /// could hold a lock that those who have the slots wait for. It requests a pass for its host.
    mutating func resume(_ ticket: Ticket) { if queue.resume(ticket) { running += 1 } }

    /// The core of a call has returned, and `worker` takes the next call. It becomes idle if there is none, or if the
    /// next needs no worker.
    mutating func finish(_ ticket: Ticket, on worker: Worker) -> Run? {
        if queue.finish(ticket) { running -= 1 }
        return next(for: worker)
    }

    /// The next run: by `worker`, unless it became idle because there is no run for it.
    mutating func next(for worker: Worker) -> Run? {
        let run = takeNext()
        if run?.isMultiplexed ?? true { idle.append(worker) }
        return run
    }

    /// An idle worker wants to end; false if it has been given a call meanwhile.
    mutating func retire(_ worker: Worker) -> Bool {
        guard let place = idle.firstIndex(of: worker) else { return false }
        idle.remove(at: place)
        workers -= 1
        return true
    }

    /// The system refused a thread for a call: it waits again, after the others, for an existing thread. If there is
    /// none, the waiting calls that need one would never run; they are returned, to be failed.
    mutating func refuseThread(_ ticket: Ticket, isMultiplexed: Bool = false, deadline: TimePoint?) -> [Job] {
        running -= 1
        if !isMultiplexed { workers -= 1 }
        let isCancelled = queue.stage(ticket) == .cancelled
        queue.putBack(ticket)
        guard workers > 0 else { return queue.withdrawAll(withoutMultiplexed: !isMultiplexed) }
        if isCancelled { return queue.withdraw(ticket).map { [$0] } ?? [] }
        if let deadline { setTimer(of: ticket, for: deadline) }
        return []
    }

    /// After a thread was refused: gives a waiting call to a worker that became idle meanwhile, or the slot to one that needs
    /// no worker: to the next if there is none at all, else to any.
    mutating func startWaiting(afterMultiplexed isMultiplexed: Bool) -> Start? {
        guard idle.isEmpty, workers > 0 else { return startNext() }
        guard !isMultiplexed, running < mostRunning, let run = queue.startMultiplexed() else { return nil }
        running += 1
        return .submit(run)
    }

    mutating func startNext(submitted: Ticket? = nil) -> Start? {
        takeNext(submitted: submitted).map { start($0) }
    }

    private mutating func start(_ run: Run) -> Start {
        if run.isMultiplexed { return .submit(run) }
        if let worker = idle.popLast() { return .wake(worker, run) }
        workers += 1
        return .newThread(run)
    }

    private mutating func takeNext(submitted: Ticket? = nil) -> Run? {
        guard var run = queue.startNext(onlyPasses: running >= mostRunning) else { return nil }
        if !run.isPass { running += 1 }
        run.hasWaited = run.ticket != submitted
        return run
    }
}

extension Schedule.Start: Sendable where Job: Sendable, Worker: Sendable {}
extension Schedule.Admission: Sendable where Job: Sendable, Worker: Sendable {}
