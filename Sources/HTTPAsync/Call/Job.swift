import Synchronization

/// Work on its way through a dispatcher, as the schedule and the pool see it: a call, or an exchange of a call with
/// policies. It waits for a slot, is made by a thread or an agent, or by its driver without a slot, and ends once. Any
/// thread may use it. It takes no lock, since the pool asks it under its own.
final class Job<Work: CallWork>: DispatchedJob {
    typealias Outcome = Result<Work.Value, HTTPError>

    /// Where the outcome goes.
    enum Receiver: Sendable {
        case caller(Settlement<Work.Value>)
        /// To the policies that asked for this exchange.
        case driver(any ExchangeReceiver<Work.Value>)
    }

    let work: Work
    let pool: WorkerPool
    let deadline: CallDeadline?
    /// Whether the work observes the deadline by itself, provided it begins at once.
    private let keepsDeadline: Bool
    /// Whether it continues when its caller is cancelled.
    let isDetached: Bool
    private let receiver: Receiver
    private let queueing = Queueing()
    private let isOver = Atomic(false)
    private let cancelled = Atomic(false)
    /// The word of the ticket, which is set and used under the pool's lock. Before there is one it is a priority, one
    /// above its raw value; 0 for none.
    private let ticketWord = Atomic<UInt64>(0)
    /// Made on first use: a job that only waits needs none.
    private let lazyToken = AtomicLazyReference<CancellationToken>()

    init(
        _ work: consuming Work, in pool: WorkerPool, deadline: CallDeadline?, keepsDeadline: Bool,
        isDetached: Bool = false, for receiver: Receiver
    ) {
        self.work = work
        self.pool = pool
        self.deadline = deadline
        self.keepsDeadline = keepsDeadline
        self.isDetached = isDetached
        self.receiver = receiver
    }

    var isCall: Bool { true }
    var isMultiplexed: Bool { work.agent != nil }
    var host: CallHost? { work.host }
    var isPrompt: Bool { if case .caller(let settlement) = receiver { settlement.isPrompt } else { true } }
    var ticket: Ticket? {
        get { Ticket(word: ticketWord.load(ordering: .relaxed)) }
        set { ticketWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }

    var earlyPriority: Dispatcher.Priority? {
        get { Dispatcher.Priority(rank: ticketWord.load(ordering: .relaxed)) }
        set { ticketWord.store(newValue.map { UInt64($0.rank) } ?? 0, ordering: .relaxed) }
    }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func run(hasWaited: Bool, slotIsFree: () -> Void) {
        // It was cancelled while its thread was started.
        if isCancelled {
            slotIsFree()
            return end(.cancelledInQueue)
        }
        if hasWaited, let deadline, deadline.point <= .now {
            slotIsFree()
            return end(.expired)
        }
        if hasWaited { endQueueing() }
        let isBound = hasWaited || !keepsDeadline
        let outcome = CancellationToken.$current.withValue(token) {
            isDetached ? CallDeadline.$current.withValue(nil) { work(within: isBound) } : work(within: isBound)
        }
        slotIsFree()
        // Within another call that call's token is bound here, and its slot serves the callback, too.
        settle(outcome, from: CancellationToken.current == nil ? .nobody : .ownCall)
    }

    private func work(within isBound: Bool) -> Outcome {
        if isBound, let deadline { deadline.run(work.run) } else { work.run() }
    }

    func drive(priority: Dispatcher.Priority) -> Bool {
        guard let driver = work.driver, let job = Work.request(self) else { return false }
        driver.start(job, priority: priority)
        return true
    }

    func beginQueueing(_ limit: SlotLimit) { queueing.begin(limit) }
    func endQueueing() { queueing.end() }

    func enterAgent() -> (any CallAgent)? {
        guard let agent = work.agent, let job = Work.request(self), agent.submit(job) else { return nil }
        return agent
    }

    func returnFromAgent() -> WorkerPool.NextStart? { pool.takeBack(self) }

    /// The agent has made it. Code that runs here delays all other calls of the agent.
    func finish(_ outcome: consuming Outcome) {
        pool.release(self)
        report(outcome)
    }

    func end(_ ending: EarlyEnding) { settle(.failure(error(ending)), from: .others) }

    func raise(to priority: Dispatcher.Priority) { work.driver?.raise(to: priority) }

    func interrupt() {
        // After the end there is nothing to cancel, and an agent would look for it among all its calls.
        guard !isOver.load(ordering: .relaxed) else { return }
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let driver = work.driver { return driver.cancel() }
        token.cancel()
        work.agent?.noteCancellation()
    }

    func noteLeft() { if let driver = work.driver { driver.noteLeft() } else { token.noteLeft() } }

    private var token: CancellationToken { lazyToken.load() ?? lazyToken.storeIfNil(CancellationToken()) }

    /// Its driver or its agent has the outcome. It is told on another thread if that runs the caller's code.
    func report(_ outcome: consuming Outcome) {
        guard !isPrompt else { return settle(outcome, from: .others) }
        pool.callbacks.run { [outcome] in self.settle(outcome, from: .nobody) }
    }

    /// The first outcome counts.
    private func settle(_ outcome: consuming Outcome, from ender: Ender) {
        guard !isOver.exchange(true, ordering: .relaxed) else { return }
        if let wait = queueing.wait { outcome = Work.insert(wait, into: outcome) }
        switch receiver {
        case .caller(let settlement): settlement.settle(with: outcome, from: ender)
        case .driver(let driver): driver.take(outcome)
        }
    }

    private func error(_ ending: EarlyEnding) -> HTTPError {
        switch ending {
        case .cancelledInQueue: .cancelled(unsent)
        case .abandoned: .cancelled(work.record(.starting))
        case .expired: .timedOut(deadline, unsent, blockedBy: queueing.obstacle)
        case .overloaded(let reason, let limit, let queued):
            .other(Overload(reason, limit: limit, queued: queued, record: unsent))
        }
    }

    /// Of a call that was never started: no exchange began.
    private var unsent: CallRecord {
        var record = work.record(.queued)
        record.metrics.attemptCount = 0
        return record
    }
}

/// Gets the outcome of each exchange that it submits.
protocol ExchangeReceiver<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    func take(_ outcome: consuming Result<Value, HTTPError>)
}
