import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPPolicies
import Testing

/// An HTTP/2 connection on which no answer comes any more, as when a router between has forgotten it.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(5))) struct DeadConnectionTests {
    /// Its first connection answers one request, and no more from `point` on.
    private func server(_ point: MockFault.Point = .beforeHead) throws -> MockServer {
        try MockServer(security: .tls(), versions: [.http2]) { request in
            let answer = MockResponse.text("hello")
            return request.connection == 1 && request.index > 0 ? answer.failing(.stall(point)) : answer
        }
    }

    private func draft(_ server: MockServer, idle: Duration = .seconds(10)) -> MutableRequest {
        .get(server.url) |> .idleTimeout(idle)
    }

    private func isIdle(_ error: (any Error)?) -> Bool {
        if case .timedOut(let failure)? = error as? HTTPError { failure.limit == .idle } else { false }
    }

    @Test(arguments: [MockFault.Point.beforeHead, .midBody(after: 2)])
    func `the call after one that timed out has a connection of its own`(point: MockFault.Point) throws {
        let server = try server(point)
        let client = try CurlTransport.trusting(server)
        #expect(try client.send(draft(server)).version == .http2)
        #expect(isIdle(client.executeRequest(draft(server, idle: .milliseconds(200))).error))
        #expect(try client.send(draft(server)).text() == "hello")
        #expect(server.requests.map(\.connection) == [1, 1, 2])
    }

    @Test(arguments: [MockFault.Point.beforeHead, .midBody(after: 2)])
    func `so has an awaited call`(point: MockFault.Point) async throws {
        let server = try server(point)
        let client = try CurlTransport.trusting(server)
        #expect(try await client.send(draft(server)).version == .http2)
        do {
            _ = try await client.send(draft(server, idle: .milliseconds(200)))
            Issue.record("an answer came")
        } catch { #expect(isIdle(error)) }
        #expect(try await client.send(draft(server)).text() == "hello")
        #expect(server.requests.map(\.connection) == [1, 1, 2])
    }

    @Test func `a retry after a timeout succeeds on a new connection`() throws {
        let server = try server()
        let client = try CurlTransport.trusting(server)
            .intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .milliseconds(1)))))
        _ = try client.send(draft(server))
        #expect(try client.send(draft(server, idle: .seconds(1))).text() == "hello")
        #expect(server.requests.map(\.connection) == [1, 1, 2])
    }
}
