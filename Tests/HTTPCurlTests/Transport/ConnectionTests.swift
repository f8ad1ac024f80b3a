import Dispatch
import TestSupport
import HTTPSupport
import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPFoundation
import HTTPMockServer
import HTTPTesting
import Testing

/// When a connection is kept, reused and closed.
@Suite struct ConnectionTests {
    let client = CurlTransport()

    @Test func `successive requests share a connection, and the metrics say so`() throws {
        let server = try MockServer { _ in .text("ok") }
        let responses = try (0..<3).map { _ in try client.send(.get(server.url("/"))) }
        #expect(server.requests.map(\.connection) == [1, 1, 1])
        #expect(responses.map(\.metrics.isConnectionReused) == [false, true, true])
        #expect(responses[0].metrics.remoteAddress == "127.0.0.1")
        #expect(responses[0].metrics.remotePort == server.port)
        #expect(responses[0].metrics.localAddress == "127.0.0.1")
        #expect(responses[0].metrics.timings.connected > .zero)
        #expect(responses[0].metrics.timings.firstByte >= responses[0].metrics.timings.ready)
        #expect(responses[0].metrics.total >= responses[0].metrics.timings.complete)
        #expect(responses[0].metrics.bytesReceived > 2)
    }

    @Test func `a connection is not reused after the client said close`() throws {
        let server = try MockServer { _ in .text("ok") }
        for _ in 0..<2 { _ = try client.send(.get(server.url("/")) |> .header("Connection", "close")) }
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test func `a GET on a kept connection that is lost without a response is sent again, once, on a new one`() throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try client.send(.get(server.url("/")))
        server.enqueue(.fault(.close(.beforeHead)))
        let response = try client.send(.get(server.url("/second")))
        #expect(response.status == .ok)
        #expect(response.metrics.attemptCount == 2)
        #expect(server.requests.map(\.target) == ["/", "/second", "/second"])
        #expect(server.requests.map(\.connection) == [1, 1, 2])
    }

    @Test(arguments: [MockFault.reset(.midHead), .close(.midHead)])
    func `once the response has begun, a GET on a kept connection is not sent again`(fault: MockFault) throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try client.send(.get(server.url("/")))
        server.enqueue(MockResponse.text("cut off").failing(fault))
        let error = try #require(client.executeRequest(.get(server.url("/second"))).failure)
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.reason == .closedBeforeResponse)
        #expect(server.requests.map(\.target) == ["/", "/second"])
    }

    @Test func `the second try is the last`() throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try client.send(.get(server.url("/")))
        server.enqueue(.fault(.close(.beforeHead)), .fault(.close(.beforeHead)))
        let error = try #require(client.executeRequest(.get(server.url("/second"))).failure)
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.reason == .closedBeforeResponse)
        #expect(server.requestCount == 3)
    }

    @Test func `a connection closed by the server while idle is detected, also for a POST`() throws {
        let server = try MockServer { _ in MockResponse.text("ok").failing(.close(.afterBody)) }
        _ = try client.send(.get(server.url("/")))
        try server.wait(for: .endOfConnection(1))
        _ = try client.send(.post(server.url("/")) |> .text("once"))
        #expect(server.requests.map(\.connection) == [1, 2])
        #expect(server.requests.map(\.text) == ["", "once"])
    }

    @Test func `idle connections beyond the limit are closed`() throws {
        var configuration = CurlConfiguration()
        configuration.pool.idlePerOrigin = 2
        let client = try CurlTransport(configuration)
        // No call is answered before all have arrived.
        let arrived = DispatchGroup()
        for _ in 0..<4 { arrived.enter() }
        let server = try MockServer { _ in
            arrived.leave()
            arrived.wait()
            return .text("ok")
        }
        inParallel(4) { _ in #expect((try? client.send(.get(server.url("/"))).status) == .ok) }
        #expect(server.connectionCount == 4)
        try server.wait(for: .openConnections(atMost: 2))
    }

    @Test func `batches of one request to several servers by turns keep a connection to each`() throws {
        let servers = try (0..<3).map { _ in try MockServer { _ in .text("ok") } }
        for _ in 0..<3 {
            for server in servers { _ = try client.executeRequests([.get(server.url("/"))])[0].get() }
        }
        #expect(servers.map { $0.requests.map(\.connection) } == [[1, 1, 1], [1, 1, 1], [1, 1, 1]])
    }

    @Test func `idle connections past their time are closed at the next call`() throws {
        var configuration = CurlConfiguration()
        configuration.pool.idleTime = .milliseconds(1)
        let client = try CurlTransport(configuration)
        let one = try MockServer { _ in .text("1") }
        let other = try MockServer { _ in MockResponse.text("2").taking(.milliseconds(10)) }
        _ = try client.send(.get(one.url("/")))
        _ = try client.send(.get(other.url("/")))
        try one.wait(for: .endOfConnection(1))
    }

    @Test func `an idle connection past its time is not used again`() throws {
        var configuration = CurlConfiguration()
        configuration.pool.idleTime = .milliseconds(1)
        let client = try CurlTransport(configuration)
        let server = try MockServer { _ in .text("ok") }
        _ = try client.send(.get(server.url("/")))
        usleep(20_000)
        _ = try client.send(.get(server.url("/")))
        #expect(server.connectionCount == 2)
    }

    @Test func `a large body goes up and comes down whole`() throws {
        let server = try MockServer { .data($0.body) }
        let body = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let response = try client.send(.post(server.url("/")) |> .data(body))
        #expect(response.body == body)
        #expect(response.metrics.bytesSent >= 5_000_000)
        #expect(response.metrics.bytesReceived >= 5_000_000)
    }
}

/// Runs `work` on `count` threads at once and waits for all.
func inParallel(_ count: Int, _ work: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { index in TestThread { work(index) } }
    for thread in threads { thread.join() }
}
