import HTTPCore
import Synchronization

/// The wait of a call for a slot.
private struct Queueing {
    let limit: SlotLimit
    private let start = TimePoint.now
    /// Nil while it lasts.
    private var duration: Duration?

    init(_ limit: SlotLimit) { self.limit = limit }

    mutating func end(at now: TimePoint) { duration = start.duration(to: now) }

    /// Until now, if it still lasts.
    var wait: CallWait { limit.wait(duration ?? start.duration(to: .now)) }
}

/// One call, from its submission to its single outcome. Any thread may use it.
///
/// The pool takes the lock of a call while it holds its own, so code under the lock of a call takes no other lock.
final class Call<Work: CallWork>: DispatchedJob {
    /// What is left to do once a call has its outcome.
    private struct Report {
        let outcome: Result<Work.Value, HTTPError>
        let completion: Completion<Work.Value>?
        let parent: CancellationToken.Registration?
    }

    private struct State {
        /// Nil before the submission, and once the call has its outcome.
        var completion: Completion<Work.Value>?
        /// Set only if a task waits for it. It is stored here, because the task's frame would hold it, in several
        /// places, until the call ends.
        var outcome: Result<Work.Value, HTTPError>?
        var isSettled = false
        var parent: CancellationToken.Registration?
        var queueing: Queueing?

        /// Nil if it has an outcome already.
        mutating func settle(with outcome: Result<Work.Value, HTTPError>) -> Report? {
            guard !isSettled else { return nil }
            isSettled = true
            let outcome = if let queueing { Work.insert(queueing.wait, into: outcome) } else { outcome }
            let completion = completion.take()
            if case .task = completion { self.outcome = outcome }
            return Report(outcome: outcome, completion: completion, parent: parent.take())
        }
    }

    let work: Work
    let pool: WorkerPool
    let deadline: CallDeadline?
    /// Whether the work observes the deadline by itself, provided it begins at once.
    private let keepsDeadline: Bool
    /// Whether it continues when its caller is cancelled.
    let isDetached: Bool
    private let state: Locked<State>
    /// `isPrompt` of the completion, which is gone once the call has its outcome. Set with it.
    private let prompt: Atomic<Bool>
    private let cancelled = Atomic(false)
    /// The word of the ticket, which is set and used under the pool's lock.
    private let ticketWord = Atomic<UInt64>(0)
    /// Made on first use: a call that only waits needs none.
    private let lazyToken = AtomicLazyReference<CancellationToken>()

    init(
        _ work: consuming Work, in pool: WorkerPool, deadline: CallDeadline?, keepsDeadline: Bool,
        isDetached: Bool = false, completion: Completion<Work.Value>? = nil
    ) {
        self.work = work
        self.pool = pool
        self.deadline = deadline
        self.keepsDeadline = keepsDeadline
        self.isDetached = isDetached
        prompt = Atomic(completion?.isPrompt ?? true)
        state = Locked(State(completion: completion))
    }

