import HTTPEngine
import Foundation
import HTTPCore
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

@testable import HTTPCurl

/// Many requests on the calling thread, sent and answered.
@Suite(.timeLimit(.minutes(5))) struct BatchTests {
    let client: CurlTransport

    init() throws { client = try .plain() }

    private func requests(_ count: Int, to server: MockServer) throws -> [Request] {
        try (0..<count).map { try Request(.get(server.url("/\($0)"))) }
    }

    @Test func `each request arrives once and each response is at its index`() throws {
        let server = try MockServer { .text("answer to \($0.path)") }
        let results = client.executeRequests(try requests(20, to: server), maxConcurrent: 8)
        #expect(results.map { try? $0.response?.text() } == (0..<20).map { "answer to /\($0)" })
        #expect(results.compactMap(\.response).map(\.request.url.target) == (0..<20).map { "/\($0)" })
        #expect(Set(server.requests.map(\.target)) == Set((0..<20).map { "/\($0)" }))
        #expect(server.requestCount == 20)
    }

    @Test func `a thousand requests, 64 at a time, share at most 64 connections`() throws {
        let server = try MockServer { .text($0.path) }
        var seen = [Int](repeating: 0, count: 1000)
        client.executeRequests(try requests(1000, to: server), maxConcurrent: 64) { index, result in
            seen[index] += (try? result.response?.text()) == "/\(index)" ? 1 : 1000
        }
        #expect(seen == Array(repeating: 1, count: 1000))
        #expect(server.requestCount == 1000)
        #expect((2...64).contains(server.connectionCount))
    }

    /// As for a tool whose output nobody reads any more.
    @Test(.enabled(if: !CurlLibrary.shared.mayRaiseBrokenPipe, "this libcurl may raise the signal itself"))
    func `a broken pipe in the closure of a batch ends the program, as it would elsewhere`() async {
        await #expect(processExitsWith: .signal(SIGPIPE)) { try writeToBrokenPipe() }
    }

    @Test func `never more are running than allowed`() throws {
        let inside = Mutex((now: 0, most: 0))
        let server = try MockServer { request in
            inside.withLock { inside in
                inside.now += 1
                inside.most = max(inside.most, inside.now)
            }
            return MockResponse.text("ok").taking(.milliseconds(2))
        }
        client.executeRequests(try requests(40, to: server), maxConcurrent: 5) { _, _ in
            inside.withLock { $0.now -= 1 }
        }
        #expect(inside.withLock { $0.most } == 5)
        #expect(server.connectionCount == 5)
        inside.withLock { $0.most = 0 }
        client.executeRequests(try requests(10, to: server), maxConcurrent: 0) { _, _ in
            inside.withLock { $0.now -= 1 }
        }
        #expect(inside.withLock { $0.most } == 1)
        #expect(server.requestCount == 50)
    }

    @Test func `results are delivered as they arrive, on the calling thread`() throws {
        let server = try MockServer { request in
            MockResponse.text("ok").taking(request.path == "/0" ? .milliseconds(200) : .zero)
        }
        let thread = Thread.current
        var order: [Int] = []
        client.executeRequests(try requests(3, to: server), maxConcurrent: 3) { index, _ in
            order.append(index)
            #expect(Thread.current === thread)
        }
        #expect(order.last == 0)
        #expect(order.sorted() == [0, 1, 2])
    }

    @Test func `the next batch reuses the connections of the last, and releasing the transport closes them`() throws {
        let server = try MockServer { _ in .text("ok") }
        do {
            let client = try CurlTransport.plain()
            for _ in 0..<5 {
                let results = client.executeRequests(try requests(12, to: server), maxConcurrent: 4)
                #expect(results.allSatisfy { $0.response?.status == .ok })
            }
            #expect(server.connectionCount <= 4)
            let last = client.executeRequests(try requests(1, to: server))
            #expect(last.first?.response?.metrics.isConnectionReused == true)
            #expect(last.first?.response?.metrics.remotePort == server.port)
        }
        try server.wait(for: .openConnections(atMost: 0))
    }

    /// With 23 calls most of the connections are of no further use when the first 20 calls end together.
    @Test(arguments: [40, 23]) func `no more connections are kept than the pool allows`(count: Int) throws {
        let client = try CurlTransport.plain { $0.pool = PoolConfiguration(idlePerOrigin: 3, idleInAll: 5) }
        let server = try MockServer { _ in MockResponse.text("ok").taking(.milliseconds(5)) }
        _ = client.executeRequests(try requests(count, to: server), maxConcurrent: 20)
        #expect(server.connectionCount >= 10)
        try server.wait(for: .openConnections(atMost: 3))
        #expect(server.openConnectionCount > 0)
        let none = try CurlTransport.plain { $0.pool.idlePerOrigin = 0 }
        _ = none.executeRequests(try requests(8, to: server), maxConcurrent: 8)
        try server.wait(for: .openConnections(atMost: 3))
    }

    @Test func `expired idle connections are closed at the next call`() throws {
        let client = try CurlTransport.plain { $0.pool.idleTime = .milliseconds(1) }
        let server = try MockServer { _ in .text("1") }
        let other = try MockServer { _ in MockResponse.text("2").taking(.milliseconds(10)) }
        _ = client.executeRequests(try requests(2, to: server))
        _ = try client.send(.get(other.url("/")))
        _ = try client.send(.get(other.url("/")))
        try server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `methods and bodies belong to their own requests`() throws {
        let server = try MockServer { .data($0.body) }
        let large = [UInt8](repeating: 7, count: 300_000)
        let drafts: [MutableRequest] = [
            .post(server.url("/a")) |> .text("first"), .get(server.url("/b")),
            .put(server.url("/c")) |> .data(.init(large)),
            .head(server.url("/d")), .post(server.url("/e")),
            .post(server.url("/f")) |> .stream { .data(.init([1, 2])) },
        ]
        let results = client.executeRequests(drafts)
        #expect(results.compactMap(\.response).map(\.body.count) == [5, 0, 300_000, 0, 0, 2])
        let received = server.requests.sorted { $0.target < $1.target }
        #expect(received.map(\.method) == [.post, .get, .put, .head, .post, .post])
        #expect(received.map(\.body.count) == [5, 0, 300_000, 0, 0, 2])
        #expect(received.map { $0.headers["Content-Length"] } == ["5", nil, "300000", nil, "0", nil])
    }

    @Test func `a draft that cannot be built fails at its index, and the others are sent`() throws {
        let server = try MockServer { .text($0.path) }
        let results = client.executeRequests([
            .get(server.url("/0")), .get("no url"), .get(server.url("/2")) |> .header("a b", "c"),
            .get(server.url("/3")),
        ])
        #expect(results.map { try? $0.response?.text() } == ["/0", nil, nil, "/3"])
        for place in [1, 2] {
            guard case .invalidRequest? = results[place].error else {
                Issue.record("\(results[place])")
                continue
            }
        }
        #expect(server.requestCount == 2)
    }

    @Test func `an empty batch does nothing`() throws {
        #expect(client.executeRequests([Request]()).isEmpty)
    }

    @Test func `one batch may have many hosts`() throws {
        let servers = try (0..<5).map { number in try MockServer { .text("\(number)\($0.path)") } }
        let list = try (0..<50).map { try Request(.get(servers[$0 % 5].url("/\($0)"))) }
        let results = client.executeRequests(list, maxConcurrent: 7)
        #expect(results.map { try? $0.response?.text() } == (0..<50).map { "\($0 % 5)/\($0)" })
        #expect(servers.map(\.requestCount) == Array(repeating: 10, count: 5))
    }

    @Test func `further requests may be made while a result is delivered, alone or in a batch`() throws {
        let server = try MockServer { .text($0.path) }
        var texts: [String?] = []
        client.executeRequests(try requests(3, to: server)) { index, _ in
            texts.append(try? client.executeRequest(.get(server.url("/single/\(index)"))).response?.text())
            let more = client.executeRequests([MutableRequest.get(server.url("/more/\(index)"))])
            texts.append(try? more.first?.response?.text())
        }
        let wanted = (0..<3).flatMap { ["/single/\($0)", "/more/\($0)"] }
        #expect(Set(texts) == Set(wanted))
        #expect(server.requestCount == 9)
    }

    @Test func `any other client makes them one after the other, in order`() throws {
        let served = Mutex<[String]>([])
        let stub = StubClient { request in
            served.withLock { $0.append(request.url.target) }
            return .success(Response(request: request, status: .ok))
        }
        let list = try (0..<4).map { try Request(.get("http://stub.test/\($0)")) }
        let client = stub.intercepted(by: Interceptor { request, next in next.executeRequest(request) })
        #expect(client.executeRequests(list).allSatisfy { $0.response?.status == .ok })
        #expect(served.withLock { $0 } == ["/0", "/1", "/2", "/3"])
    }
}

private func writeToBrokenPipe() throws {
    let server = try MockServer { .text($0.path) }
    signal(SIGPIPE, SIG_DFL)
    var ends: [CInt] = [0, 0]
    pipe(&ends)
    close(ends[0])
    CurlTransport().executeRequests([MutableRequest.get(server.url("/"))]) { _, _ in _ = write(ends[1], "x", 1) }
}
