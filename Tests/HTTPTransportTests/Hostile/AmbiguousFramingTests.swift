import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPURLSession
import Testing

import HTTPMockServer

/// Responses whose end two recipients would find at different places.
@Suite(.timeLimit(.minutes(5))) struct AmbiguousFramingTests {
    private static let planted = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nplanted"

    /// Answers the first request on a connection with `first`, each further one with a planted response before its own,
    /// and other paths with their name.
    private static func server(tls: Bool = false, _ first: String) throws -> RawServer {
        try RawServer(tls: tls) { connection, _ in
            var isLate = false
            while let head = connection.readHead() {
                let path = String(head.split(separator: " ")[1])
                if isLate { _ = connection.write(planted) }
                isLate = path == "/first"
                let answer = isLate ? first : "HTTP/1.1 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)"
                guard connection.write(answer) else { return }
            }
        }
    }

    private static let heads = [
        "HTTP/1.1 204 No Content\r\nContent-Length: 45\r\n\r\n",
        "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 45\r\n\r\n",
        "HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 205 Reset Content\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 205 Reset Content\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    ]

    @Test(arguments: heads, EntryStyle.allCases)
    func `after a body that its status does not allow the connection is not used again`(
        head: String, style: EntryStyle
    ) async throws {
        let server = try Self.server(head)
        for client in [try server.transport(), URLSessionTransport()] as [any HTTPClient] {
            let before = server.connectionCount
            for path in ["/first", "/second", "/third"] {
                let request = try Request(.get(server.url(path)) |> .timeout(.seconds(20)))
                let response = try await style.results(of: [request], over: client, atOnce: 1)[0].get()
                if path != "/first" { #expect(try response.text() == path) }
            }
            #expect(server.connectionCount == before + 2)
        }
    }

    @Test(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), arguments: heads)
    func `the same over TLS`(head: String) throws {
        let server = try Self.server(tls: true, head)
        let client = try server.transport()
        for path in ["/first", "/second", "/third"] {
            let response = try client.send(.get(server.url(path)) |> .timeout(.seconds(20)))
            if path != "/first" { #expect(try response.text() == path) }
        }
        #expect(server.connectionCount == 2)
    }

    @Test func `a status without a body that announces none keeps its connection`() throws {
        let server = try MockServer { _ in MockResponse(status: 204) }
        let client = try CurlTransport.plain()
        for _ in 0..<3 { #expect(try client.send(.get(server.url("/"))).status == 204) }
        #expect(server.connectionCount == 1)
    }

    private static let chunks = "Transfer-Encoding: chunked\r\n"
    private static let body = "5\r\nhello\r\n0\r\n\r\n"
    private static let refused = [
        "HTTP/1.1 200 OK\r\n\(chunks)Content-Length: 5\r\n\r\n\(body)",
        "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\(chunks)\r\n\(body)",
        "HTTP/1.0 200 OK\r\n\(chunks)\r\n\(body)",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\(chunks)\r\n\(body)",
        "HTTP/1.1 200 OK\r\n\(chunks)\r\n5\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\(chunks)\r\n5;a=b\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\(chunks)\r\n5\r\nhello\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\(chunks)\r\n5\r\nhello\r\n0\n\n",
        "HTTP/1.1 200 OK\r\n\(chunks)\r\n5\r\nhello\r\n0\r\nX: 1\n\r\n",
    ]

    @Test(arguments: refused, EntryStyle.allCases)
    func `a body with two readings is refused, and its connection is not used again`(
        response: String, style: EntryStyle
    ) async throws {
        let server = try Self.server(response)
        let client = try server.transport()
        let first = try Request(.get(server.url("/first")) |> .timeout(.seconds(20)))
        let results = await style.results(of: [first], over: client, atOnce: 1)
        guard case .failure(.protocolViolation(let failure)) = results[0] else {
            Issue.record("\(results[0])")
            return
        }
        #expect(failure.kind == .head || failure.kind == .framing)
        let second = try Request(.get(server.url("/second")) |> .timeout(.seconds(20)))
        let answer = try await style.results(of: [second], over: client, atOnce: 1)[0].get()
        #expect(try answer.text() == "/second")
        #expect(server.connectionCount == 2)
    }
}
