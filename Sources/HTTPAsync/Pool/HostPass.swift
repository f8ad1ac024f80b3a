import HTTPCore

/// Permission for one call to a host, for a thread of the pool whose work named no host.
///
/// The thread keeps its slot while it waits for the pass, so there are never more threads than slots.
final class HostPass: DispatchedJob {
    enum Ending { case granted, grantedLate, cancelled, late }

    let host: CallHost?
    private let signal = Signal()

    private init(_ host: CallHost) { self.host = host }

    /// Waits for a pass to `host` on the worker's thread, until the deadline at most. A granted pass must be returned.
    static func request(
        to host: CallHost, in pool: WorkerPool, until deadline: CallDeadline?
    ) -> (pass: Ticket, ending: Ending) {
        let job = HostPass(host)
        let (pass, isGranted) = pool.schedule.withLock { $0.requestPass(job, to: host) }
        guard !isGranted else { return (pass, .granted) }
        switch CallClock.system.wait(for: job.signal, until: deadline?.point) {
        case .signalled: return (pass, .grantedLate)
        case .cancelled: return (pass, .cancelled)
        case .elapsed: return (pass, .late)
        }
    }

    // MARK: As the pool sees it

    /// Its thread holds it.
    var ticket: Ticket? {
        get { nil }
        set {}
    }
    var deadline: CallDeadline? { nil }
    var isCancelled: Bool { false }
    var isPrompt: Bool { true }
    var isCall: Bool { false }
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
    func interrupt() {}
}

extension WorkerPool {
    /// The call has ended, or its thread has stopped waiting. Returning a pass twice has no effect.
    func returnPass(_ pass: Ticket) {
        if let start = schedule.withLock({ $0.returnPass(pass) }) { perform(start) }
    }
}
