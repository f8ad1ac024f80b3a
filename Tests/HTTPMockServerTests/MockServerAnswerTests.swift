import Foundation
import HTTPCore
import HTTPMockServer
import Testing

@Suite struct MockServerAnswerTests {
    @Test func `a handler answers with exactly these bytes`() throws {
        let server = try MockServer { request in .text("hi \(request.path)") }
        let client = try RawClient(server)
        client.get("/a?b")
        #expect(
            client.readResponse()
                == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhi /a")
    }

    @Test func `a problem is an answer with its type and status`() throws {
        let server = try MockServer { _ in .problem(Problem(title: "Busy", status: .serviceUnavailable)) }
        let client = try RawClient(server)
        client.get("/a")
        let parts = client.readResponse().split(separator: "\r\n\r\n")
        #expect(
            parts.first?.hasPrefix("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n")
                == true)
        let body = try JSONDecoder().decode(JSONValue.self, from: Data((parts.last ?? "").utf8))
        #expect(body == ["type": "about:blank", "title": "Busy", "status": 503])
        #expect(server.requests.map(\.path) == ["/a"])
    }

    @Test func `queued answers come first and in order, then the handler, then a 404 that says why`() throws {
        let server = try MockServer()
        server.enqueue(.text("one"), .json(text: "[2]", status: .created))
        let client = try RawClient(server)
        func ask() -> String {
            client.get("/x")
            return client.readResponse()
        }
        #expect(ask().hasSuffix("\r\n\r\none"))
        #expect(ask().hasPrefix("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"))
        #expect(ask().hasSuffix("nothing was scripted for GET /x\n"))
        server.handler = { _ in .text("from the handler") }
        #expect(ask().hasSuffix("from the handler"))
        server.enqueue(.text("queued again"))
        #expect(ask().hasSuffix("queued again"))
        server.handler = nil
        #expect(ask().hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(server.connectionCount == 1)
    }

    @Test func `pipelined requests are answered in order on one connection`() throws {
        let server = try MockServer { request in .text(request.target) }
        let client = try RawClient(server)
        let count = 200
        client.send((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: t\r\n\r\n" }.joined())
        for number in 0..<count { #expect(client.readResponse().hasSuffix("\r\n\r\n/\(number)")) }
        #expect(server.requests.map(\.index) == Array(0..<count))
        #expect(server.requests.allSatisfy { $0.connection == 1 })
    }

    @Test func `chunks have the requested sizes and trailers follow`() throws {
        let server = try MockServer { _ in
            MockResponse(body: Array("abcdefg".utf8), framing: .chunked(sizes: [1, 2])).trailer("X-Sum", "9")
        }
        let client = try RawClient(server)
        client.get("/")
        #expect(
            client.read(through: "9\r\n\r\n") == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1\r\na\r\n2\r\nbc\r\n2\r\nde\r\n2\r\nfg\r\n0\r\nX-Sum: 9\r\n\r\n")
        client.get("/again")
        #expect(client.read(15) == "HTTP/1.1 200 OK")
    }

    @Test func `a body until close has no length and ends with the connection`() throws {
        let server = try MockServer { _ in MockResponse(body: Array("abc".utf8), framing: .untilClose) }
        let client = try RawClient(server)
        client.get("/")
        let (text, end) = client.readToEnd()
        #expect(text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
        #expect(end == .finished)
    }

    @Test func `HEAD, 204 and 304 carry no body`() throws {
        let server = try MockServer { request in
            MockResponse(status: HTTPStatus(Int(request.path.dropFirst()) ?? 200), body: [1, 2, 3])
        }
        let client = try RawClient(server)
        client.send("HEAD /200 HTTP/1.1\r\nHost: t\r\n\r\n")
        client.get("/204")
        client.get("/304", "Connection: close")
        #expect(
            client.readToEnd().text == "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
                + "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n")
    }

    @Test func `a 2xx to CONNECT carries no body and no length, a refusal does`() throws {
        let server = try MockServer()
        server.enqueue(.text("ok"), .text("no", status: 403).closing())
        let client = try RawClient(server)
        for _ in 0..<2 { client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n") }
        let text = client.readToEnd().text
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nHTTP/1.1 403 "))
        #expect(text.hasSuffix("Content-Length: 2\r\nConnection: close\r\n\r\nno"))
    }

    @Test func `raw bytes are sent unchanged`() throws {
        let server = try MockServer { _ in .raw("HTTP/9 what\nno\u{0}thing") }
        let client = try RawClient(server)
        client.get("/")
        #expect(client.readToEnd() == ("HTTP/9 what\nno\u{0}thing", .finished))
    }

    @Test func `fields given by the test replace the framing fields`() throws {
        let server = try MockServer { _ in
            MockResponse(headers: ["content-length": "9"], body: [0x61]).header("connection", "x").closing()
        }
        let client = try RawClient(server)
        client.get("/")
        #expect(client.readToEnd().text == "HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: x\r\n\r\na")
    }

    @Test func `a type takes the place of that of the body, and other fields are added`() {
        let answer = MockResponse.text("x").header("Set-Cookie", "a=1").header("content-type", "text/event-stream")
            .header("Set-Cookie", "b=2")
        #expect(answer.headers.values(for: "Content-Type") == ["text/event-stream"])
        #expect(answer.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
    }

    @Test func `an answer that says Connection: close is the last of its connection`() throws {
        let server = try MockServer { _ in .status(200).header("Connection", "X-Mark, Close") }
        let client = try RawClient(server)
        client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(
            client.readToEnd().text == "HTTP/1.1 200 OK\r\nConnection: X-Mark, Close\r\nContent-Length: 0\r\n\r\n")
        #expect(server.requests.map(\.path) == ["/a"])
    }

    @Test func `informational responses come first`() throws {
        let server = try MockServer { _ in
            .status(204).preceded(by: .init(103, headers: ["Link": "</a>"])).preceded(by: .init(102))
        }
        let client = try RawClient(server)
        client.get("/", "Connection: close")
        #expect(
            client.readToEnd().text == "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
                + "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    }

    @Test func `an HTTP 1.0 client keeps its connection only when it asks to`() throws {
        let server = try MockServer { _ in .status(200) }
        let client = try RawClient(server)
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n")
        #expect(
            client.readToEnd().text == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    @Test func `an HTTP 1.0 client gets no chunks: its body ends with the connection`() throws {
        let server = try MockServer { _ in MockResponse(body: Array("abc".utf8), framing: .chunked()) }
        let client = try RawClient(server)
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(client.readToEnd().text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc")
        try server.verify()
    }

    @Test func `an expectation is met with a 100 before the body is sent`() throws {
        let server = try MockServer { request in .text(request.text) }
        let client = try RawClient(server)
        client.send("PUT / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        #expect(client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("ok")
        #expect(client.readResponse().hasSuffix("\r\n\r\nok"))
    }

    @Test func `an expectation is left unanswered if the server was told so`() throws {
        let server = try MockServer(answersContinue: false) { request in .text(request.text) }
        let client = try RawClient(server)
        client.send("PUT / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        client.send("ok")
        #expect(client.readResponse().hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test func `a body of megabytes arrives whole in both directions`() throws {
        let server = try MockServer { request in .data(request.body) }
        let client = try RawClient(server)
        let body = [UInt8](repeating: 0x78, count: 5_000_000)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.count)\r\n\r\n")
        client.send(body)
        #expect(client.readResponse().hasSuffix(String(repeating: "x", count: body.count)))
        #expect(server.requests.first?.bodyByteCount == body.count)
    }
}