    var isCall: Bool { true }
    var isMultiplexed: Bool { work.agent != nil }
    var host: CallHost? { work.host }
    var isPrompt: Bool { prompt.load(ordering: .relaxed) }
    var ticket: Ticket? {
        get { Ticket(word: ticketWord.load(ordering: .relaxed)) }
        set { ticketWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// The receiver of the outcome, if it was not known at first. Set before the call is submitted.
    func setCompletion(_ completion: Completion<Work.Value>) {
        prompt.store(completion.isPrompt, ordering: .relaxed)
        state.withLock { $0.completion = completion }
    }

    /// Ends this call when `token` is cancelled. Set before the call is submitted.
    func follow(_ token: CancellationToken?) {
        guard let token else { return }
        // Outside the lock: a token that is cancelled already calls at once.
        let registration = token.onCancel { self.pool.cancel(self) }
        state.withLock { $0.parent = registration }
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
        // Within another call that call's token is bound here, and its slot serves the callback, too.
        settle(outcome, from: CancellationToken.current == nil ? .nobody : .ownCall)
    }

    /// Ends it before its submission, on the thread of the code that makes it.
    func refuse(_ error: HTTPError) { settle(.failure(error)) }

    private func work(within isBound: Bool) -> Result<Work.Value, HTTPError> {
        if isBound, let deadline { deadline.run(work.run) } else { work.run() }
    }

    func drive(priority: Dispatcher.Priority) -> Bool { Work.drive(self, priority: priority) }

    /// Its policies have an outcome, perhaps on a thread that must not be blocked.
    func leaveDriver(with outcome: consuming Result<Work.Value, HTTPError>) { report(outcome) }

    func beginQueueing(_ limit: SlotLimit) { state.withLock { $0.queueing = Queueing(limit) } }

    func endQueueing() {
        let now = TimePoint.now
        state.withLock { $0.queueing?.end(at: now) }
    }

    func enterAgent() -> (any CallAgent)? {
        guard let agent = work.agent, Work.submit(self, to: agent) else { return nil }
        return agent
    }

    func returnFromAgent() { pool.takeBack(self) }

    /// The agent has made it. Code that runs here delays all other calls of the agent.
    func leaveAgent(with outcome: consuming Result<Work.Value, HTTPError>) {
        pool.release(self)
        report(outcome)
    }

    func end(_ ending: EarlyEnding) { settle(.failure(error(ending))) }

    func raise(to priority: Dispatcher.Priority) { work.driver?.raise(to: priority) }

    func interrupt() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let driver = work.driver { return driver.cancel() }
        token.cancel()
        work.agent?.noteCancellation()
    }

    /// Ends it for the reader of its body, who has left or was cancelled; `close` lets the producer see that.
    func end(isLeft: Bool, _ close: () -> Void) {
        if isLeft { token.noteLeft() }
        close()
        pool.cancel(self)
    }

    private var token: CancellationToken { lazyToken.load() ?? lazyToken.storeIfNil(CancellationToken()) }

    /// On another thread if it runs the caller's code.
    private func report(_ outcome: consuming Result<Work.Value, HTTPError>) {
        guard !isPrompt else { return settle(outcome) }
        pool.callbacks.run { [outcome] in self.settle(outcome, from: .nobody) }
    }

    /// The code around the end of a call, from which a callback that runs on the same thread inherits nothing.
    private enum Ender {
        case nobody
        /// The call that it was made in: it keeps the place in that call.
        case ownCall
        /// A canceller, for example.
        case others
    }

    /// The first outcome counts.
    private func settle(_ outcome: consuming Result<Work.Value, HTTPError>, from ender: Ender = .others) {
        guard let report = state.withLock({ $0.settle(with: outcome) }) else { return }
        // The token may outlive many calls, and the callback may retain the caller's objects.
        report.parent?.remove()
        switch report.completion {
        case .task(let task): task.resume()
        case .callback(let queue, let callback):
            let run = { @Sendable in queue.run { callback(report.outcome) } }
            switch queue.isImmediate ? ender : .nobody {
            case .nobody: run()
            case .ownCall: Surroundings.unbind(run)
            case .others: Surroundings.leave(run)
            }
        case .driver(let driver): driver.take(report.outcome)
        case nil: break
        }
    }

    /// For the resumed task, which calls this once. Not inlined into the task's function, whose frame would grow by the
    /// copies.
    @inline(never)
    func value() throws(HTTPError) -> Work.Value {
        // There is always an outcome: nothing else resumes the task.
        switch state.withLock({ $0.outcome.take() }) {
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
            .timedOut(
                TimeoutFailure(
                    .total, after: deadline?.allowance ?? .zero, record: work.record(.queued),
                    blockedBy: state.withLock { $0.queueing?.limit.obstacle }))
        case .overloaded(let reason, let limit, let queued):
            .other(Overload(reason, limit: limit, queued: queued, record: work.record(.queued)))
        }
    }
}
