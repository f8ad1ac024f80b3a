import HTTPSupport
import Synchronization

/// A thread of a pool as other threads see it: a mailbox and a signal.
final class Worker: Sendable, Equatable {
    typealias Run = Schedule<any DispatchedJob, Worker>.Run

    let pool: WorkerPool
    let nested: NestedCalls
    private let slotWord = Atomic<UInt64>(0)
    private let isOutside = Atomic(false)
    private let passWord = Atomic<UInt64>(0)
    private let hasPaused = Atomic(false)
    /// The host where its call counted when it gave its slot up.
    private let pausedHost = Locked<CallHost?>(nil)
    private let handedRun = Locked<Run?>(nil)
    /// Signalled once for each run, and by `wake`.
    private let wakeup = Semaphore()

    /// `worker`: whom it helps, for a thread without a slot.
    init(pool: WorkerPool, helping worker: Worker? = nil) {
        self.pool = pool
        nested = NestedCalls(sharing: worker?.nested)
    }

    /// That of this thread. Without one, nested calls are queued like others.
    static var current: Worker? { ThreadRole.holder as? Worker }

    /// Runs `body` on a new thread; false if the system refuses.
    static func startThread(stackBytes: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        DetachedThread.start(stackBytes: stackBytes, body) == 0
    }

    static func == (lhs: Worker, rhs: Worker) -> Bool { lhs === rhs }

    /// Its slot while it is in the core of a call. Used by its own thread only.
    var slot: Ticket? {
        get { Ticket(word: slotWord.load(ordering: .relaxed)) }
        set { slotWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }

    /// Whether it runs other calls' callbacks meanwhile. Used by its own thread only.
    var isOutsideCall: Bool {
        get { isOutside.load(ordering: .relaxed) }
        set { isOutside.store(newValue, ordering: .relaxed) }
    }

    /// Whether it is in the core of a call. Used by its own thread only.
    var isWithinCall: Bool { (slot != nil || nested.isHelper) && !isOutsideCall }

    /// Whether its call has given its slot up for a wait, and has not sent anything since. Used by its own thread only.
    private var isPaused: Bool {
        get { hasPaused.load(ordering: .relaxed) }
        set { hasPaused.store(newValue, ordering: .relaxed) }
    }

    /// Its pass to the host of its call, if that gave its slot up for a wait. Used by its own thread only.
    var pass: Ticket? {
        get { Ticket(word: passWord.load(ordering: .relaxed)) }
        set { passWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }

    /// Gives its slot up; its call goes on without one until it sends.
    func pause() {
        guard let slot, !isPaused else { return }
        isPaused = true
        let own = pool.pause(slot)
        let passed = pass.take().flatMap(pool.returnPass)
        pausedHost.withLock { $0 = own ?? passed }
    }

    /// Counts its call again, if it gave its slot up. Returns the host where it does not count yet.
    func unpause() -> CallHost? {
        guard isPaused, let slot else { return nil }
        isPaused = false
        pool.resume(slot)
        return pausedHost.withLock { $0.take() }
    }

    func beginCall(_ run: Run) {
        slot = run.ticket
        isPaused = false
    }

    /// Its slot, which it no longer has. Nil if it gave it up for good.
    func endCall() -> Ticket? {
        defer { slot = nil }
        // Taken after a wait.
        if let pass = pass.take() { _ = pool.returnPass(pass) }
        return slot
    }

    /// Gives it a call. Only for an idle worker that the schedule has chosen.
    func assign(_ run: Run) {
        handedRun.withLock { $0 = run }
        wakeup.signal()
    }

    /// Lets it look whether it is to end. Any thread may call it at any time.
    func wake() { wakeup.signal() }

    /// Waits for a call, on its own thread; nil after the idle time, and when it is woken.
    func wait(atMost time: Duration) -> Run? {
        let isSignalled = wakeup.wait(atMost: time)
        guard let run = handedRun.withLock({ $0.take() }) else { return nil }
        // A call has just arrived, and its signal will follow.
        if !isSignalled { wakeup.wait() }
        return run
    }
}
