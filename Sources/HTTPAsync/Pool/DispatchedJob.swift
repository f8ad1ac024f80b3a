import HTTPCore

/// Work as the pool sees it.
protocol DispatchedJob: AnyObject, Sendable {
    /// Its name in the schedule. Set once, under the pool's lock; nil before.
    var ticket: Ticket? { get set }
    /// Where it goes, for the limit of calls to one host; nil where that is unknown.
    var host: CallHost? { get }
    /// When it no longer makes sense to begin.
    var deadline: CallDeadline? { get }
    var isCancelled: Bool { get }
    /// It has to wait for a slot. Called under the pool's lock.
    func beginQueueing(_ cause: CallWait.Cause)

    /// It has got its slot, and is about to be made.
    func endQueueing()
    /// Whether telling the outcome runs none of the caller's code, and so takes no time.
    var isPrompt: Bool { get }
    /// Whether it may be made within another call, on the same thread, and fail for lack of room.
    var isCall: Bool { get }

    /// Takes over from the pool, where policies are around the call: they say when what is submitted. False without.
    func drive(in pool: WorkerPool, priority: Dispatcher.Priority) -> Bool

    /// Whether a feed makes it, together with others; else it needs a thread of its own.
    var isMultiplexed: Bool { get }

    /// Hands it to its feed, which is returned when it needs a thread. Its slot in `pool` is free when its core has
    /// returned, before anybody is told the outcome.
    func enterFeed(of pool: WorkerPool) -> (any CallFeed)?

    /// Has its pool find it a worker: the feed has not made it, and will not.
    func returnFromFeed()

    /// Does the work; calls `slotIsFree` once, when the core has returned and before anybody is told the outcome.
    func run(hasWaited: Bool, slotIsFree: () -> Void)

    /// Ends it without a result of its own. Only the first outcome counts.
    func end(_ ending: EarlyEnding)

    /// Notes that it is to end, before or while it runs.
    func interrupt()
}

extension DispatchedJob {
    func beginQueueing(_ cause: CallWait.Cause) {}

    func endQueueing() {}
}

/// What no policies are around, and no feed makes.
extension DispatchedJob {
    func drive(in pool: WorkerPool, priority: Dispatcher.Priority) -> Bool { false }
    func enterFeed(of pool: WorkerPool) -> (any CallFeed)? { nil }
    func returnFromFeed() {}
}

/// Why a call ended without its work's own result.
enum EarlyEnding: Sendable {
    case cancelledInQueue
    case abandoned
    case expired
    case overloaded(Overload.Reason, limit: Int, queued: Int)
}
