import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPTesting
import Testing

import HTTPAsync

/// Calls that need no connection, on the dispatcher that all tests of a process share.
@Suite(.timeLimit(.minutes(5))) struct StubSlotTests {
    @Test func `calls over stubs do not fill the shared dispatchers, whatever is around the stub`() async throws {
        let (gate, arrived) = (Event(), Event())
        let stub = StubClient().on(.get, "/gated") { _ in
            arrived.signal()
            gate.block()
            return .text("ok")
        }.on(.get, "/free", answer: .text("ok"))
        let bare = StubClient { request in
            arrived.signal()
            gate.block()
            return .success(Response(request: request, status: .ok))
        }
        let closure = Interceptor { request, next in next.executeRequest(request) }
        let clients: [any HTTPClient] = [
            stub, bare, stub.intercepted(by: closure), bare.intercepted(by: .retry()),
            stub.intercepted(by: closure, .retry()), stub.detached,
            stub.intercepted(by: Interceptor { request, next in try await next.send(MutableRequest(request)) }),
        ]
        let url = "http://a.example/gated"
        let calls = clients.flatMap { client in
            (0..<12).map { _ in Task { try await client.send(.get(url) |> .timeout(nil)) } }
        }
        // With a limit of 8 calls to a host, or of 64 in all, this would not happen.
        await arrived.happened(calls.count)
        #expect(try await stub.send(.get("http://a.example/free")).status == .ok)
        gate.signal()
        for call in calls { #expect(try await call.value.status == .ok) }
    }

    @Test func `a dispatcher of one's own counts them`() async throws {
        let gated = Event()
        let arrived = Event()
        let stub = StubClient().on(.get, "/news") { _ in
            arrived.signal()
            gated.block(arrived.count)
            return .text("ok")
        }
        let dispatcher = Dispatcher.limited(to: 8, perHost: 1)
        let calls = (0..<2).map { _ in Task { try await stub.send(.get("http://a.example/news"), on: dispatcher) } }
        #expect(await suspended { dispatcher.calls.queued == 1 })
        // The other has its slot, and its thread may still be starting.
        await arrived.happened()
        #expect(arrived.count == 1)
        gated.signal()
        gated.signal()
        for call in calls { #expect(try await call.value.status == .ok) }
    }
}
