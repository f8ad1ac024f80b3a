import HTTPSupport

/// Permission for one call to a host, for a thread of the pool that counts in the total already and gave its place at
/// the host up for a wait.
final class HostPass: DispatchedJob {
    enum Ending { case granted, grantedLate, cancelled, late }

    /// What came of a request.
    struct Outcome {
        let pass: Ticket
        let ending: Ending
        let duration: Duration
    }

    private static let stall = Duration.seconds(1)

    let host: CallHost?
    private let signal = Signal()

    private init(_ host: CallHost) { self.host = host }

    /// Waits for a pass to `host` on the worker's thread, until the deadline at most. The pass must be returned.
    static func request(to host: CallHost, in pool: WorkerPool, until deadline: TimePoint?) -> Outcome {
        let job = HostPass(host)
        let (pass, isGranted) = pool.schedule.withLock { $0.queue.addPass(job, host: host) }
        guard !isGranted else { return Outcome(pass: pass, ending: .granted, duration: .zero) }
        let start = TimePoint.now
        let ending = job.wait(for: pass, in: pool, until: deadline)
        return Outcome(pass: pass, ending: ending, duration: start.duration(to: .now))
    }

    /// If no call to the host ends for a while, the thread goes on beyond the limit: the calls that count there may wait
    /// for a lock that this one holds. One at a time does.
    private func wait(for pass: Ticket, in pool: WorkerPool, until deadline: TimePoint?) -> Ending {
        while true {
            let releases = pool.schedule.withLock { $0.queue.releases(besides: pass) }
            let stallEnd = TimePoint.now + Self.stall
            let end = min(deadline ?? stallEnd, stallEnd)
            switch CallClock.system.wait(for: signal, until: end) {
            case .signalled: return .grantedLate
            case .cancelled: return .cancelled
            case .elapsed:
                if let deadline, deadline <= .now { return .late }
                if pool.schedule.withLock({ $0.queue.force(pass, unlessReleasedSince: releases) }) {
                    return .grantedLate
                }
            }
        }
    }

    // MARK: As the pool sees it, for which its thread holds the ticket

    var isMultiplexed: Bool { true }

    /// It is granted.
    func enterAgent() -> (any CallAgent)? {
        signal.fire()
        return nil
    }

    /// No worker runs it.
    func run(hasWaited: Bool, slotIsFree: () -> Void) { slotIsFree() }
    /// Only its own thread ends it, which waits with its own limit.
    func end(_ ending: EarlyEnding) {}
}

extension WorkerPool {
    /// The call has ended, or its thread has stopped waiting. Returning a pass twice has no effect. Returns its host.
    @discardableResult
    func returnPass(_ pass: Ticket) -> CallHost? {
        let (host, start) = schedule.withLock { ($0.queue.host(of: pass), $0.returnPass(pass)) }
        if let start { perform(start) }
        return host
    }
}

extension HostPass.Outcome {
    var wait: CallWait { SlotLimit.host.wait(duration) }

    /// The error of a call to `request` that was not granted a pass in time.
    func error(of request: Request, within deadline: CallDeadline?) -> HTTPError {
        let record = CallRecord(unsent: request, phase: .queued)
        let error: HTTPError =
            ending == .cancelled
            ? .cancelled(record)
            : .timedOut(
                TimeoutFailure(
                    .total, after: deadline?.allowance ?? .zero, record: record,
                    blockedBy: SlotLimit.host.obstacle))
        return error.inserting(wait)
    }
}
