import HTTPPolicies
import HTTPCore
import HTTPCurl
import HTTPMockServer
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
}
