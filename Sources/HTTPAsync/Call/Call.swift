import HTTPCore
import Synchronization

/// How long a call waited for a slot.
private struct Queueing {
    let cause: CallWait.Cause
    let start = TimePoint.now

    init(_ cause: CallWait.Cause) { self.cause = cause }
}

/// One call, from its submission to its single outcome.
///
/// This is the only file of the module with unchecked access to shared state:
/// - `stage`, `isPrompt` and `parent` are written by the submitting thread before it submits. A thread that
///   cancels earlier touches none of them: the call has no ticket yet and cannot end. Later, `stage` and `parent`
///   are changed by the one thread that wins `isSettled`, before it resumes the task, which then takes the outcome.
/// - `ticket` is read and written under the pool's lock alone.
/// - `pool` is written by the thread that submits the call to its agent, before it does, and read by the one thread
///   that takes it out.
/// - `queueing` is set under the pool's lock, before any thread can make or end the call.
/// - Everything else is immutable or atomic.
final class Call<Work: CallWork>: DispatchedJob, @unchecked Sendable {
    let work: Work
    let deadline: CallDeadline?
    /// Whether the work observes the deadline by itself, provided it begins at once.
    private let keepsDeadline: Bool
    /// Whether it continues when its caller is cancelled.
    let isDetached: Bool
    private(set) var isPrompt = true
    var ticket: Ticket?
    private var stage = Stage.unclaimed
    private var parent: CancellationToken.Registration?
    /// The call whose slot this one uses while an agent makes it.
    private var pool: WorkerPool?
    private var queueing: Queueing?
    /// The time in the queue in nanoseconds; 0 while it waits.
    private let queued = Atomic<Int64>(0)
    private let cancelled = Atomic(false)
    private let isSettled = Atomic(false)
    /// Made on first use: a call that only waits needs none.
    private let lazyToken = AtomicLazyReference<CancellationToken>()

    /// One value and not several optional ones, each of which would cost the end of a call a search for its type.
    private enum Stage {
        /// Nobody waits for the outcome: before the submission, and after the report.
        case unclaimed
        case pending(Completion<Work.Value>)
        /// For the task to take. It is stored here, because the task's frame would hold it, in several places, until
        /// the call ends.
        case settled(Result<Work.Value, HTTPError>)

        /// Moves it out, without a copy.
        mutating func take() -> Stage {
            let stage = consume self
            self = .unclaimed
            return stage
        }
    }

    init(_ work: consuming Work, deadline: CallDeadline?, keepsDeadline: Bool, isDetached: Bool = false) {
        self.work = work
        self.deadline = deadline
        self.keepsDeadline = keepsDeadline
        self.isDetached = isDetached
    }

    var isCall: Bool { true }
    var isMultiplexed: Bool { work.agent != nil }
    var host: CallHost? { work.host }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// The receiver of the outcome. Set before the call is submitted.
    func setCompletion(_ completion: Completion<Work.Value>) {
        stage = .pending(completion)
        isPrompt = completion.isPrompt
    }

    /// Ends this call when `token` is cancelled. Set before the call is submitted.
    func follow(_ token: CancellationToken?, in pool: WorkerPool) {
        parent = token?.onCancel { pool.cancel(self) }
    }

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
        settle(outcome)
    }

    private func work(within isBound: Bool) -> Result<Work.Value, HTTPError> {
        if isBound, let deadline { deadline.run(work.run) } else { work.run() }
    }

    func drive(in pool: WorkerPool, priority: Dispatcher.Priority) -> Bool { Work.drive(self, priority: priority) }

    /// Its policies have an outcome, perhaps on a thread that must not be blocked.
    func leaveDriver(with outcome: consuming Result<Work.Value, HTTPError>, in pool: WorkerPool) {
        guard !isPrompt else { return settle(outcome) }
        pool.callbacks.run { [outcome] in self.settle(outcome) }
    }

    func beginQueueing(_ cause: CallWait.Cause) { queueing = Queueing(cause) }

    func endQueueing() {
        guard let queueing else { return }
        queued.store(queueing.start.span(to: .now).nanoseconds, ordering: .relaxed)
    }

    func enterAgent(of pool: WorkerPool) -> (any CallAgent)? {
        self.pool = pool
        guard let agent = work.agent, Work.submit(self, to: agent) else { return nil }
        return agent
    }

    func returnFromAgent() {
        pool.take()?.takeBack(self)
    }

    /// The agent has made it. Code that runs here delays all other calls of the agent.
    func leaveAgent(with outcome: consuming Result<Work.Value, HTTPError>) {
        guard let pool = pool.take() else { return settle(outcome) }
        pool.release(self)
        guard !isPrompt else { return settle(outcome) }
        pool.callbacks.run { [outcome] in self.settle(outcome) }
    }

    func end(_ ending: EarlyEnding) { settle(.failure(error(ending))) }

    func interrupt() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let driver = work.driver { return driver.cancel() }
        token.cancel()
        work.agent?.noteCancellation()
    }

    private var token: CancellationToken { lazyToken.load() ?? lazyToken.storeIfNil(CancellationToken()) }

    private func settle(_ outcome: consuming Result<Work.Value, HTTPError>) {
        guard !isSettled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let outcome = queueing == nil ? outcome : withQueueing(outcome)
        // The token may outlive many calls, and the callback may retain the caller's objects.
        parent?.remove()
        parent = nil
        switch stage.take() {
        case .pending(.task(let task)):
            stage = .settled(outcome)
            task.resume()
        case .pending(.callback(let queue, let callback)): queue.run { [outcome] in callback(outcome) }
        case .pending(.inbox(let inbox, let place)): inbox.put(outcome, at: place)
        case .pending(.driver(let driver)): driver.take(outcome)
        case .unclaimed, .settled: break
        }
    }

    @inline(never)
    private func withQueueing(_ outcome: Result<Work.Value, HTTPError>) -> Result<Work.Value, HTTPError> {
        guard let queueing else { return outcome }
        let time = queued.load(ordering: .relaxed)
        let duration = time > 0 ? .nanoseconds(time) : queueing.start.duration(to: .now)
        return Work.insertWait(duration, queueing.cause, into: outcome)
    }

    /// For the resumed task, which calls this once. Not inlined into the task's function, whose frame would grow by the
    /// copies.
    @inline(never)
    func value() throws(HTTPError) -> Work.Value {
        // There is always an outcome: nothing else resumes the task.
        switch stage.take() {
        case .settled(.success(let value)): return value
        case .settled(.failure(let error)): throw error
        case .unclaimed, .pending: throw error(.abandoned)
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
