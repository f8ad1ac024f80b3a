import HTTPCore
import Synchronization

/// Drives a call through its policies without blocking a thread.
///
/// Each exchange is a call of its own, with a slot while it runs. A wait is a timer of the pool; blocking work goes to
/// the callback executor. The call waits for one thing at a time, and the thread that completes it continues with the
/// policies: the thread of the exchange, the timer or the work, or the one that wakes or cancels the call.
final class PolicyDriver: PolicyCall, CallDriver, OutcomeReceiver {
    private enum Event: Sendable {
        case answered(Result<Response, HTTPError>)
        case resumed
        case interrupted
        /// No thread could be started to end a wait.
        case refused
        /// The limit of waiting calls is reached.
        case crowded
    }

    /// How far the policies are, and the call that gets the outcome. It is moved to the state and back: with a second
    /// reference to the run, each change would copy its layers.
    private struct Course: Sendable {
        var run: PolicyRun
        let call: Call<RequestWork>
        let priority: Dispatcher.Priority
    }

    private struct State {
        /// Nil before the start, while a thread follows it, and after the end.
        var course: Course?
        /// What arrived while a thread followed the course. That thread handles it.
        var next: Event?
        /// The current wait, if any.
        var exchange: Call<RequestWork>?
        var wait: Wait?
        /// The layers that were woken and have not waited since, one bit each; beyond 64, layers share bits.
        var woken: UInt64 = 0
        var isCancelled = false
        /// The priority that its task got later.
        var raised: Dispatcher.Priority?
    }

    private final class Wait: Alarm {
        let layer: UInt64
        private let driver: PolicyDriver

        init(layer: UInt64, _ driver: PolicyDriver) { (self.layer, self.driver) = (layer, driver) }

        var isPending: Bool { driver.state.withLock { $0.wait === self } }

        func fire() { driver.end(self, with: .resumed) }
    }

    private let client: PolicyClient
    private let dispatcher: Dispatcher
    private let state = Locked(State())

    /// Nil for a client with a clock of its own, which only threads can wait for.
    init?(_ client: PolicyClient, on dispatcher: Dispatcher) {
        guard client.isOnSystemClock else { return nil }
        self.client = client
        self.dispatcher = dispatcher
    }

    private var pool: WorkerPool { dispatcher.pool }
    var clock: CallClock { client.clock }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var canSendInBackground: Bool { true }

    // MARK: From any thread

    func start(_ call: Call<RequestWork>, priority: Dispatcher.Priority) {
        guard !call.isCancelled else { return call.end(.cancelledInQueue) }
        var course = Course(run: PolicyRun(client.preparedPolicies(), self), call: call, priority: priority)
        let effect = course.run.start(call.request)
        follow(course, from: effect)
    }

    func raise(to priority: Dispatcher.Priority) {
        let exchange = state.withLock { state in
            state.raised = max(state.raised ?? priority, priority)
            return state.exchange
        }
        if let exchange { exchange.pool.raise(exchange, to: priority) }
    }

    func cancel() {
        let (wait, exchange) = state.withLock { state in
            state.isCancelled = true
            return (state.wait, state.exchange)
        }
        if let exchange { exchange.pool.cancel(exchange) }
        if let wait { end(wait, with: .interrupted) }
    }

    func wake(_ layer: Int) {
        let wait = state.withLock { state in
            state.woken |= Self.bit(layer)
            return state.wait.flatMap { $0.layer & state.woken != 0 ? $0 : nil }
        }
        // Not on this thread: it may be running another call's policy, and that call's would be next.
        if let wait, !pool.set(wait, for: .now) { end(wait, with: .resumed) }
    }

    private static func bit(_ layer: Int) -> UInt64 { 1 << (UInt64(layer) & 63) }

    /// Several threads may try to end a wait; one succeeds.
    private func end(_ wait: Wait, with event: Event) {
        let isFirst = state.withLock { state in
            guard state.wait === wait else { return false }
            state.wait = nil
            state.woken &= ~wait.layer
            return true
        }
        guard isFirst else { return }
        pool.waiters.subtract(1, ordering: .relaxed)
        take(event)
    }

    // MARK: One thread at a time

