import HTTPCore
import Synchronization

/// The time in which a call waits for a slot.
private struct Queueing {
    let cause: CallWait.Cause
    let start = TimePoint.now

    init(_ cause: CallWait.Cause) { self.cause = cause }
}

/// One call from its submission to its one outcome.
///
/// This file is the module's only one that takes over from the compiler who may touch what:
/// - `completion`, `isPrompt` and `parent` are written by the submitting thread before it submits. Who cancels the call before
///   that touches none of them: it has no ticket yet and cannot end. `completion` and `parent` are taken after that, by the one
///   thread that wins `isSettled`.
/// - `outcome` is written by that thread before it resumes the task, which then takes it.
/// - `ticket` is read and written under the pool's lock alone.
/// - `pool` is written by the thread that hands the call to its feed, before that, and read by the one thread that takes
///   it out of the feed.
/// - `queueing` is set under the pool's lock, before any thread can begin to make the call or end it.
/// - Everything else is immutable or atomic.
final class Call<Work: CallWork>: DispatchedJob, @unchecked Sendable {
    let work: Work
    let deadline: CallDeadline?
    private let feed: (any CallFeed)?
    /// Whether the work keeps to the deadline by itself, as long as it begins at once.
    private let keepsDeadline: Bool
    /// Whether it goes on when whoever asked for it is cancelled.
    let isDetached: Bool
    private(set) var isPrompt = true
    var ticket: Ticket?
    private var completion: Completion<Work.Value>?
    /// Only if a task waits for it. Here, and not handed to the task: that would have room for it, in several places, for as
    /// long as the call takes.
    private var outcome: Result<Work.Value, HTTPError>?
    private var parent: CancellationToken.Registration?
    /// The one whose slot it has while a feed makes it.
    private var pool: WorkerPool?
    private var queueing: Queueing?
    /// How long that took, in nanoseconds; 0 while it waits.
    private let queued = Atomic<Int64>(0)
    private let cancelled = Atomic(false)
    private let isSettled = Atomic(false)
    /// Made by the first who needs it: a call that only waits needs none.
    private let lazyToken = AtomicLazyReference<CancellationToken>()

    init(_ work: consuming Work, deadline: CallDeadline?, keepsDeadline: Bool, isDetached: Bool = false) {
        feed = work.feed
        self.work = work
        self.deadline = deadline
        self.keepsDeadline = keepsDeadline
        self.isDetached = isDetached
    }

    var isCall: Bool { true }
    var isMultiplexed: Bool { feed != nil }
    var host: CallHost? { work.host }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Who is told. To be set before the call is submitted.
    func setCompletion(_ completion: Completion<Work.Value>) {
        self.completion = completion
        isPrompt = completion.isPrompt
    }

    /// Has this call end when `token` is cancelled. To be set before the call is submitted.
    func follow(_ token: CancellationToken?, in pool: WorkerPool) {
        parent = token?.onCancel { pool.cancel(self) }
    }

    func run(hasWaited: Bool, slotIsFree: () -> Void) {
        // Cancelled while its thread was being started.
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
        settle(outcome)
    }

    private func work(within isBound: Bool) -> Result<Work.Value, HTTPError> {
        if isBound, let deadline { deadline.run(work.run) } else { work.run() }
    }

    func drive(in pool: WorkerPool, priority: Dispatcher.Priority) -> Bool { Work.drive(self, priority: priority) }

    /// Its policies have come to an outcome, perhaps on a thread that must not be held up.
    func leaveDriver(with outcome: consuming Result<Work.Value, HTTPError>, in pool: WorkerPool) {
        guard !isPrompt else { return settle(outcome) }
        pool.crew.run { [outcome] in self.settle(outcome) }
    }

    func beginQueueing(_ cause: CallWait.Cause) { queueing = Queueing(cause) }

    func endQueueing() {
        guard let queueing else { return }
        queued.store(queueing.start.span(to: .now).nanoseconds, ordering: .relaxed)
    }

    func enterFeed(of pool: WorkerPool) -> (any CallFeed)? {
        self.pool = pool
        guard let feed, Work.feed(self, to: feed) else { return nil }
        return feed
    }

    func returnFromFeed() {
        pool.take()?.takeBack(self)
    }

    /// The feed has made it. What it runs here holds up all other calls in the feed.
    func leaveFeed(with outcome: consuming Result<Work.Value, HTTPError>) {
        guard let pool = pool.take() else { return settle(outcome) }
        pool.release(self)
        guard !isPrompt else { return settle(outcome) }
        pool.crew.run { [outcome] in self.settle(outcome) }
    }

    func end(_ ending: EarlyEnding) { settle(.failure(error(ending))) }

    func interrupt() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let driver = work.driver { return driver.cancel() }
        token.cancel()
        feed?.noteCancellation()
    }

    private var token: CancellationToken { lazyToken.load() ?? lazyToken.storeIfNil(CancellationToken()) }

    private func settle(_ outcome: consuming Result<Work.Value, HTTPError>) {
        guard !isSettled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let outcome = queueing == nil ? outcome : withQueueing(outcome)
        // The token may outlive many calls, and the callback hold on to the caller's world.
        parent?.remove()
        parent = nil
        switch completion.take() {
        case .task(let task):
            self.outcome = outcome
            task.resume()
        case .callback(let queue, let callback): queue.run { [outcome] in callback(outcome) }
        case .inbox(let inbox, let place): inbox.put(outcome, at: place)
        case .driver(let take): take(outcome)
        case nil: break
        }
    }

    @inline(never)
    private func withQueueing(_ outcome: Result<Work.Value, HTTPError>) -> Result<Work.Value, HTTPError> {
        guard let queueing else { return outcome }
        let time = queued.load(ordering: .relaxed)
        let duration = time > 0 ? .nanoseconds(time) : queueing.start.duration(to: .now)
        return Work.insertWait(duration, queueing.cause, into: outcome)
    }

    /// For the task that was resumed, which asks once. Not made part of its function, which would have to have room for
    /// copies.
    @inline(never)
    func value() throws(HTTPError) -> Work.Value {
        // There always is one: the task is resumed for nothing else.
        switch outcome.take() {
        case .success(let value): return value
        case .failure(let error): throw error
        case nil: throw error(.abandoned)
        }
    }

    private func error(_ ending: EarlyEnding) -> HTTPError {
        switch ending {
        case .cancelledInQueue: .cancelled(work.record(.queued))
        case .abandoned: .cancelled(work.record(.starting))
        case .expired:
            .timedOut(TimeoutFailure(.total, after: deadline?.allowance ?? .zero, record: work.record(.queued)))
        case .overloaded(let reason, let limit, let queued):
            .overloaded(Overload(reason, limit: limit, queued: queued, record: work.record(.queued)))
        }
    }
}
