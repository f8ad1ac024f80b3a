import HTTPSupport
import Synchronization

extension Worker: SlotHolder {
    func beginWait() -> Bool {
        guard pool.addWaiter() else { return false }
        pause()
        return true
    }

    func endWait() { pool.removeWaiter() }

    func retakeSlot(for request: Request, within deadline: CallDeadline?) -> SlotReturn {
        guard let host = unpause() else { return .granted(after: nil) }
        let job = HostPass(host)
        let (pass, isGranted) = pool.schedule.withLock { $0.queue.addPass(job, host: host) }
        guard !isGranted else {
            self.pass = pass
            return .granted(after: nil)
        }
        let start = TimePoint.now
        let ending = job.wait(for: pass, in: pool, until: deadline.flatMap { $0.isSimulated ? nil : $0.point })
        let wait = SlotLimit.host.wait(start.duration(to: .now))
        guard ending != .signalled else {
            self.pass = pass
            return .granted(after: wait)
        }
        pool.returnPass(pass)
        let record = CallRecord(unsent: request, phase: .queued)
        let error: HTTPError =
            ending == .cancelled
            ? .cancelled(record) : .timedOut(deadline, record, blockedBy: SlotLimit.host.obstacle)
        return .failed(error.inserting(wait))
    }

    func refusal(of request: Request, _ phase: CallActivity) -> HTTPError {
        pool.refusal(of: request, phase, .queueFull)
    }
}

extension WorkerPool {
    /// Counts a call that waits between its exchanges; false if as many wait as may.
    func addWaiter() -> Bool {
        guard waiters.add(1, ordering: .relaxed).newValue > queueLimit else { return true }
        removeWaiter()
        return false
    }

    func removeWaiter() { waiters.subtract(1, ordering: .relaxed) }

    /// The error of a call that may not wait, or has no thread to keep its time.
    func refusal(of request: Request, _ phase: CallActivity, _ reason: Overload.Reason = .noThreads) -> HTTPError {
        let queued = reason == .queueFull ? queueLimit : 0
        return .other(
            Overload(reason, limit: queueLimit, queued: queued, record: CallRecord(unsent: request, phase: phase)))
    }

    /// The slot is free for another call while its thread waits. Returns the host where it counted.
    func pause(_ slot: Ticket) -> CallHost? {
        let (host, start) = schedule.withLock { $0.pause(slot) }
        if let start { perform(start) }
        return host
    }

    /// The call of a thread that has waited counts again. It does not wait for that: the thread exists.
    func resume(_ slot: Ticket) { schedule.withLock { $0.resume(slot) } }
}
