import HTTPEngine
import Foundation
import HTTPCore
import HTTPCurl
import Testing

import HTTPMockServer
import HTTPTesting

/// Exchanges over a unix-domain socket.
@Suite(.timeLimit(.minutes(5))) struct UnixSocketTests {
    @Test func `the request goes to the socket whatever the host of the URL`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer(on: .unix(path: directory.file("socket"))) { _ in .text("local") }
        let client = try CurlTransport.plain { $0.unixSocketPath = directory.file("socket") }
        let response = try client.send(.post("http://daemon.invalid/v1/info?all=1") |> .text("body"))
        #expect(try response.text() == "local")
        #expect(response.metrics.remoteAddress == nil)
        #expect(response.metrics.remotePort == nil)
        let request = try server.takeRequest()
        #expect(request.headers["Host"] == "daemon.invalid")
        #expect(request.target == "/v1/info?all=1")
        #expect(request.text == "body")
    }

    @Test func `the second request uses the first one's connection`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer(on: .unix(path: directory.file("socket"))) { _ in .text("local") }
        let client = try CurlTransport.plain { $0.unixSocketPath = directory.file("socket") }
        _ = try client.send(.get("http://localhost/1"))
        #expect(try client.send(.get("http://localhost/2")).metrics.isConnectionReused)
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.target) == ["/1", "/2"])
    }

    @Test func `a socket is used without a proxy`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer(on: .unix(path: directory.file("socket"))) { _ in .text("local") }
        let proxy = try MockServer()
        let client = try CurlTransport.plain {
            $0.unixSocketPath = directory.file("socket")
            $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port))
        }
        #expect(try client.send(.get("http://localhost/")).text() == "local")
        #expect(try server.takeRequest().target == "/")
        #expect(proxy.connectionCount == 0)
    }

    @Test func `a missing socket is named`() throws {
        let directory = try ScratchDirectory()
        let client = try CurlTransport.plain { $0.unixSocketPath = directory.file("missing") }
        let result = client.executeRequest(.get("http://localhost/"))
        let failure = expectConnectionFailure(
            result, .unreachable, saying: "http://localhost/", directory.file("missing"), "check the path")
        #expect(failure?.record.unixSocketPath == directory.file("missing"))
    }

    @Test func `a socket without a server is named`() throws {
        let directory = try ScratchDirectory()
        let path = directory.file("socket")
        let bound = try LoopbackListener(binding: .unix(path: path), backlog: nil)
        let client = try CurlTransport.plain { $0.unixSocketPath = path }
        expectConnectionFailure(
            client.executeRequest(.get("http://localhost/")), .refused, saying: path, "check that its server runs")
        bound.close()
    }

    @Test func `a path that is too long for a socket is refused before the first request`() {
        let path = "/tmp/" + String(repeating: "x", count: 200)
        let error = #expect(throws: HTTPError.self) { try CurlTransport.plain { $0.unixSocketPath = path } }
        expectUnsupported(error, saying: path, "too long")
    }
}
