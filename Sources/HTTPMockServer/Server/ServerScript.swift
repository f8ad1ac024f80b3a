import HTTPSupport

/// The scripted answers of a server: a queue, routes and a handler; and the faults of its connections.
final class ServerScript: Sendable {
    /// The part that rarely changes.
    struct Handlers {
        var handler: MockServer.Handler?
        var earlyHandler: MockServer.EarlyHandler?
        var routes: [Route] = []
        var conditions = MockServer.Conditions()
    }

    private struct State {
        var handlers: Handlers
        var queue: ArraySlice<MockResponse> = []
        var connectionFault: ConnectionFault?
        var connectionFaults: ArraySlice<ConnectionFault?> = []
    }

    private let state: Locked<State>

    init(handler: MockServer.Handler?) { state = Locked(State(handlers: Handlers(handler: handler))) }

    var handlers: Handlers { state.withLock { $0.handlers } }

    func changeHandlers(_ change: (inout Handlers) -> Void) {
        // The old handlers are returned from the lock, because releasing one may run any code.
        let old = state.withLock { state in
            let old = state.handlers
            change(&state.handlers)
            return old
        }
        withExtendedLifetime(old) {}
    }

    var queuedCount: Int { state.withLock { $0.queue.count } }

    func enqueue(_ responses: [MockResponse]) { state.withLock { $0.queue += responses } }

    /// The fault of connections for which none is queued.
    var connectionFault: ConnectionFault? {
        get { state.withLock { $0.connectionFault } }
        set { state.withLock { $0.connectionFault = newValue } }
    }

    func enqueueConnection(_ fault: ConnectionFault?) { state.withLock { $0.connectionFaults.append(fault) } }

    /// The fault of the next connection; nil serves it.
    func nextConnectionFault() -> ConnectionFault? {
        state.withLock { state in
            guard let queued = state.connectionFaults.popFirst() else { return state.connectionFault }
            return queued
        }
    }

    /// The early answer to a request of which only the head has arrived; nil if there is none.
    func earlyAnswer(to request: @autoclosure () -> ReceivedRequest) -> MockResponse? {
        let (queued, isQueueEmpty, handlers) = take(where: \.isEarly)
        if let queued { return queued }
        guard isQueueEmpty, let answer = handlers.earlyHandler?(request()) else { return nil }
        return answer.over(handlers.conditions)
    }

    /// The answer of the queue, the first matching route or the handler; nil if there is none.
    func answer(to request: ReceivedRequest) -> MockResponse? {
        let (queued, _, handlers) = take { _ in true }
        if let queued { return queued }
        if let route = handlers.routes.first(where: { $0.pattern.matches(request) }) {
            return route.answer(to: request).over(route.conditions.over(handlers.conditions))
        }
        return handlers.handler?(request).over(handlers.conditions)
    }

    /// The first queued response, if it is an early one.
    func takeEarly() -> MockResponse? { take(where: \.isEarly).queued }

    func takeQueued() -> MockResponse? { take { _ in true }.queued }

    /// Whether a handler wants the heads of requests.
    var asksEarly: Bool { state.withLock { $0.queue.isEmpty && $0.handlers.earlyHandler != nil } }

    /// The rate in bytes per second at which a body is read, decided by its head and the queue; nil for no limit.
    func receivingRate(for request: @autoclosure () -> ReceivedRequest) -> Int? {
        let (queued, handlers) = state.withLock { ($0.queue.first?.conditions, $0.handlers) }
        if let queued { return queued.over(handlers.conditions).receivingRate }
        guard handlers.routes.contains(where: { $0.conditions.receivingRate != nil }) else {
            return handlers.conditions.receivingRate
        }
        let request = request()
        let route = handlers.routes.first { $0.pattern.matchesHead(of: request) }
        return (route?.conditions ?? MockServer.Conditions()).over(handlers.conditions).receivingRate
    }

    /// The first queued response, if it is wanted, whether none is left, and what else the script had at that moment.
    private func take(where isWanted: (MockResponse) -> Bool) -> (queued: MockResponse?, isEmpty: Bool, Handlers) {
        state.withLock { state in
            let queued = state.queue.first.flatMap { isWanted($0) ? state.queue.removeFirst() : nil }
            return (queued?.over(state.handlers.conditions), state.queue.isEmpty, state.handlers)
        }
    }
}
