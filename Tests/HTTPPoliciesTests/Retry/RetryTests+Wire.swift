import HTTPPolicies
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPSupport
import HTTPTesting
import Testing

extension RetryTests {
    @Test func `over a connection, each attempt reaches the server, and the last response is the result`() throws {
        let server = try MockServer { _ in .text("ready") }
        server.enqueue(.status(503), .status(429))
        let policy = RetryPolicy(backoff: Backoff(jitter: { 0 }))
        let response = try CurlTransport().intercepted(by: .retry(policy)).send(.put(server.url("/x")) |> .text("body"))
        #expect(try response.text() == "ready")
        #expect(response.metrics.attemptCount == 3)
        #expect(server.requests.map(\.path) == ["/x", "/x", "/x"])
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["body", "body", "body"])
    }

    @Test func `a POST whose connection was refused is sent when a server listens, once`() throws {
        let port = try MockServer().port
        let server = Locked<MockServer?>(nil)
        let starting = Interceptor { request, next in
            let outcome = next.executeRequest(request)
            server.withLock { $0 = $0 ?? (try? MockServer(on: .ipv4(port: port)) { _ in .text("paid") }) }
            return outcome
        }
        let policy = RetryPolicy(backoff: Backoff(jitter: { 0 }))
        let client = CurlTransport().intercepted(by: .retry(policy), starting)
        let response = try client.send(.post("http://127.0.0.1:\(port)/pay") |> .text("7"))
        #expect(try response.text() == "paid")
        #expect(response.metrics.attemptCount == 2)
        let received = try #require(server.withLock { $0 }).requests
        #expect(received.map(\.path) == ["/pay"] && received.map { String(decoding: $0.body, as: UTF8.self) } == ["7"])
    }
}
