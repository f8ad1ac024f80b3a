import HTTPAsync
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Testing

/// A server that keeps the client busy with meaningless frames. All time limits and cancellation must still work: one
/// step reads a bounded amount of one connection.
///
/// How late a call may end is measured elsewhere, on an otherwise idle machine.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HTTP2FloodTests {
    private static let late = Duration.seconds(4)

    private func flood(_ kind: HTTP2Flood) throws -> RawServer {
        try RawServer(tls: true, version: .http2) { connection, _ in kind.serve(connection) }
    }

    private func isEnded(_ result: Result<Response, HTTPError>?, by expected: TimeoutFailure.Limit) -> Bool {
        if case .failure(.timedOut(let failure))? = result { failure.limit == expected } else { false }
    }

    @Test(arguments: HTTP2Flood.allCases)
    func `a flood does not delay a blocking call beyond its timeouts`(kind: HTTP2Flood) throws {
        let server = try flood(kind)
        let clock = ContinuousClock()
        let start = clock.now
        let total = try server.transport().executeRequest(.get(server.url()) |> .timeout(.milliseconds(200)))
        #expect(isEnded(total, by: .total), "\(total)")
        let idle = try server.transport().executeRequest(.get(server.url()) |> .idleTimeout(.milliseconds(200)))
        #expect(isEnded(idle, by: .idle), "\(idle)")
        #expect(clock.now - start < .milliseconds(400) + Self.late)
        #expect(server.connectionCount >= 1)
    }

    @Test(arguments: HTTP2Flood.allCases)
    func `a flooded call is cancelled at once`(kind: HTTP2Flood) async throws {
        let server = try flood(kind)
        let client = try server.transport()
        let clock = ContinuousClock()
        let draft = MutableRequest.get(server.url())
        let call = Task { try await client.send(draft) }
        await suspended { server.connectionCount > 0 }
        let start = clock.now
        call.cancel()
        let result = await call.result
        guard case .failure(let error as HTTPError) = result, case .cancelled = error else {
            Issue.record("\(result)")
            return
        }
        #expect(clock.now - start < Self.late)
    }

    @Test(arguments: HTTP2Flood.allCases)
    func `a flood does not delay the other calls of a batch`(kind: HTTP2Flood) throws {
        let server = try flood(kind)
        let good = try MockServer { _ in MockResponse.text("ok").taking(.milliseconds(50)) }
        let clock = ContinuousClock()
        let start = clock.now
        var ends: [Int: Duration] = [:]
        let requests = [
            try Request(.get(server.url()) |> .timeout(.milliseconds(300))),
            try Request(.get(good.url("/1"))), try Request(.get(good.url("/2"))),
        ]
        var results: [Int: Result<Response, HTTPError>] = [:]
        try server.transport().executeRequests(requests) { index, result in
            ends[index] = clock.now - start
            results[index] = result
        }
        #expect(isEnded(results[0], by: .total), "\(String(describing: results[0]))")
        for index in [1, 2] {
            #expect(results[index]?.response?.status == .ok)
            #expect(ends[index].map { $0 < Self.late } == true)
        }
        #expect(ends[0].map { $0 < .milliseconds(300) + Self.late } == true)
        #expect(good.requestCount == 2)
    }
}
