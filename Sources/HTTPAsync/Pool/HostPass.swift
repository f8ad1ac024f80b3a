import HTTPCore

/// The leave to make one call to a host, for a thread of the pool that is in the middle of work that named none.
///
/// The thread has a slot, and keeps it while it waits for the pass: so there are never more threads than slots.
final class HostPass: DispatchedJob {
    enum Ending { case granted, grantedLate, cancelled, late }

    let host: CallHost?
    private let signal = Signal()

    private init(_ host: CallHost) { self.host = host }

    /// Waits for a pass to `host`, on the worker's thread, until then at the latest. To be given back if it is granted.
    static func request(
        to host: CallHost, in pool: WorkerPool, until deadline: CallDeadline?
    ) -> (pass: Ticket, ending: Ending) {
        let job = HostPass(host)
        let (pass, isGranted) = pool.schedule.withLock { $0.requestPass(job, to: host) }
        guard !isGranted else { return (pass, .granted) }
        switch CallClock.system.wait(for: job.signal, until: deadline?.instant) {
        case .signalled: return (pass, .grantedLate)
        case .cancelled: return (pass, .cancelled)
        case .elapsed: return (pass, .late)
        }
    }

    // MARK: As the pool sees it

    /// Its thread has it.
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
    func enterFeed(of pool: WorkerPool) -> (any CallFeed)? {
        signal.fire()
        return nil
    }

    /// It is no work of a worker's, so none comes.
    func run(hasWaited: Bool, slotIsFree: () -> Void) { slotIsFree() }
    /// Nobody ends it but its own thread, which waits with a limit of its own.
    func end(_ ending: EarlyEnding) {}
    func interrupt() {}
}

extension WorkerPool {
    /// The call is over, or nobody waits for the pass. To give it back again changes nothing.
    func returnPass(_ pass: Ticket) {
        if let start = schedule.withLock({ $0.returnPass(pass) }) { perform(start) }
    }
}
