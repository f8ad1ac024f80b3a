import TestSupport
import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPAsync

/// Tokens with a suspending refresh.
@Suite(.timeLimit(.minutes(5))) struct AsyncRefreshTests {
    private struct Torn: Error {}

    private actor Store {
        private(set) var olds: [String?] = []

        func refresh(_ old: String?) throws -> String {
            olds.append(old)
            if olds.count == 2 { throw Torn() }
            return "new"
        }
    }

    private let dispatcher = Dispatcher(.init(running: 1000, runningPerHost: 1000))

    private static func guarded() throws -> MockServer {
        try MockServer { request in
            request.headers["Authorization"] == "Bearer new" ? .text("ok") : MockResponse(status: 401)
        }
    }

    @Test func `an actor can supply the token, once for all callers, and all get its error`() async throws {
        let server = try Self.guarded()
        let store = Store()
        let tokens = BearerTokens("old") { old in try await store.refresh(old) }
        let client = CurlTransport().intercepted(by: .bearer(tokens))
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let status = try await client.send(.get(server.url("/")), on: dispatcher).status
                    #expect(status == .ok)
                }
            }
            try await group.waitForAll()
        }
        #expect(await store.olds == ["old"])
        tokens.set("outdated")
        guard case .interceptor(let failure)? = await client.failure(.get(server.url("/x")), on: dispatcher) else {
            return #expect(Bool(false))
        }
        #expect(failure.underlying is Torn && failure.source == .tokenRefresh && failure.record.phase == .authorizing)
        #expect(server.requests.last?.headers["Authorization"] == "Bearer outdated")
    }

    @Test func `a blocking call and a batch wait for it too`() async throws {
        let server = try Self.guarded()
        let store = Store()
        let tokens = BearerTokens { old in try await store.refresh(old) }
        let client = CurlTransport().intercepted(by: .bearer(tokens))
        #expect(await onThread { client.executeRequest(.get(server.url("/"))) }.value?.status == .ok)
        let batched = CurlTransport().intercepted(by: .bearer(BearerTokens("old") { _ in "new" }))
        let statuses = await onThread {
            batched.executeRequests((0..<8).map { .get(server.url("/\($0)")) }).map { $0.value?.status }
        }
        #expect(statuses == Array(repeating: .ok, count: 8))
        #expect(await store.olds == [nil])
    }

    @Test func `the call that started it is cancelled at once, and the token goes to the others`() async throws {
        let server = try Self.guarded()
        let (begun, gate, told) = (Event(), Event(), Event())
        let tokens = BearerTokens("old") { _ in
            begun.signal()
            await gate.happened()
            return "new"
        }
        let client = CurlTransport().intercepted(by: .bearer(tokens))
        let outcome = Locked<HTTPError?>(nil)
        let leader = client.executeRequest(.get(server.url("/")), callbackQueue: .immediate, on: dispatcher) { result in
            outcome.withLock { $0 = result.failure }
            told.signal()
        }
        await begun.happened()
        leader.cancel()
        await told.happened()
        guard case .cancelled(let record?) = outcome.withLock({ $0 }) else { return #expect(Bool(false)) }
        #expect(record.phase == .authorizing)
        async let follower = client.send(.get(server.url("/")), on: dispatcher)
        gate.signal()
        #expect(try await follower.status == .ok)
        #expect(tokens.current == "new" && begun.count == 1)
    }

    @Test func `a refresh that calls through its own client gets an error`() async throws {
        let server = try Self.guarded()
        let client = Locked<(any HTTPClient)?>(nil)
        // Without limits: with many tests the refresh may be scheduled late.
        let tokens = BearerTokens("old", refreshTimeout: .seconds(600)) { _ in
            let inner = client.withLock { $0 }
            return try await inner?.send(.get(server.url("/token")) |> .timeout(nil)).text() ?? ""
        }
        let decorated = CurlTransport().intercepted(by: .bearer(tokens))
        client.withLock { $0 = decorated }
        let error = await decorated.failure(.get(server.url("/")) |> .timeout(nil), on: dispatcher)
        guard case .other(let fault as PolicyFault)? = error else { return unexpected(error as Any) }
        #expect(fault.kind == .waitsForItself)
        #expect(server.requests.map(\.target) == ["/", "/token"])
    }
}
