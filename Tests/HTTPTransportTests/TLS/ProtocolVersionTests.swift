import HTTPCore
import HTTPCurl
import HTTPMockServer
import TestSupport
import Testing

/// The supported TLS versions, and servers that support none of them.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct ProtocolVersionTests {
    @Test func `TLS 1.2 is enough by default`() throws {
        let server = try NginxServer(.good, settings: ["ssl_protocols TLSv1.2"])
        #expect(try CurlTransport.forTests().send(.get(server.url())).status == .ok)
        #expect(try server.origin.takeRequest().headers["X-TLS"] == "TLSv1.2")
    }

    @Test(arguments: ["TLSv1", "TLSv1.1"])
    func `older versions are refused`(version: String) throws {
        let server = try NginxServer(
            .good, settings: ["ssl_protocols \(version)", "ssl_ciphers DEFAULT:@SECLEVEL=0"])
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()))
        expectTLSFailure(result, .handshake, saying: "localhost:\(server.port)", "which versions")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a server below the minimum version is refused`() throws {
        let server = try NginxServer(.good, settings: ["ssl_protocols TLSv1.2"])
        let client = try CurlTransport.forTests { $0.tls.minimumVersion = .tls1_3 }
        expectTLSFailure(
            client.executeRequest(.get(server.url())), .handshake, saying: "localhost:\(server.port)", "which versions")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a server at the minimum version is reached`() throws {
        let server = try NginxServer(.good, settings: ["ssl_protocols TLSv1.3"])
        let client = try CurlTransport.forTests { $0.tls.minimumVersion = .tls1_3 }
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(try server.origin.takeRequest().headers["X-TLS"] == "TLSv1.3")
    }

    @Test func `a server without TLS is distinguished from one with TLS`() throws {
        let server = try NginxServer(.good, listening: .clear)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()))
        expectTLSFailure(
            result, .handshake, saying: "localhost:\(server.port)", "check that it speaks TLS on that port")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a server that closes in the handshake fails the handshake`() throws {
        let server = try MockServer()
        server.connectionFault = .close
        let result = try CurlTransport.forTests().executeRequest(.get("https://127.0.0.1:\(server.port)/"))
        expectTLSFailure(result, .handshake, saying: "127.0.0.1:\(server.port)")
    }

    @Test(arguments: [CallActivity.securing, .connecting])
    func `a server that falls silent in the handshake is distinguished from one that does not answer`(
        phase: CallActivity
    ) throws {
        let server = try MockServer()
        server.connectionFault = .neverRead
        let port = phase == .securing ? server.port : try MockServer.unansweredPort()
        let result = try CurlTransport.forTests().executeRequest(
            .get("https://127.0.0.1:\(port)/") |> .connectTimeout(.seconds(2)))
        guard case .failure(.timedOut(let failure)) = result else { return unexpected(result) }
        #expect(failure.limit == .connect)
        #expect(failure.phase == phase)
        expectText(.timedOut(failure), saying: ["127.0.0.1:\(port)", ".connectTimeout(_:)"])
    }

    @Test func `http to a TLS server returns its error response`() throws {
        let server = try NginxServer(.good)
        let response = try CurlTransport.forTests().send(.get("http://localhost:\(server.port)/"))
        #expect(response.status == .badRequest)
        #expect(server.origin.requestCount == 0)
    }
}
