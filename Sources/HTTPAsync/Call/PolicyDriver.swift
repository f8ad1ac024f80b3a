import HTTPSupport

/// Drives a call through its policies without blocking a thread.
///
/// Each exchange is a job of its own, with a slot while it runs, whose outcome comes back here. A wait is a timer of the
/// pool; blocking work goes to the callback executor.
final class PolicyDriver: PolicyCall, CallDriver, ExchangeReceiver {
    /// How far the policies are, and the call that gets the outcome. It is moved to the state and back: with a second
    /// reference to the policies, each change would copy them.
    struct Course: Sendable {
        var policies: PolicyCourse
        let call: Job<RequestWork>
        let priority: Dispatcher.Priority
        /// For the exchanges of a suspending closure, of which only the first might begin where the call does; nil for others.
        let values: CallerValues?
        var subscription: PolicySignal.Subscription?
        var timer: PolicyTimer?
        /// Whether an exchange was submitted: the later ones continue the call.
        var hasSent = false
        /// Whether it counts as waiting.
        var isCounted = false
    }

    struct State {
        /// Nil before the start, while a thread follows it, and after the end.
        var course: Course?
        /// What came meanwhile. That thread handles it.
        var events: [PolicyCourse.Event] = []
        var exchange: Job<RequestWork>?
        var isCancelled = false
        /// Whether the reader of the body wants no more.
        var isLeft = false
        /// The priority that its task got later.
        var raised = Dispatcher.Priority.low
    }

    let client: PolicyClient
    let dispatcher: Dispatcher
    let state = Locked(State())

    init(_ client: PolicyClient, on dispatcher: Dispatcher) { (self.client, self.dispatcher) = (client, dispatcher) }

    var pool: WorkerPool { dispatcher.pool }
    var clock: CallClock { client.clock }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var canSendInBackground: Bool { true }

    func start(_ call: Job<RequestWork>, priority: Dispatcher.Priority) {
        guard !call.isCancelled else { return call.end(.cancelledInQueue) }
        let policies = PolicyCourse(client.preparedPolicies(), self)
        let values = type(of: client.base) == SuspendingClient.self ? CallerValues() : nil
        follow(Course(policies: policies, call: call, priority: priority, values: values), on: .started(call.request))
    }

    /// The outcome of its exchange; there is one exchange at a time.
    func take(_ outcome: consuming Result<Response, HTTPError>) { advance(on: .answered(outcome)) }

    func raise(to priority: Dispatcher.Priority) {
        let exchange = exchange { $0.raised = max($0.raised, priority) }
        if let exchange { exchange.pool.raise(exchange, to: priority) }
    }

    func noteLeft() { exchange { $0.isLeft = true }?.noteLeft() }

    func cancel() {
        if let exchange = exchange({ $0.isCancelled = true }) { exchange.pool.cancel(exchange) }
        advance(on: .cancelled)
    }

    /// The exchange under way after `change`.
    private func exchange(_ change: (inout State) -> Void) -> Job<RequestWork>? {
        state.withLock { state in
            change(&state)
            return state.exchange
        }
    }
}
