/// Work as the pool sees it.
protocol DispatchedJob: AnyObject, Sendable {
    /// Its identity in the schedule. Set once under the pool's lock; nil before.
    var ticket: Ticket? { get set }
    /// The priority that it got before its ticket, which it must not lose by being queued with another. Used under the
    /// pool's lock.
    var earlyPriority: Dispatcher.Priority? { get set }

    /// Its host, for the limit of calls to one host; nil where that is unknown.
    var host: CallHost? { get }
    /// The time after which it must not begin.
    var deadline: CallDeadline? { get }
    var isCancelled: Bool { get }

    /// It has to wait for a slot. Called under the pool's lock.
    func beginQueueing(_ limit: SlotLimit)

    /// It has a slot and is about to run.
    func endQueueing()

    /// Whether reporting the outcome runs none of the caller's code, and so takes no time. The answer does not change.
    var isPrompt: Bool { get }
    /// Whether it may run within another call, on the same thread, and fail for lack of room.
    var isCall: Bool { get }

    /// Takes over from the pool if the call has policies, which decide what is submitted. False otherwise.
    func drive(priority: Dispatcher.Priority) -> Bool

    /// Whether an agent makes it together with others; otherwise it needs a thread.
    var isMultiplexed: Bool { get }

    /// Submits it to its agent, which is returned if it needs a thread. Its slot is freed when the core has returned,
    /// before the outcome is reported.
    func enterAgent() -> (any CallAgent)?

    /// Makes its pool find a worker: the agent has not made it and will not. Returns what that pool has to start.
    func returnFromAgent() -> WorkerPool.NextStart?

    /// Does the work; calls `slotIsFree` once, when the core has returned and before the outcome is reported.
    func run(hasWaited: Bool, slotIsFree: () -> Void)

    /// Ends it without a result. Only the first outcome counts.
    func end(_ ending: EarlyEnding)

    /// Marks it as ending, before or while it runs.
    func interrupt()

    /// The reader of its body wants no more.
    func noteLeft()

    /// Raises the priority of the calls that it makes, if it has policies.
    func raise(to priority: Dispatcher.Priority)
}

/// Jobs that are no calls: nobody cancels them, and they have no policies and no agent.
extension DispatchedJob {
    var ticket: Ticket? {
        get { nil }
        set {}
    }
    var earlyPriority: Dispatcher.Priority? {
        get { nil }
        set {}
    }
    var host: CallHost? { nil }
    var deadline: CallDeadline? { nil }
    var isCancelled: Bool { false }
    func beginQueueing(_ limit: SlotLimit) {}
    func endQueueing() {}
    var isPrompt: Bool { true }
    var isCall: Bool { false }
    func drive(priority: Dispatcher.Priority) -> Bool { false }
    var isMultiplexed: Bool { false }
    func enterAgent() -> (any CallAgent)? { nil }
    func returnFromAgent() -> WorkerPool.NextStart? { nil }
    func interrupt() {}
    func noteLeft() {}
    func raise(to priority: Dispatcher.Priority) {}
}

/// Why a call ended without its work's result.
enum EarlyEnding: Sendable {
    case cancelledInQueue
    case abandoned
    case expired
    case overloaded(Overload.Reason, limit: Int, queued: Int)
}
