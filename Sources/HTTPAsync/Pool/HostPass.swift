import HTTPSupport

/// Permission for one call to a host, for a thread of the pool that counts in the total already and gave its place at
/// the host up for a wait.
final class HostPass: DispatchedJob {
    private static let stall = Duration.seconds(1)

    let host: CallHost?
    private let signal = Signal()

    init(_ host: CallHost) { self.host = host }

    /// Waits on the worker's thread until `pass` is granted, or until the deadline at most.
    ///
    /// If no call to the host ends for a while, the thread goes on beyond the limit: the calls that count there may wait
    /// for a lock that this one holds. One at a time does.
    func wait(for pass: Ticket, in pool: WorkerPool, until deadline: TimePoint?) -> CallClock.WaitEnding {
        while true {
            let releases = pool.schedule.withLock { $0.queue.releases(besides: pass) }
            let stallEnd = TimePoint.now + Self.stall
            let end = min(deadline ?? stallEnd, stallEnd)
            let ending = CallClock.system.wait(for: signal, until: end)
            guard ending == .elapsed else { return ending }
            if let deadline, deadline <= .now { return .elapsed }
            if pool.schedule.withLock({ $0.queue.force(pass, unlessReleasedSince: releases) }) { return .signalled }
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
