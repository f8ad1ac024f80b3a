import Dispatch
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Synchronization
import Testing

/// Latency and bandwidth. The upper bounds are wide: the machine may be busy.
@Suite(.timeLimit(.minutes(5))) struct MockServerShapingTests {
    private static let slack = Duration.seconds(8)
    private static let body = [UInt8](repeating: 7, count: 100_000)

    private func expectTime(
        _ expected: Duration, at location: SourceLocation = #_sourceLocation, _ work: () throws -> Void
    ) throws {
        let start = ContinuousClock.now
        try work()
        let time = ContinuousClock.now - start
        #expect(time >= expected - .milliseconds(5), sourceLocation: location)
        #expect(time <= expected + Self.slack, sourceLocation: location)
    }

    @Test func `latency precedes every answer`() throws {
        let server = try MockServer { _ in .text("slow") }
        server.conditions = .latency(.milliseconds(60))
        let client = try CurlTransport.trusting(server)
        for _ in 0..<2 {
            try expectTime(.milliseconds(60)) { () throws in
                #expect(try client.send(.get(server.url("/"))).text() == "slow")
            }
        }
        // A removed latency is no longer waited for.
        server.conditions = .latency(.seconds(600))
        server.conditions = .init()
        #expect(try client.send(.get(server.url("/"))).text() == "slow")
        #expect(server.connectionCount == 1)
    }

    @Test func `a body of 100 KB at 1 MB per second takes a tenth of a second`() throws {
        let server = try MockServer { _ in .data(Self.body).bandwidth(bytesPerSecond: 1_000_000) }
        let client = try CurlTransport.trusting(server)
        try expectTime(.milliseconds(100)) { () throws in
            #expect(try client.send(.get(server.url("/"))).body.count == 100_000)
        }
    }

    @Test(.enabled(if: Needs.http2, "\(Needs.http2Advice)"))
    func `over HTTP/2 it takes as long, in both directions`() throws {
        let server = try MockServer(security: .tls(), versions: [.http2]) { .data($0.body) }
        server.conditions = .bandwidth(bytesPerSecond: 1_000_000)
        let client = try CurlTransport.trusting(server)
        try expectTime(.milliseconds(200)) { () throws in
            let response = try client.send(.post(server.url("/")) |> .data(Data(Self.body)))
            #expect(response.version == .http2)
            #expect(response.body.elementsEqual(Self.body))
        }
        #expect(server.requests.map(\.bodyByteCount) == [100_000])
    }

    @Test func `an upload is read at its own rate, framed by a length or by chunks`() throws {
        let server = try MockServer { .text("\($0.bodyByteCount)") }
        server.conditions = .bandwidth(receiving: 1_000_000)
        let client = try CurlTransport.trusting(server)
        try expectTime(.milliseconds(100)) { () throws in
            #expect(try client.send(.post(server.url("/")) |> .data(Data(Self.body))).text() == "100000")
        }
        try expectTime(.milliseconds(100)) { () throws in
            let draft = MutableRequest.post(server.url("/")) |> .stream { .data(Data(Self.body)) }
            #expect(try client.send(draft).text() == "100000")
        }
        #expect(server.requests.map(\.bodyByteCount) == [100_000, 100_000])
    }

    @Test func `a response takes precedence over its route, and a route over the server`() throws {
        let server = try MockServer()
        server.conditions = .latency(.seconds(600))
        server.on(.get, "/route", conditions: .latency(.milliseconds(1)), answer: .text("route"))
        server.on(
            .get, "/response", conditions: .latency(.seconds(600)), answer: .text("response").latency(.milliseconds(1)))
        server.on(.put, "/up", conditions: .init().latency(.zero).bandwidth(receiving: 500_000), answer: .text("up"))
        let client = try CurlTransport.trusting(server)
        #expect(try client.send(.get(server.url("/route"))).text() == "route")
        #expect(try client.send(.get(server.url("/response"))).text() == "response")
        try expectTime(.milliseconds(200)) { () throws in
            #expect(try client.send(.put(server.url("/up")) |> .data(Data(Self.body))).text() == "up")
        }
        try server.expect(.get, "/route")
    }

    @Test func `a body is read at the rate of the queued response, not at that of a route that does not answer`() throws
    {
        let server = try MockServer()
        server.on(.put, "/slow", conditions: .bandwidth(receiving: 1), answer: .text("route"))
        var slow = MockResponse.text("slow")
        slow.conditions = .bandwidth(receiving: 500_000)
        server.enqueue(.text("fast"), slow)
        let client = try CurlTransport.trusting(server)
        #expect(try client.send(.put(server.url("/slow")) |> .data(Data(Self.body))).text() == "fast")
        try expectTime(.milliseconds(200)) { () throws in
            #expect(try client.send(.put(server.url("/other")) |> .data(Data(Self.body))).text() == "slow")
        }
        #expect(server.requests.map(\.bodyByteCount) == [100_000, 100_000])
    }

    @Test(arguments: [MockServer.Conditions.latency(.seconds(600)), .bandwidth(bytesPerSecond: 1)])
    func `a wait ends at once when the server stops`(conditions: MockServer.Conditions) throws {
        let server = try MockServer { _ in .data(Self.body) }
        server.conditions = conditions
        let client = try RawClient(server)
        client.get("/")
        try server.wait(for: .requests(1))
        server.stop()
        #expect(client.readToEnd().end != .timedOut)
        try server.wait(for: .openConnections(atMost: 0))
    }

    @Test(arguments: [MockServer.Conditions.latency(.seconds(600)), .bandwidth(bytesPerSecond: 1)])
    func `a wait ends at once when the client leaves`(conditions: MockServer.Conditions) throws {
        for versions in Needs.http2 ? [[HTTPVersion.http1_1], [.http2]] : [[.http1_1]] {
            let server = try MockServer(versions: versions) { _ in .data(Self.body) }
            server.conditions = conditions
            if versions == [.http2] {
                let client = try RawHTTP2(server)
                client.request("/", stream: 1)
                try server.wait(for: .requests(1))
                client.close()
            } else {
                let client = try RawClient(server)
                client.get("/")
                try server.wait(for: .requests(1))
                client.close()
            }
            try server.wait(for: .endOfConnection(1))
        }
    }

    @Test func `a slow upload ends at once when the server stops`() throws {
        let server = try MockServer()
        server.conditions = .bandwidth(receiving: 1)
        let client = try RawClient(server)
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000))
        try server.wait(for: .connections(1))
        server.stop()
        try server.wait(for: .openConnections(atMost: 0))
        #expect(server.requestCount == 0)
    }
}
