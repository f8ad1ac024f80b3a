import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPTesting
import Testing

import HTTPAsync

/// The priority of a waiting call follows that of its task.
@Suite(.timeLimit(.minutes(5))) struct RaisedPriorityTests {
    private static let hasEscalation: Bool = {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { true } else { false }
    }()

    enum Style: CaseIterable, Sendable {
        case plain, policies, suspending

        func around(_ client: any HTTPClient) -> any HTTPClient {
            switch self {
            case .plain: client
            case .policies: client.intercepted(by: .retry())
            case .suspending:
                client.intercepted(by: Interceptor { request, next in try await next.send(MutableRequest(request)) })
            }
        }
    }

    @Test(.enabled(if: hasEscalation), arguments: Style.allCases)
    func `a low call that a high task awaits runs before the others`(style: Style) async throws {
        let gated = GatedClient()
        let client = style.around(gated)
        let dispatcher = Dispatcher.limited(to: 1)
        let first = Task { try await client.send(.get("http://a.example/first"), on: dispatcher) }
        await gated.arrived.happened()
        var calls: [Task<Response, any Error>] = []
        for number in 0..<20 {
            calls.append(
                Task(priority: .medium) { try await client.send(.get("http://a.example/\(number)"), on: dispatcher) })
        }
        let low = Task(priority: .low) { try await client.send(.get("http://a.example/low"), on: dispatcher) }
        #expect(await suspended { dispatcher.calls.queued == 21 })
        let high = Task(priority: .high) { try await low.value }
        #expect(await suspended { dispatcher.queuedCount(of: .high) == 1 })
        gated.gate.signal()
        _ = try await (first.value, high.value)
        for call in calls { _ = try await call.value }
        #expect(gated.served.withLock { Array($0.prefix(2)) } == ["/first", "/low"])
        #expect(gated.served.withLock { $0.count } == 22)
    }

    @Test func `a call that gets a higher priority on its way into the queue has it there`() async throws {
        let gated = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        let first = Task { try await gated.send(.get("http://a.example/first"), on: dispatcher) }
        await gated.arrived.happened()
        let other = Task { try await gated.send(.get("http://a.example/other"), priority: .normal, on: dispatcher) }
        #expect(await suspended { dispatcher.calls.queued == 1 })
        let done = Event()
        dispatcher.submitRaised(try Request(.get("http://a.example/raised")), with: gated) { _ in done.signal() }
        #expect(dispatcher.queuedCount(of: .high) == 1)
        gated.gate.signal()
        _ = try await (first.value, other.value)
        await done.happened()
        #expect(gated.served.withLock { $0 } == ["/first", "/raised", "/other"])
    }

    @Test(.enabled(if: hasEscalation)) func `a priority that the caller has set stays`() async throws {
        let gated = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        let first = Task { try await gated.send(.get("http://a.example/first"), on: dispatcher) }
        await gated.arrived.happened()
        let low = Task(priority: .low) {
            try await gated.send(.get("http://a.example/low"), priority: .low, on: dispatcher)
        }
        #expect(await suspended { dispatcher.calls.queued == 1 })
        let other = Task(priority: .medium) { try await gated.send(.get("http://a.example/other"), on: dispatcher) }
        #expect(await suspended { dispatcher.calls.queued == 2 })
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { low.escalatePriority(to: .high) }
        gated.gate.signal()
        _ = try await (first.value, low.value, other.value)
        #expect(gated.served.withLock { $0 } == ["/first", "/other", "/low"])
    }
}
