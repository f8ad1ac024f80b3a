import HTTPPolicies
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension StubTimeTests {
    @Test func `a real server can be behind interceptors in simulated time`() throws {
        let server = try MockServer()
        server.enqueue(.status(503), .status(503), .text("calm"))
        let time = SimulatedTime()
        let policy = RetryPolicy(backoff: Backoff(base: .seconds(20), jitter: { 1 }))
        let client = time.around(CurlTransport()).intercepted(by: .retry(policy))
        #expect(try client.get(server.url("/a"), .timeout(.seconds(120))).text() == "calm")
        #expect(time.waits == [.seconds(20), .seconds(20)])
        #expect(server.requestCount == 3)
    }
}
