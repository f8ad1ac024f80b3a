import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import Testing

/// Batches on a thread of a dispatcher, and the slot of this thread.
@Suite(.timeLimit(.minutes(5))) struct WaitingBatchTests {
    /// Lets nobody in but with the token `new`.
    private static func server() throws -> MockServer {
        try MockServer { request in
            request.path == "/token" || request.headers["Authorization"] == "Bearer new"
                ? .text("new") : .status(.unauthorized)
        }
    }

    @Test(arguments: [nil, "127.0.0.1"])
    func `another call has the slot of a batch whose calls all wait, as for the token that it gets`(
        host: String?
    ) async throws {
        let server = try Self.server()
        let dispatcher = Dispatcher.limited(to: 1, perHost: 1)
        let plain = CurlTransport()
        let tokens = BearerTokens("old", refreshTimeout: .seconds(60)) { _ async throws in
            try await plain.get(server.url("/token"), on: dispatcher).text()
        }
        let client = plain.intercepted(by: .bearer(tokens))
        let batch: @Sendable () throws(HTTPError) -> [Result<Response, HTTPError>] = {
            client.executeRequests(["/a", "/b"].map { .get(server.url($0)) |> .timeout(nil) })
        }
        let results =
            if let host {
                try await dispatcher.run(host: host, batch)
            } else {
                try await dispatcher.run(batch)
            }
        #expect(results.map { try? $0.get().status } == [.ok, .ok], "\(results)")
        #expect(server.requests.count { $0.path == "/token" } == 1)
        // Its slot is free, once.
        #expect(await suspended { dispatcher.calls == (0, 0) })
        #expect(dispatcher.waitingCount == 0)
        #expect(try await client.get(server.url, on: dispatcher).status == .ok)
    }

    @Test func `a batch keeps its slot where as many calls wait as may`() async throws {
        let server = try MockServer { _ in .text("ok") }
        server.enqueue(.status(503))
        let retry = Interceptor.retry(RetryPolicy(backoff: Backoff(base: .milliseconds(20), jitter: { 1 })))
        let client = CurlTransport().intercepted(by: retry)
        let dispatcher = Dispatcher.limited(to: 1, queued: 0)
        let results = try await dispatcher.run { () throws(HTTPError) in client.executeRequests([.get(server.url)]) }
        #expect(results.map { try? $0.get().metrics.attemptCount } == [2], "\(results)")
    }
}
