import HTTPCore
import HTTPMockServer
import Testing

@Suite struct MockServerFaultTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 6\r\n\r\n"
    private static let points: [(MockFault.Point, String)] = [
        (.beforeHead, ""), (.midHead, String(decoding: head.utf8.prefix(head.utf8.count / 2), as: UTF8.self)),
        (.midBody(after: 0), head),
        (.midBody(after: 4), head + "abcd"), (.midBody(after: 99), head + "abcdef"), (.afterBody, head + "abcdef"),
    ]

    private func askOnce(_ fault: MockFault) throws -> (server: MockServer, client: RawClient) {
        let server = try MockServer()
        server.enqueue(.text("abcdef").failing(fault), .text("never sent"))
        let client = try RawClient(server)
        client.get("/")
        return (server, client)
    }

    @Test(arguments: points)
    func `a close ends the connection with a FIN at its point`(point: MockFault.Point, sent: String) throws {
        let (server, client) = try askOnce(.close(point))
        #expect(client.readToEnd() == (sent, .finished))
        try server.wait(for: .endOfConnection(1))
    }

    @Test(arguments: points)
    func `a reset ends the connection with an RST at its point`(point: MockFault.Point, sent: String) throws {
        let (server, client) = try askOnce(.reset(point))
        #expect(client.readToEnd() == (sent, .reset))
        try server.wait(for: .endOfConnection(1))
    }

    @Test(arguments: points)
    func `a stall sends nothing more until the server stops`(point: MockFault.Point, sent: String) throws {
        let (server, client) = try askOnce(.stall(point))
        #expect(client.read(sent.utf8.count) == sent)
        client.get("/ignored")
        try server.wait(for: .requests(1))
        #expect(server.openConnectionCount == 1)
        server.stop()
        let (text, end) = client.readToEnd()
        #expect(text == "")
        #expect(end != .timedOut)
        #expect(server.requestCount == 1)
    }

    @Test(arguments: points)
    func `a stall ends when the client leaves`(point: MockFault.Point, sent: String) throws {
        let (server, client) = try askOnce(.stall(point))
        #expect(client.read(sent.utf8.count) == sent)
        client.close()
        try server.wait(for: .endOfConnection(1))
    }

    @Test func `a trickle takes its time and sends everything`() throws {
        let server = try MockServer { _ in .text("abcdef").failing(.trickle(bytes: 20, every: .milliseconds(5))) }
        let client = try RawClient(server)
        let start = ContinuousClock.now
        client.get("/")
        #expect(client.readResponse() == Self.head + "abcdef")
        let pauses = (Self.head.utf8.count + 6 - 1) / 20
        #expect(ContinuousClock.now - start >= .milliseconds(5) * pauses)
        client.get("/again")
        #expect(client.readResponse() == Self.head + "abcdef")
        #expect(server.connectionCount == 1)
    }

    @Test func `a client that leaves within the preface of HTTP/2 is recorded as broken off`() throws {
        let server = try MockServer(versions: [.http2, .http1_1])
        let client = try RawClient(server)
        client.send("P")
        client.close()
        try server.wait(for: .endOfConnection(1))
        #expect(server.protocolViolations.map(\.kind) == [.truncated])
    }

    @Test func `a body waits for its delay in a trickle, too`() throws {
        var answer = MockResponse.text("abcdef").failing(.trickle(bytes: 1_000, every: .milliseconds(1)))
        answer.bodyDelay = .milliseconds(50)
        let server = try MockServer { [answer] _ in answer }
        let client = try RawClient(server)
        let start = ContinuousClock.now
        client.get("/")
        #expect(client.readResponse().hasSuffix("\r\n\r\nabcdef"))
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }

    @Test func `a trickle ends when the client leaves`() throws {
        let server = try MockServer { _ in .text("abc").failing(.trickle(bytes: 1, every: .seconds(600))) }
        let client = try RawClient(server)
        client.get("/")
        #expect(client.read(1) == "H")
        client.close()
        try server.wait(for: .endOfConnection(1))
    }

    @Test func `garbage is not a status line`() throws {
        let (server, client) = try askOnce(.garbage)
        let (text, end) = client.readToEnd()
        #expect(!text.isEmpty)
        #expect(!text.hasPrefix("HTTP"))
        #expect(end == .finished)
        try server.wait(for: .endOfConnection(1))
    }

    @Test func `delays are kept and end at once with the server`() throws {
        let server = try MockServer()
        server.enqueue(
            .text("abcdef").taking(.milliseconds(20)).taking(.milliseconds(20), in: .receiving),
            .text("abcdef").taking(.seconds(600), in: .receiving), .text("never").taking(.seconds(600)))
        let client = try RawClient(server)
        let start = ContinuousClock.now
        client.get("/")
        #expect(client.readResponse() == Self.head + "abcdef")
        #expect(ContinuousClock.now - start >= .milliseconds(40))
        client.get("/")
        #expect(client.read(through: "\r\n\r\n") == Self.head)
        let other = try RawClient(server)
        other.get("/")
        try server.wait(for: .requests(3))
        server.stop()
        #expect(client.readToEnd() == ("", .finished))
        #expect(other.readToEnd() == ("", .finished))
    }

    @Test func `connections can be closed, reset or never read, one by one`() throws {
        let server = try MockServer { _ in .text("abcdef") }
        for fault in [.close, .reset, nil, .neverRead] as [ConnectionFault?] { server.enqueueConnection(fault) }
        #expect(try RawClient(server).readToEnd() == ("", .finished))
        #expect(try RawClient(server).readToEnd() == ("", .reset))
        let served = try RawClient(server)
        served.get("/")
        #expect(served.readResponse() == Self.head + "abcdef")
        let unread = try RawClient(server)
        unread.get("/")
        try server.wait(for: .connections(4))
        unread.close()
        try server.wait(for: .endOfConnection(4))
        #expect(server.requestCount == 1)
        server.connectionFault = .close
        #expect(try RawClient(server).readToEnd() == ("", .finished))
        #expect(try RawClient(server).readToEnd() == ("", .finished))
    }

    @Test func `a connection that is closed at once ends without a reset, though the client sends a request`() throws {
        let server = try MockServer { _ in .text("abcdef") }
        server.connectionFault = .close
        for _ in 0..<200 {
            let client = try RawClient(server)
            client.get("/")
            #expect(client.readToEnd() == ("", .finished))
        }
        #expect(server.requestCount == 0)
    }

    @Test func `a server that accepts nothing can be connected to and stays silent`() throws {
        let server = try MockServer(acceptsConnections: false) { _ in .text("never") }
        let client = try RawClient(server)
        client.get("/")
        #expect(server.connectionCount == 0)
        server.stop()
        #expect(client.readToEnd().text == "")
    }

    @Test func `the unused port refuses connections`() throws {
        let port = try MockServer.unusedPort()
        #expect(throws: ConnectFailure.self) { try RawClient(port: port) }
        #expect(try MockServer.unusedPort() == port)
    }

    @Test func `the unanswered port accepts no connection`() throws {
        let port = try MockServer.unansweredPort()
        #expect(throws: ConnectFailure.timeout) { try RawClient(port: port, limit: .milliseconds(50)) }
    }

    @Test func `an early answer comes before the body and survives the close`() throws {
        let server = try MockServer()
        server.enqueue(.text("abcdef", status: 413).early().closing())
        let client = try RawClient(server)
        client.send("POST /up HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 9000000\r\n\r\n")
        #expect(client.send([UInt8](repeating: 0x78, count: 9_000_000)) == 9_000_000)
        let (text, end) = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
        #expect(text.hasSuffix("Connection: close\r\n\r\nabcdef"))
        #expect(end == .finished)
        let request = try server.takeRequest()
        #expect(!request.isBodyComplete)
        #expect(request.target == "/up")
    }

    @Test(arguments: [MockFault.close(.afterBody), .closeWithoutNotify(.afterBody)])
    func `an early answer survives a fault that ends the connection behind it`(fault: MockFault) throws {
        let server = try MockServer()
        server.enqueue(.text("abcdef", status: 413).early().failing(fault))
        let client = try RawClient(server)
        client.send("POST /up HTTP/1.1\r\nHost: t\r\nContent-Length: 9000000\r\n\r\n")
        #expect(client.readResponse().hasSuffix("\r\n\r\nabcdef"))
        // A socket that is closed by now would answer with a reset, which overtakes what is not yet read.
        #expect(client.send([UInt8](repeating: 0x78, count: 9_000_000)) == 9_000_000)
        #expect(client.readToEnd() == ("", .finished))
        #expect(try !server.takeRequest().isBodyComplete)
    }

    @Test func `a broken body behind an early answer ends the connection without a second answer`() throws {
        let server = try MockServer()
        server.earlyHandler = { _ in .text("early") }
        let client = try RawClient(server)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(client.readResponse().hasSuffix("\r\n\r\nearly"))
        client.send("zz\r\n")
        #expect(client.readToEnd() == ("", .finished))
        #expect(server.protocolViolations.map(\.kind) == [.malformed])
        #expect(server.requestCount == 0)
    }

    @Test func `an early handler may leave requests to the other one`() throws {
        let server = try MockServer { request in .text("late \(request.text)") }
        server.earlyHandler = { request in request.path == "/early" ? .text("early") : nil }
        let client = try RawClient(server)
        client.send("POST /early HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\n")
        #expect(client.readResponse().hasSuffix("\r\n\r\nearly"))
        client.send("xyPOST / HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\n\r\nz")
        #expect(client.readResponse().hasSuffix("\r\n\r\nlate z"))
        #expect(server.requests.map(\.text) == ["xy", "z"])
        #expect(server.connectionCount == 1)
    }

    @Test func `an early answer can be followed by a stall without reading`() throws {
        let server = try MockServer { _ in .text("never") }
        server.enqueue(.status(401).early().failing(.stall(.afterBody)))
        let client = try RawClient(server)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\n")
        #expect(client.readResponse().hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        client.close()
        try server.wait(for: .endOfConnection(1))
    }
}
