import HTTPCore
import Testing

import HTTPMockServer

/// The body of a redirect is not delivered: it is read only so that its connection can be reused.
@Suite(.timeLimit(.minutes(5))) struct RedirectBodyTests {
    private static let redirect = "HTTP/1.1 302 Found\r\nLocation: /next\r\n"

    /// Runs `start` on the first connection, and answers requests on any other.
    private func server(_ start: @escaping @Sendable (any ConnectionStream) -> Void) throws -> RawServer {
        try RawServer(tls: false) { connection, number in
            while let head = connection.readHead() {
                if head.hasPrefix("GET /next ") {
                    _ = connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
                } else {
                    start(connection)
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a dripping body does not delay the call`(inBatch: Bool) throws {
        let server = try server { connection in
            _ = connection.write(Self.redirect + "Content-Length: 60000\r\n\r\n")
            // Until the client has closed the connection.
            repeat { connection.pause(.milliseconds(20)) } while connection.write("x")
        }
        let clock = ContinuousClock()
        let start = clock.now
        let client = try server.transport()
        let request = MutableRequest.get(server.url()) |> .timeout(.seconds(20))
        let result = inBatch ? client.executeRequests([request])[0] : client.executeRequest(request)
        #expect(try result.get().text() == "next")
        #expect(clock.now - start < .seconds(5))
        #expect(server.connectionCount == 2)
    }

    @Test(arguments: [true, false])
    func `a long body is not read`(inBatch: Bool) throws {
        let server = try server { connection in
            _ = connection.write(Self.redirect + "Content-Length: 65537\r\n\r\n")
            connection.readToEnd()
        }
        let client = try server.transport()
        let request = MutableRequest.get(server.url()) |> .timeout(.seconds(20))
        let result = inBatch ? client.executeRequests([request])[0] : client.executeRequest(request)
        #expect(try result.get().text() == "next")
        #expect(server.connectionCount == 2)
    }

    @Test func `after a short body the connection is reused`() throws {
        let server = try server { connection in
            _ = connection.write(Self.redirect + "Content-Length: 5\r\n\r\nthere")
        }
        #expect(try server.transport().send(.get(server.url())).text() == "next")
        #expect(server.connectionCount == 1)
    }

    /// The body of the redirect, and on which connection the next request is sent.
    @Test(
        arguments: [
            ("5\r\nthere\r\n0\r\n\r\n", 1),
            // libcurl drops what arrives in one piece with the last chunk; the rest of it could come later.
            ("0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Le", 2), ("5x\r\nthere\r\n0\r\n\r\n", 2),
        ], [true, false])
    func `chunks of a redirect decide whether the connection is reused`(
        body: (bytes: String, next: Int), inBatch: Bool
    ) throws {
        let server = try RawServer(tls: false) { connection, number in
            while let head = connection.readHead() {
                _ = connection.write(
                    head.hasPrefix("GET /next ")
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)"
                        : Self.redirect + "Transfer-Encoding: chunked\r\n\r\n" + body.bytes)
            }
        }
        let client = try server.transport()
        let request = MutableRequest.get(server.url()) |> .timeout(.seconds(20))
        let result = inBatch ? client.executeRequests([request])[0] : client.executeRequest(request)
        #expect(try result.get().text() == "\(body.next)")
        #expect(server.connectionCount == body.next)
    }

    @Test func `a redirected HEAD waits for no body, however long it would be`() throws {
        let server = try RawServer(tls: false) { connection, _ in
            while let head = connection.readHead() {
                let isNext = head.hasPrefix("HEAD /next ")
                _ = connection.write(
                    isNext
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
                        : Self.redirect + "Content-Length: 9999999\r\n\r\n")
            }
        }
        #expect(try server.transport().send(.head(server.url())).status == .ok)
        #expect(server.connectionCount == 1)
    }
}
