import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Cutting a TLS connection does not end a body (RFC 8446 §6.1).
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct ClosureTests {
    private static let versions = ["TLSv1.2", "TLSv1.3"]

    /// A server whose responses end with the connection.
    private func server(_ version: String, answer: MockResponse, settings: [String] = []) throws -> NginxServer {
        try NginxServer(
            .good,
            settings: ["ssl_protocols \(version)", "chunked_transfer_encoding off", "proxy_buffering off"] + settings,
            origin: MockServer { _ in answer })
    }

    private func openEnded(_ text: String) -> MockResponse {
        MockResponse(body: Array(text.utf8), framing: .untilClose)
    }

    @Test(arguments: versions)
    func `a body that ends with close_notify is complete`(version: String) throws {
        let server = try server(version, answer: openEnded("all of it"))
        let response = try CurlTransport.forTests().send(.get(server.url()))
        #expect(!response.headers.contains("Content-Length"))
        #expect(!response.headers.contains("Transfer-Encoding"))
        #expect(try response.text() == "all of it")
    }

    @Test(arguments: versions)
    func `a body that ends without close_notify is incomplete`(version: String) throws {
        let server = try server(version, answer: openEnded("part of it"))
        let relay = try CuttingRelay(to: server.port)
        let result = try CurlTransport.forTests().executeRequest(.get("https://localhost:\(relay.port)/"))
        let failure = try #require(truncation(result))
        #expect(failure.reason == .missingCloseNotify)
        #expect(failure.received == 10)
        #expect(failure.record.phase == .receiving)
        expectText(.truncatedBody(failure), saying: ["localhost:\(relay.port)", "cut off after 10 bytes", "try again"])
        #expect(server.origin.requestCount == 1)
    }

    @Test(arguments: versions)
    func `a body of known length is complete even without close_notify`(version: String) throws {
        let answer = MockResponse.text("all of it").closing()
        let server = try server(version, answer: answer)
        let relay = try CuttingRelay(to: server.port)
        let response = try CurlTransport.forTests().send(
            .get("https://localhost:\(relay.port)/") |> .header("Connection", "close"))
        #expect(try response.text() == "all of it")
    }

    @Test(arguments: versions)
    func `a body with its last chunk is complete even without close_notify`(version: String) throws {
        let answer = MockResponse(body: Array("all of it".utf8), framing: .chunked(sizes: [4]))
        let server = try NginxServer(
            .good, settings: ["ssl_protocols \(version)", "proxy_buffering off"], origin: MockServer { _ in answer })
        let relay = try CuttingRelay(to: server.port)
        let response = try CurlTransport.forTests().send(
            .get("https://localhost:\(relay.port)/") |> .header("Connection", "close"))
        #expect(response.headers["Transfer-Encoding"] == "chunked")
        #expect(try response.text() == "all of it")
    }

    @Test(arguments: versions)
    func `a body shorter than its announced length is incomplete with or without close_notify`(version: String) throws {
        let answer = MockResponse.text("part of it").failing(.close(.midBody(after: 4)))
        let server = try server(version, answer: answer)
        let relay = try CuttingRelay(to: server.port)
        for port in [server.port, relay.port] {
            let result = try CurlTransport.forTests().executeRequest(.get("https://localhost:\(port)/"))
            let failure = try #require(truncation(result))
            #expect(failure.reason == .contentLength(expected: 10))
            #expect(failure.received == 4)
            expectText(.truncatedBody(failure), saying: ["localhost:\(port)", "ended after 4 of 10 bytes"])
        }
    }

    @Test(arguments: versions)
    func `a body without its last chunk is incomplete with or without close_notify`(version: String) throws {
        let answer = MockResponse(body: Array("part of it".utf8), framing: .chunked(sizes: [5]))
        let server = try NginxServer(
            .good, settings: ["ssl_protocols \(version)", "proxy_buffering off"],
            origin: MockServer { _ in answer.failing(.close(.midBody(after: 10))) })
        let relay = try CuttingRelay(to: server.port)
        for port in [server.port, relay.port] {
            let failure = try #require(
                truncation(CurlTransport.forTests().executeRequest(.get("https://localhost:\(port)/"))))
            #expect(failure.reason == .chunked)
            #expect(failure.received == 5)
        }
    }

    @Test(arguments: versions)
    func `a connection cut before the response is closed before the response`(version: String) throws {
        let server = try server(version, answer: .text("never"), settings: ["return 444"])
        let relay = try CuttingRelay(to: server.port)
        for port in [server.port, relay.port] {
            let result = try CurlTransport.forTests().executeRequest(
                .post("https://localhost:\(port)/") |> .text("body"))
            let failure = expectConnectionFailure(
                result, .closedBeforeResponse, saying: "localhost:\(port)", "check before sending it again")
            #expect(failure?.mayHaveBeenProcessed == true)
        }
    }

    private func truncation(_ result: Result<Response, HTTPError>) -> TruncatedBody? {
        if case .failure(.truncatedBody(let failure)) = result { return failure }
        Issue.record("expected a truncated body, got \(result)")
        return nil
    }
}