    /// The outcome of the exchange.
    func take(_ outcome: consuming Result<Response, HTTPError>) { take(.answered(outcome)) }

    private func take(_ event: consuming Event) {
        let course = state.withLock { state -> Course? in
            if case .answered = event { state.exchange = nil }
            if state.course == nil { state.next = event }
            return state.course.take()
        }
        guard var course = consume course else { return }
        let effect = effect(of: event, on: &course.run)
        follow(consume course, from: effect)
    }

    /// Until it waits for something, or is over.
    private func follow(_ course: consuming Course, from effect: consuming PolicyRun.Effect) {
        while perform(consume effect, course) {
            var rest = Optional(consume course)
            let next = state.withLock { state in
                if let next = state.next.take() { return next as Event? }
                state.course = rest.take()
                return nil
            }
            guard let next, let own = rest.take() else { return }
            course = own
            effect = self.effect(of: next, on: &course.run)
        }
    }

    private func effect(of event: Event, on run: inout PolicyRun) -> PolicyRun.Effect {
        switch event {
        case .answered(let outcome): run.answer(outcome)
        case .resumed: run.resume()
        case .interrupted: run.interrupt()
        case .refused: run.interrupt { [pool] moment, phase in pool.refusal(of: moment.request, phase) }
        case .crowded:
            run.interrupt { [pool] moment, phase in pool.refusal(of: moment.request, phase, .queueFull) }
        }
    }

    /// False at the end.
    private func perform(_ effect: consuming PolicyRun.Effect, _ course: borrowing Course) -> Bool {
        switch consume effect {
        case .send(let request, let deadline): send(request, deadline, course.priority)
        case .wait(let wait): self.wait(wait.last, wait.layer)
        case .run(let work):
            // Registered before the wait: the call can be cancelled or time out meanwhile, and its policy learns that
            // by other means.
            pool.callbacks.runAtOnce(work)
            take(.resumed)
        case .sendInBackground(let request, let policies):
            sendInBackground(request, policies)
            take(.resumed)
        case .finish(let outcome):
            course.call.leaveDriver(with: outcome)
            return false
        }
        return true
    }

    private func send(_ request: Request, _ deadline: CallDeadline?, _ priority: Dispatcher.Priority) {
        let own = deadline ?? request.timeouts.total.map { CallDeadline($0, from: TimePoint.now) }
        let base = client.base
        let work = RequestWork(request, base, driver: dispatcher.driver(for: base))
        let exchange = Call(
            work, in: dispatcher.pool(for: work), deadline: own, keepsDeadline: deadline == nil,
            completion: .driver(self))
        let (isCancelled, raised) = state.withLock { state in
            state.exchange = exchange
            return (state.isCancelled, state.raised)
        }
        if isCancelled { exchange.interrupt() }
        exchange.pool.submit(exchange, priority: max(priority, raised ?? priority))
    }

    /// A separate call: neither the token nor the deadline around this one applies.
    private func sendInBackground(_ request: Request, _ policies: [any CallPolicy]) {
        DetachedClient.run {
            let call = dispatcher.call(PolicyClient(policies, in: client), request)
            call.pool.submit(call, priority: .low)
        }
    }

    private func wait(_ end: TimePoint?, _ layer: Int) {
        let wait = Wait(layer: Self.bit(layer), self)
        let isRoom = pool.waiters.add(1, ordering: .relaxed).newValue <= pool.queueLimit
        let (isWoken, isCancelled) = state.withLock { state in
            state.wait = wait
            return (state.woken & wait.layer != 0, state.isCancelled)
        }
        if isCancelled { return self.end(wait, with: .interrupted) }
        if isWoken { return self.end(wait, with: .resumed) }
        if !isRoom { return self.end(wait, with: .crowded) }
        if let end, !pool.set(wait, for: end) { self.end(wait, with: .refused) }
    }
}

extension WorkerPool {
    func refusal(of request: Request, _ phase: CallActivity, _ reason: Overload.Reason = .noThreads) -> HTTPError {
        .other(
            Overload(
                reason, limit: queueLimit, queued: reason == .queueFull ? queueLimit : 0,
                record: CallRecord(request, phase: phase)))
    }
}
