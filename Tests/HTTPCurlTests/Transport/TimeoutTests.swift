import TestSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPObservability
import Testing

@Suite struct TimeoutTests {
    /// How much later than its limit a call may end on a busy machine. Without the limit it would be silent for 30 s.
    private static let tolerance = Duration.seconds(8)
    let client = CurlTransport()

    /// Runs `call`, which must time out, and returns the expired limit and the duration.
    private func timeOut(
        _ call: () -> Result<Response, HTTPError>
    ) throws -> (failure: TimeoutFailure, text: String, elapsed: Duration) {
        var result: Result<Response, HTTPError>?
        let elapsed = ContinuousClock().measure { result = call() }
        let error = try #require(result?.failure)
        guard case .timedOut(let failure) = error else { throw error }
        return (failure, "\(error)", elapsed)
    }

    @Test func `connecting to a port that never answers ends at the connect timeout, to the millisecond`() throws {
        let port = try MockServer.unansweredPort()
        let (failure, text, elapsed) = try timeOut {
            client.executeRequest(.get("http://127.0.0.1:\(port)/") |> .connectTimeout(.milliseconds(150)))
        }
        #expect(failure.limit == .connect)
        #expect(failure.phase == .connecting)
        #expect(elapsed >= .milliseconds(150))
        #expect(elapsed < .milliseconds(150) + Self.tolerance)
        #expect(text.contains("timed out while connecting to 127.0.0.1:\(port)"))
        #expect(text.contains("there was no connection within 150 ms; .connectTimeout(_:) raises the limit"))
    }

    @Test func `a call whose deadline has passed has no exchange`() throws {
        let events = Notes<String>()
        let observed = client.intercepted(by: .observing { events.note("\($0)") })
        let result = CallDeadline(.zero).run { observed.executeRequest(.get("http://127.0.0.1:1/")) }
        let error = try #require(result.failure)
        #expect(error.record?.metrics.attemptCount == 0)
        #expect(error.history?.attempts.isEmpty == true)
        #expect(!events.all.isEmpty && !events.all.contains { $0.hasPrefix("attempt") })
    }

    @Test(arguments: [false, true])
    func `an upload that moves does not time out, however rarely the engine asks for more of it`(
        isInBatch: Bool
    ) throws {
        // libcurl asks for 512 KiB at once, which take 2.6 s here.
        let server = try MockServer(security: .tls(), versions: [.http2]) { .text("\($0.body.count)") }
        server.conditions = .bandwidth(receiving: 200_000)
        var configuration = CurlConfiguration()
        configuration.tls.authorities = try #require(server.certificateAuthority).trust
        let client = try CurlTransport(configuration)
        let body = RequestStep.stream { .data(Data(count: 600_000)) }
        let request = try Request(.post(server.url) |> body |> .idleTimeout(.seconds(2)))
        let result = isInBatch ? client.executeRequests([request])[0] : client.executeRequest(request)
        #expect(try result.get().text() == "600000")
    }

    @Test(arguments: [false, true])
    func `a slow sink of a body that has long arrived does not outlast the total timeout`(isInBatch: Bool) throws {
        let server = try MockServer { _ in .data(Data(count: 8 << 20)) }
        let writes = Tally()
        let slow = BodyDestination.stream { _ in
            BodySink(write: { _ in
                writes.add()
                Thread.sleep(forTimeInterval: 0.01)
            })
        }
        let request = try Request(.get(server.url("/")) |> .destination(slow) |> .timeout(.seconds(2)))
        let (failure, _, _) = try timeOut {
            isInBatch ? client.executeRequests([request])[0] : client.executeRequest(request)
        }
        #expect(failure.limit == .total)
        #expect(failure.phase == .receiving)
        // Each takes 10 ms at least, and libcurl reads enough for 400 of them at once.
        #expect(writes.count < 300)
    }
}
