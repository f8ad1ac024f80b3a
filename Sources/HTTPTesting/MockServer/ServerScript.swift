import HTTPCore
import Synchronization

/// What a server was told to answer: by a queue, else by a handler.
final class ServerScript: Sendable {
    private struct State {
        var handler: MockServer.Handler?
        var queue: ArraySlice<MockResponse> = []
        var earlyHandler: MockServer.EarlyHandler?
        var connectionFault: ConnectionFault?
        var connectionFaultQueue: ArraySlice<ConnectionFault?> = []
    }

    private let state: Mutex<State>

    init(handler: MockServer.Handler?) { state = Mutex(State(handler: handler)) }

    var handler: MockServer.Handler? {
        get { state.withLock { $0.handler } }
        set { state.withLock { $0.handler = newValue } }
    }

    var earlyHandler: MockServer.EarlyHandler? {
        get { state.withLock { $0.earlyHandler } }
        set { state.withLock { $0.earlyHandler = newValue } }
    }

    var connectionFault: ConnectionFault? {
        get { state.withLock { $0.connectionFault } }
        set { state.withLock { $0.connectionFault = newValue } }
    }

    var queuedCount: Int { state.withLock { $0.queue.count } }

    func enqueue(_ responses: [MockResponse]) { state.withLock { $0.queue += responses } }

    func enqueueConnection(_ fault: ConnectionFault?) { state.withLock { $0.connectionFaultQueue.append(fault) } }

    /// The answer to a request of which only the head is there, if it shall have one already.
    func earlyAnswer(to request: @autoclosure () -> ReceivedRequest) -> MockResponse? {
        enum Found {
            case nothing
            case response(MockResponse)
            case handler(MockServer.EarlyHandler)
        }
        let found = state.withLock { state -> Found in
            if let first = state.queue.first {
                return first.isEarly ? .response(state.queue.removeFirst()) : .nothing
            }
            return state.earlyHandler.map(Found.handler) ?? .nothing
        }
        return switch found {
        case .nothing: nil
        case .response(let response): response
        case .handler(let handler): handler(request())
        }
    }

    func answer(to request: ReceivedRequest) -> MockResponse {
        let (queued, handler) = state.withLock { ($0.queue.popFirst(), $0.handler) }
        if let queued { return queued }
        if let handler { return handler(request) }
        return .text("nothing was scripted for \(request.method) \(request.target)\n", status: .notFound)
    }

    /// What to do to the next connection in place of serving it.
    func faultOfNextConnection() -> ConnectionFault? {
        state.withLock { state in
            guard let queued = state.connectionFaultQueue.popFirst() else { return state.connectionFault }
            return queued
        }
    }
}
