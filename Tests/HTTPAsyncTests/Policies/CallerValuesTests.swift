import HTTPCore
import HTTPObservability
import HTTPTesting
import Testing

import HTTPAsync

/// A stub has a clock of its own, for which only threads can wait.
@Suite(.timeLimit(.minutes(5))) struct CallerValuesTests {
    @Test func `policies that only a thread can drive are prepared with the values of the calling task`() async throws {
        let stub = StubClient().on("**", answer: .status(.ok))
        let client = stub.intercepted(
            by: .trace(), .applying { .header("X-Trace", TraceContext.current.map { "\($0.traceID)" } ?? "none") })
        let context = try #require(
            TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: nil))
        _ = try await context.run { () async throws(HTTPError) in try await client.get("https://a.example/") }
        let headers = try #require(stub.requests.first?.request.headers)
        #expect(headers["traceparent"]?.hasPrefix("00-\(context.traceID)-") == true)
        #expect(headers["X-Trace"] == "\(context.traceID)")
        #expect(stub.requestCount == 1)
    }
}
