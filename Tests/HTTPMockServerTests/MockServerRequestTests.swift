import HTTPCore
import HTTPMockServer
import Testing

@Suite struct MockServerRequestTests {
    @Test func `a request is recorded exactly as received`() throws {
        let server = try MockServer { _ in .status(204) }
        let client = try RawClient(server)
        let head =
            "POST http://h:1/a%20b?q=a+b%26&flag&q=%c3%bc&=v&bad=%zz HTTP/1.1\r\nhOsT:t\r\nX-A:  1\r\nx-a: 2\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n"
        client.send(head + "3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nX-Sum: 4\r\n\r\n")
        let request = try server.takeRequest()
        #expect(request.method == .post)
        #expect(request.version == "HTTP/1.1")
        #expect(String(decoding: request.head, as: UTF8.self) == head)
        #expect(request.headers.values(for: "X-A") == ["1", "2"])
        #expect(request.path == "/a%20b")
        let items = request.queryItems
        #expect(items.map(\.name) == ["q", "flag", "q", "", "bad"])
        #expect(items.map(\.value) == ["a b&", nil, "ü", "v", "%zz"])
        #expect(request.text == "abcd")
        #expect(request.trailers == ["X-Sum": "4"])
        #expect(request.isBodyComplete)
    }

    @Test(arguments: [
        ("/a", "/a"), ("/web/http://b.example/x?y", "/web/http://b.example/x"), ("http://b.example?y", "/"),
        ("http://b.example/a/http://c.example/", "/a/http://c.example/"), ("*", "*"),
        ("b.example:443", "b.example:443"),
    ])
    func `the path is what comes before the query, without the origin`(target: String, path: String) {
        #expect(ReceivedRequest.sample(.get, target).path == path)
    }

    @Test func `connections are counted from 1 and requests on each from 0`() throws {
        let server = try MockServer { _ in .status(200) }
        let first = try RawClient(server)
        first.get("/a")
        _ = first.readResponse()
        let second = try RawClient(server)
        second.get("/b")
        _ = second.readResponse()
        first.get("/c")
        _ = first.readResponse()
        #expect(server.requests.map { [$0.connection, $0.index] } == [[1, 0], [2, 0], [1, 1]])
        #expect(server.openConnectionCount == 2)
        first.close()
        try server.wait(for: .endOfConnection(1))
        #expect(server.openConnectionCount == 1)
    }

    @Test func `an invalid request gets a 400, is recorded and ends the connection`() throws {
        let server = try MockServer { _ in .status(200) }
        let client = try RawClient(server)
        client.get("/fine")
        _ = client.readResponse()
        let head = "GET / HTTP/1.1\nHost: t\n\n"
        client.send(head + "more")
        let (text, end) = client.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(end == .finished)
        let error = try #require(server.protocolViolations.first)
        #expect(error.kind == .malformed)
        #expect([error.connection, error.index] == [1, 1])
        #expect(error.bytes == Array(head.utf8))
        #expect(server.requestCount == 1)
    }

    @Test(arguments: ["GET / HT", "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab"])
    func `a client that leaves in the middle is recorded`(sent: String) throws {
        let server = try MockServer { _ in .status(200) }
        let client = try RawClient(server)
        client.send(sent)
        client.close()
        try server.wait(for: .protocolViolations(1))
        let error = try #require(server.protocolViolations.first)
        #expect(error.kind == .truncated)
        #expect(error.bytes == Array((sent.hasPrefix("GET") ? sent : "ab").utf8))
        #expect(server.requestCount == 0)
    }

    @Test(arguments: [(MockServer.Recording.none, 0), (.all, 20)])
    func `all requests are kept or none, and all are counted`(recording: MockServer.Recording, count: Int) throws {
        let server = try MockServer(recording: recording) { _ in .status(200) }
        let client = try RawClient(server)
        for number in 0..<20 {
            client.get("/\(number)")
            _ = client.readResponse()
            #expect(server.requests.count == min(count, number + 1))
        }
        #expect(server.requests.map(\.target) == (0..<count).map { "/\($0)" })
        #expect(server.requestCount == 20)
        if count > 0 { #expect(try server.takeRequest().target == "/0") }
    }

    @Test func `nothing can be taken from a server that keeps nothing`() throws {
        let server = try MockServer(recording: .none)
        #expect(throws: MockServerError.notRecording) { try server.takeRequest() }
    }
}
