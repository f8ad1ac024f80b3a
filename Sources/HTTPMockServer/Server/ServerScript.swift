import HTTPSupport
import Synchronization

/// The scripted answers of a server: a queue, routes and a handler; and the faults of its connections.
final class ServerScript: Sendable {
    /// The part that rarely changes.
    struct Handlers {
        var handler: MockServer.Handler?
        var earlyHandler: MockServer.EarlyHandler?
        var routes: [Route] = []
        var conditions = MockServer.Conditions()
    }

    /// A connection's snapshot of the script. It is used while the script does not change and nothing is queued, so
    /// that busy connections do not contend for the lock.
    struct View {
        fileprivate var handlers = Handlers()
        fileprivate var generation = 0
        fileprivate var isQueueEmpty = false
    }

    private struct State {
        var handlers: Handlers
        var queue: ArraySlice<MockResponse> = []
        var connectionFault: ConnectionFault?
        var connectionFaults: ArraySlice<ConnectionFault?> = []
    }

    private let state: Locked<State>
    /// The number of changes other than taking from the queue.
    private let generation = Atomic(1)

    init(handler: MockServer.Handler?) { state = Locked(State(handlers: Handlers(handler: handler))) }

    var handlers: Handlers { state.withLock { $0.handlers } }

    func changeHandlers(_ change: (inout Handlers) -> Void) {
        // The old handlers are returned from the lock, because releasing one may run any code.
        let old = state.withLock { state in
            let old = state.handlers
            change(&state.handlers)
            generation.add(1, ordering: .releasing)
            return old
        }
        withExtendedLifetime(old) {}
    }

    var queuedCount: Int { state.withLock { $0.queue.count } }

    func enqueue(_ responses: [MockResponse]) {
        state.withLock { state in
            state.queue += responses
            generation.add(1, ordering: .releasing)
        }
    }

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
    func earlyAnswer(to request: @autoclosure () -> ReceivedRequest, _ view: inout View) -> MockResponse? {
        if let queued = takeEarly(&view) { return queued }
        guard view.isQueueEmpty, let answer = view.handlers.earlyHandler?(request()) else { return nil }
        return answer.over(view.handlers.conditions)
    }

    /// The answer of the queue, the first matching route or the handler; nil if there is none.
    func answer(to request: ReceivedRequest, _ view: inout View) -> MockResponse? {
        if let queued = takeQueued(&view) { return queued }
        let handlers = view.handlers
        if let route = handlers.routes.first(where: { $0.pattern.matches(request) }) {
            return route.answer(to: request).over(route.conditions.over(handlers.conditions))
        }
        return handlers.handler?(request).over(handlers.conditions)
    }

    /// The first queued response, if it is an early one.
    func takeEarly(_ view: inout View) -> MockResponse? { takeShaped(&view, where: \.isEarly) }

    func takeQueued(_ view: inout View) -> MockResponse? { takeShaped(&view) { _ in true } }

    /// Whether a handler wants the heads of requests.
    func asksEarly(_ view: inout View) -> Bool {
        bringUpToDate(&view)
        return view.isQueueEmpty && view.handlers.earlyHandler != nil
    }

    /// The rate in bytes per second at which a body is read, decided by its head and the queue; nil for no limit.
    func receivingRate(for request: @autoclosure () -> ReceivedRequest, _ view: inout View) -> Int? {
        bringUpToDate(&view)
        let handlers = view.handlers
        if !view.isQueueEmpty, let queued = state.withLock({ $0.queue.first?.conditions }) {
            return queued.over(handlers.conditions).receivingRate
        }
        guard handlers.routes.contains(where: { $0.conditions.receivingRate != nil }) else {
            return handlers.conditions.receivingRate
        }
        let request = request()
        let route = handlers.routes.first { $0.pattern.matchesHead(of: request) }
        return (route?.conditions ?? MockServer.Conditions()).over(handlers.conditions).receivingRate
    }

    private func bringUpToDate(_ view: inout View) {
        guard view.generation != generation.load(ordering: .acquiring) else { return }
        _ = take(&view) { _ in false }
    }

    private func takeShaped(_ view: inout View, where isWanted: (MockResponse) -> Bool) -> MockResponse? {
        take(&view, where: isWanted)?.over(view.handlers.conditions)
    }

    /// The first queued response, if it is wanted; otherwise updates `view`.
    private func take(_ view: inout View, where isWanted: (MockResponse) -> Bool) -> MockResponse? {
        if view.isQueueEmpty, view.generation == generation.load(ordering: .acquiring) { return nil }
        let (taken, handlers, isQueueEmpty, current) = state.withLock { state in
            let taken = state.queue.first.flatMap { isWanted($0) ? state.queue.removeFirst() : nil }
            return (taken, state.handlers, state.queue.isEmpty, generation.load(ordering: .relaxed))
        }
        view = View(handlers: handlers, generation: current, isQueueEmpty: isQueueEmpty)
        return taken
    }
}
