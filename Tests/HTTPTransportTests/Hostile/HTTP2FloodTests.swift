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

    private func flood(_ kind: HTTP2Flood, tls: Bool) throws -> RawServer {
        try RawServer(tls: tls, version: .http2) { connection, _ in kind.serve(connection) }
    }

    private func request(_ server: RawServer, tls: Bool) -> MutableRequest {
        let draft = MutableRequest.get(server.url())
        return tls ? draft : draft |> .version(.http2PriorKnowledge)
    }

    /// In the clear the flood is detected, possibly before a limit.
    private func isEnded(_ result: Result<Response, HTTPError>?, by expected: TimeoutFailure.Limit, tls: Bool) -> Bool {
        switch result {
        case .failure(.timedOut(let failure))?: failure.limit == expected
        case .failure(.protocolViolation(let failure))?: !tls && failure.reason.contains("without end")
        default: false
        }
    }

    @Test(arguments: HTTP2Flood.allCases, [true, false])
    func `a flood does not delay a blocking call beyond its timeouts`(kind: HTTP2Flood, tls: Bool) throws {
        let server = try flood(kind, tls: tls)
        let clock = ContinuousClock()
        let start = clock.now
        let total = try server.transport().executeRequest(
            request(server, tls: tls) |> .timeout(.milliseconds(200)))
        #expect(isEnded(total, by: .total, tls: tls), "\(total)")
        let idle = try server.transport().executeRequest(
            request(server, tls: tls) |> .idleTimeout(.milliseconds(200)))
        #expect(isEnded(idle, by: .idle, tls: tls), "\(idle)")
        #expect(clock.now - start < .milliseconds(400) + Self.late)
        #expect(server.connectionCount >= 1)
    }

    @Test(arguments: HTTP2Flood.allCases)
    func `a flooded call is cancelled at once`(kind: HTTP2Flood) async throws {
        let server = try flood(kind, tls: true)
        let client = try server.transport()
        let clock = ContinuousClock()
        let draft = request(server, tls: true)
        let call = Task { try await client.response(for: draft) }
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

    @Test(arguments: HTTP2Flood.allCases, [true, false])
    func `a flood does not delay the other calls of a batch`(kind: HTTP2Flood, tls: Bool) throws {
        let server = try flood(kind, tls: tls)
        let good = try MockServer { _ in MockResponse.text("ok").taking(.milliseconds(50)) }
        let clock = ContinuousClock()
        let start = clock.now
        var ends: [Int: Duration] = [:]
        let client = try server.transport()
        let requests = [
            try Request(request(server, tls: tls) |> .timeout(.seconds(1))),
            try Request(.get(good.url("/1"))), try Request(.get(good.url("/2"))),
        ]
        var results: [Int: Result<Response, HTTPError>] = [:]
        client.executeRequests(requests) { index, result in
            ends[index] = clock.now - start
            results[index] = result
        }
        #expect(isEnded(results[0], by: .total, tls: tls), "\(String(describing: results[0]))")
        for index in [1, 2] {
            #expect(results[index]?.response?.status == .ok)
            #expect(ends[index].map { $0 < Self.late } == true)
        }
        #expect(ends[0].map { $0 < .seconds(1) + Self.late } == true)
        #expect(good.requestCount == 2)
    }

    @Test(arguments: HTTP2Flood.allCases)
    func `a flood in the clear is reported as one, whatever else runs beside it`(kind: HTTP2Flood) throws {
        let server = try flood(kind, tls: false)
        let good = try MockServer { _ in .text("ok") }
        let requests =
            [try Request(request(server, tls: false) |> .timeout(.seconds(20)))]
            + (try (0..<400).map { try Request(.get(good.url("/\($0)"))) })
        let results = try server.transport().executeRequests(requests, maxConcurrent: 8)
        guard case .failure(.protocolViolation(let failure))? = results.first else {
            Issue.record("\(String(describing: results.first))")
            return
        }
        #expect(failure.kind == .frames)
        #expect(results.dropFirst().allSatisfy { $0.response?.status == .ok })
        #expect(good.requestCount == 400)
        #expect(server.connectionCount == 1)
    }
}
