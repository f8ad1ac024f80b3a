import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// A TLS proxy, which is trusted by the same rules as a server.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct TLSProxyTests {
    private func transport(
        _ port: Int, _ change: (inout CurlConfiguration) throws -> Void = { _ in }
    ) throws -> CurlTransport {
        try CurlTransport.forTests {
            $0.proxy = .proxy(Proxy(.https, host: "localhost", port: port))
            try change(&$0)
        }
    }

    private let url = "http://api.example.test/a"

    @Test func `the request reaches the proxy encrypted`() throws {
        let proxy = try NginxServer(.good)
        #expect(try transport(proxy.port).send(.get(url)).text() == "hello")
        let request = try proxy.origin.takeRequest()
        #expect(request.target == "/a")
        #expect(request.headers["X-TLS"] == "TLSv1.3")
    }

    @Test func `an untrusted proxy gets nothing`() throws {
        let proxy = try NginxServer(.unknown)
        let failure = expectTLSFailure(
            try transport(proxy.port).executeRequest(.get(url)), .untrusted,
            saying: "the proxy localhost:\(proxy.port)",
            "add that one to TLSConfiguration.authorities")
        #expect(failure?.isProxy == true)
        #expect(proxy.origin.requestCount == 0)
    }

    @Test func `a proxy without a certificate for its name gets nothing`() throws {
        let proxy = try NginxServer(.other)
        expectTLSFailure(
            try transport(proxy.port).executeRequest(.get(url)), .wrongHost, saying: "the proxy localhost:\(proxy.port)"
        )
        #expect(proxy.origin.requestCount == 0)
    }

    @Test func `a proxy with another key than the pinned one gets nothing`() throws {
        let proxy = try NginxServer(.good)
        let client = try transport(proxy.port) { $0.tls.pins = ["localhost": [try Identity.second.pin()]] }
        let failure = expectTLSFailure(
            client.executeRequest(.get(url)), .wrongPin, saying: "the proxy localhost:\(proxy.port)")
        #expect(failure?.isProxy == true)
        #expect(proxy.origin.requestCount == 0)
    }

    @Test func `a pin for the server does not apply to the proxy`() throws {
        let proxy = try NginxServer(.good)
        let client = try transport(proxy.port) { $0.tls.pins = ["api.example.test": [try Identity.second.pin()]] }
        #expect(try client.send(.get(url)).text() == "hello")
    }

    @Test func `an unverified proxy is used with any certificate`() throws {
        let proxy = try NginxServer(.selfSigned)
        let client = try transport(proxy.port) { $0.tls.unverifiedHosts = ["localhost"] }
        #expect(try client.send(.get(url)).text() == "hello")
        let other = try transport(proxy.port) { $0.tls.unverifiedHosts = ["api.example.test"] }
        expectTLSFailure(other.executeRequest(.get(url)), .untrusted, saying: "the proxy localhost:\(proxy.port)")
        #expect(proxy.origin.requestCount == 1)
    }

    @Test func `the minimum version applies to the proxy`() throws {
        let proxy = try NginxServer(.good, settings: ["ssl_protocols TLSv1.2"])
        let client = try transport(proxy.port) { $0.tls.minimumVersion = .tls1_3 }
        expectTLSFailure(client.executeRequest(.get(url)), .handshake, saying: "the proxy localhost:\(proxy.port)")
        #expect(proxy.origin.requestCount == 0)
    }

    @Test func `a body that ends with the connection is complete only with close_notify`() throws {
        let proxy = try NginxServer(
            .good, settings: ["chunked_transfer_encoding off", "proxy_buffering off"],
            origin: MockServer { _ in MockResponse(body: Array("part".utf8), framing: .untilClose) })
        #expect(try transport(proxy.port).send(.get(url)).text() == "part")
        let relay = try CuttingRelay(to: proxy.port)
        let result = try transport(relay.port).executeRequest(.get(url))
        guard case .failure(.truncatedBody(let failure)) = result else {
            Issue.record("expected a truncated body, got \(result)")
            return
        }
        #expect(failure.reason == .missingCloseNotify)
        #expect(failure.received == 4)
    }

    @Test(arguments: [
        (Identity.expired, TLSFailure.Reason.expired), (.notYetValid, .notYetValid), (.selfSigned, .untrusted),
        (.other, .wrongHost),
    ])
    func `behind a tunnel the certificate of the server is what failed`(
        identity: Identity, reason: TLSFailure.Reason
    ) throws {
        let server = try NginxServer(identity)
        let port = server.port
        let proxy = try RawServer(tls: true) { stream, _ in
            guard stream.readHead() != nil, let tunnel = LoopbackSocket.connecting(to: port) else { return }
            guard stream.write("HTTP/1.1 200 OK\r\n\r\n") else { return }
            var room = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                let sent = room.withUnsafeMutableBytes { stream.readArrived(into: $0) }
                if let sent { if sent == 0 { return } else { tunnel.write(Array(room[..<sent])) } }
                let answered = room.withUnsafeMutableBytes { tunnel.readArrived(into: $0) }
                if let answered { if answered == 0 || !stream.write(room[..<answered]) { return } }
                if sent == nil, answered == nil { stream.pause(.milliseconds(1)) }
            }
        }
        let client = try CurlTransport.forTests {
            $0.proxy = .proxy(Proxy(.https, host: "127.0.0.1", port: proxy.port))
            $0.tls.unverifiedHosts = ["127.0.0.1"]
        }
        let failure = expectTLSFailure(
            client.executeRequest(.get(server.url()) |> .timeout(.seconds(20))), reason, saying: "localhost")
        #expect(failure?.isProxy == false)
        #expect(server.origin.requestCount == 0)
    }
}
