import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The end of an HTTP/2 stream shows that the body is complete (RFC 9113 §8.1): no TLS closure is needed.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct HTTP2ClosureTests {
    @Test(arguments: [true, false])
    func `a body without a length is complete at the end of its stream, with or without close_notify`(
        isCut: Bool
    ) throws {
        let answer = MockResponse(body: Array("all of it".utf8), framing: .untilClose)
        let server = try NginxServer(
            .good, listening: .tlsWithHTTP2, settings: ["proxy_buffering off"], origin: MockServer { _ in answer })
        let relay = try CuttingRelay(to: server.port)
        let response = try CurlTransport.forTests().send(
            .get("https://localhost:\(isCut ? relay.port : server.port)/"))
        #expect(response.version == .http2)
        #expect(!response.headers.contains("Content-Length") && !response.headers.contains("Transfer-Encoding"))
        #expect(try response.text() == "all of it")
        #expect(server.origin.requestCount == 1)
    }
}
