import HTTPCore
import Synchronization

/// Drives a call through its policies without blocking a thread.
///
/// Each exchange is a call of its own, with a slot while it runs. A wait is a timer of the pool; blocking work goes to
/// the callback executor. The call waits for one thing at a time, and the thread that completes it continues with the
/// policies: the thread of the exchange, the timer or the work, or the one that wakes or cancels the call.
final class PolicyDriver: PolicyCall, CallDriver, OutcomeReceiver {
    private enum Event: Sendable {
        case begun(Request)
        case answered(Result<Response, HTTPError>)
        case resumed
        case interrupted
        /// No thread could be started to end a wait.
        case refused
        /// The limit of waiting calls is reached.
        case crowded
    }

    private struct State {
        /// Nil while a thread runs the policies, and after the end.
        var run: PolicyRun?
        var call: Call<RequestWork>?
        var priority = Dispatcher.Priority.normal
        /// Whether a thread runs the policies. It also handles what arrives meanwhile.
        var isBusy = false
        var next: Event?
        /// The current wait, if any.
        var exchange: Call<RequestWork>?
        var wait: Wait?
        /// The layers that were woken and have not waited since, one bit each; beyond 64, layers share bits.
        var woken: UInt64 = 0
        var isCancelled = false
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
    private let pool: WorkerPool
    private let state = Locked(State())

    /// Nil for a client with a clock of its own, which only threads can wait for.
    init?(_ client: PolicyClient, on dispatcher: Dispatcher) {
        guard client.clock.isSystem else { return nil }
        self.client = client
        self.dispatcher = dispatcher
        pool = dispatcher.pool
    }

    var clock: CallClock { client.clock }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var canSendInBackground: Bool { true }

    // MARK: From any thread

    func start(_ call: Call<RequestWork>, priority: Dispatcher.Priority) {
        guard !call.isCancelled else { return call.end(.cancelledInQueue) }
        state.withLock { state in
            state.call = call
            state.priority = priority
            state.isBusy = true
        }
        go(on: PolicyRun(client.preparedPolicies(), self), with: .begun(call.request))
    }

    func cancel() {
        let (wait, exchange) = state.withLock { state in
            state.isCancelled = true
            return (state.wait, state.exchange)
        }
        if let exchange { pool.cancel(exchange) }
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
        let run = state.withLock { state -> PolicyRun? in
            if case .answered = event { state.exchange = nil }
            guard !state.isBusy else {
                state.next = event
                return nil
            }
            state.isBusy = true
            return state.run.take()
        }
        if let run = consume run { go(on: consume run, with: event) }
    }

    /// Until it waits for something, or is over.
    ///
    /// The run is moved to the state and back: with a second reference, each change would copy its layers.
    private func go(on run: consuming PolicyRun, with event: consuming Event) {
        while true {
            let effect = effect(of: event, on: &run)
            if case .finish(let outcome) = effect {
                return state.withLock { $0.call.take() }?.leaveDriver(with: outcome) ?? ()
            }
            perform(effect)
            var rest = Optional(consume run)
            let next = state.withLock { state in
                if let next = state.next.take() { return next as Event? }
                state.isBusy = false
                state.run = rest.take()
                return nil
            }
            guard let next, let own = rest.take() else { return }
            (run, event) = (own, next)
        }
    }

    private func effect(of event: Event, on run: inout PolicyRun) -> PolicyRun.Effect {
        switch event {
        case .begun(let request): run.start(request)
        case .answered(let outcome): run.answer(outcome)
        case .resumed: run.resume()
        case .interrupted: run.interrupt()
        case .refused: run.interrupt { [pool] moment, phase in pool.refusal(of: moment.request, phase) }
        case .crowded:
            run.interrupt { [pool] moment, phase in pool.refusal(of: moment.request, phase, .queueFull) }
        }
    }

    private func perform(_ effect: PolicyRun.Effect) {
        switch effect {
        case .send(let request, let deadline): send(request, deadline)
        case .wait(let wait): self.wait(wait.last, wait.layer)
        case .run(let work):
            // Registered before the wait: the call can be cancelled or time out meanwhile, and its policy learns that
            // by other means.
            pool.callbacks.run(work)
            take(.resumed)
        case .sendInBackground(let request, let policies):
            sendInBackground(request, policies)
            take(.resumed)
        case .finish: break
        }
    }

    private func send(_ request: Request, _ deadline: CallDeadline?) {
        let own = deadline ?? request.timeouts.total.map { CallDeadline($0, from: TimePoint.now) }
        let base = client.base
        let exchange = Call(
            RequestWork(request, base, driver: dispatcher.driver(for: base)), in: pool, deadline: own,
            keepsDeadline: deadline == nil)
        exchange.setCompletion(.driver(self))
        let (isCancelled, priority) = state.withLock { state in
            state.exchange = exchange
            return (state.isCancelled, state.priority)
        }
        if isCancelled { exchange.interrupt() }
        pool.submit(exchange, priority: priority)
    }

    /// A separate call: neither the token nor the deadline around this one applies.
    private func sendInBackground(_ request: Request, _ policies: [any CallPolicy]) {
        DetachedClient.run {
            let call = dispatcher.call(PolicyClient(policies, in: client), request)
            pool.submit(call, priority: .low)
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
    func refusal(of request: Request, _ phase: CallPhase, _ reason: Overload.Reason = .noThreads) -> HTTPError {
        .overloaded(
            Overload(
                reason, limit: queueLimit, queued: reason == .queueFull ? queueLimit : 0,
                record: CallRecord(request, phase: phase)))
    }
}
