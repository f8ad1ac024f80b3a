import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// TLS with the server's own authority.
@Suite(.enabled(if: Needs.tls, "\(Needs.tlsAdvice)"), .timeLimit(.minutes(5))) struct MockServerTLSTests {
    private func server(_ change: (inout MockServer.TLS) throws -> Void = { _ in }) throws -> MockServer {
        var tls = MockServer.TLS()
        try change(&tls)
        return try MockServer(security: .tls(tls)) { _ in .text("hello") }
    }

    @Test func `a client that trusts the authority is served, and the handshake is recorded`() throws {
        let server = try server()
        #expect(server.url == "https://127.0.0.1:\(server.port)")
        let response = try CurlTransport.trusting(server).send(
            .post(server.url("/a?b=c", host: "localhost")) |> .text("body"))
        #expect(try response.text() == "hello")
        #expect(response.version == .http1_1)
        let request = try #require(server.requests.first)
        #expect(server.requestCount == 1)
        #expect(request.target == "/a?b=c")
        #expect(request.text == "body")
        #expect(request.stream == nil)
        let tls = try #require(request.tls)
        #expect(tls.version == "TLSv1.3")
        #expect(tls.serverName == "localhost")
        #expect(tls.negotiatedProtocol == "http/1.1")
        #expect(tls.clientCertificate == nil)
        #expect(!tls.cipher.isEmpty)
        #expect(server.protocolViolations.isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `the certificate is for the names of the loopback interface`(host: String) throws {
        let server = try server()
        #expect(try CurlTransport.trusting(server).send(.get(server.url("/", host: host))).status == .ok)
        #expect(server.requests.map { $0.headers["Host"] } == ["\(host):\(server.port)"])
    }

    @Test func `the authority's file lives as long as the server`() throws {
        var server: MockServer? = try server()
        let file = try #require(server?.certificateAuthority?.file)
        let pem = try #require(server?.certificateAuthority?.pem)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == pem)
        #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(!String(decoding: pem, as: UTF8.self).contains("PRIVATE"))
        let client = try CurlTransport.trusting(#require(server)) { $0.tls.authorities = .file(file) }
        #expect(try client.send(.get(#require(server).url("/"))).status == .ok)
        server = nil
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `a client that does not trust the authority is refused, and the server records why`() throws {
        let (server, other) = (try server(), try server())
        let result = try CurlTransport.trusting(other).executeRequest(.get(server.url("/")))
        #expect(tlsReason(result) == .untrusted)
        try server.wait(for: .protocolViolations(1))
        let violation = try #require(server.protocolViolations.first)
        #expect(violation.kind == .handshake)
        #expect(violation.reason.contains("unknown ca"))
        #expect(server.requestCount == 0)
        #expect(other.connectionCount == 0)
    }

    @Test(arguments: [
        (MockServer.TLS.Certificate.expired, TLSFailure.Reason.expired),
        (.selfSigned, .untrusted), (.byUnknownAuthority, .untrusted), (.notYetValid, .notYetValid),
    ])
    func `a bad certificate is refused`(kind: MockServer.TLS.Certificate, reason: TLSFailure.Reason) throws {
        let server = try server { $0.certificate = kind }
        #expect(tlsReason(try CurlTransport.trusting(server).executeRequest(.get(server.url("/")))) == reason)
        try server.wait(for: .protocolViolations(1))
        #expect(server.requestCount == 0)
    }

    @Test func `a certificate for other names is refused`() throws {
        let server = try server { $0.names = ["other.example", "10.0.0.1"] }
        #expect(tlsReason(try CurlTransport.trusting(server).executeRequest(.get(server.url("/")))) == .wrongHost)
        #expect(server.requestCount == 0)
        let client = try CurlTransport.trusting(server) { $0.addressOverrides = ["other.example": ["127.0.0.1"]] }
        #expect(try client.send(.get(server.url("", host: "other.example"))).status == .ok)
        #expect(server.requests.first?.tls?.serverName == "other.example")
    }

    @Test func `a self-signed certificate can itself be trusted`() throws {
        let server = try server { $0.certificate = .selfSigned }
        let pem = try #require(server.certificatePEM)
        let client = try CurlTransport.trusting(server) { $0.tls.authorities = .bytes(pem) }
        #expect(try client.send(.get(server.url("/"))).status == .ok)
        #expect(server.requestCount == 1)
    }

    @Test func `a name that is invalid in a certificate is an error`() {
        #expect(throws: MockServerError.self) { try server { $0.names = ["a,DNS:b"] } }
    }

    @Test func `an authority can be shared between servers`() throws {
        let authority = try MockServer.CertificateAuthority()
        let servers = try (0..<2).map { _ in try server { $0.authority = authority } }
        let client = try CurlTransport.trusting(servers[0])
        for server in servers {
            #expect(try client.send(.get(server.url("/"))).status == .ok)
            #expect(server.requestCount == 1)
        }
    }

    @Test(arguments: [MockServer.TLS.Version.tls1_2, .tls1_3])
    func `the version can be chosen`(version: MockServer.TLS.Version) throws {
        let server = try server { $0.versions = version...version }
        #expect(try CurlTransport.trusting(server).send(.get(server.url("/"))).status == .ok)
        #expect(server.requests.map { $0.tls?.version } == [version == .tls1_2 ? "TLSv1.2" : "TLSv1.3"])
    }

    @Test func `a client that wants a newer version is refused`() throws {
        let server = try server { $0.versions = .tls1_0 ... .tls1_2 }
        let client = try CurlTransport.trusting(server) { $0.tls.minimumVersion = .tls1_3 }
        #expect(tlsReason(client.executeRequest(.get(server.url("/")))) != nil)
        try server.wait(for: .protocolViolations(1))
        #expect(server.protocolViolations.first?.kind == .handshake)
        #expect(server.requestCount == 0)
    }

    @Test(arguments: [MockServer.TLS.ClientCertificates.wanted, .required])
    func `a client's certificate is recorded`(policy: MockServer.TLS.ClientCertificates) throws {
        let server = try server { $0.clientCertificates = policy }
        let certificate = try #require(server.certificateAuthority).clientCertificate(named: "Ada")
        let client = try CurlTransport.trusting(server) { $0.tls.clientCertificates = [certificate] }
        #expect(try client.send(.get(server.url("/"))).status == .ok)
        let shown = try #require(server.requests.first?.tls?.clientCertificate)
        #expect(shown.subject == "/CN=Ada")
        guard case .pem(let pem, _) = certificate.form else { throw HTTPTestFailure() }
        #expect(shown.pem == String(decoding: pem, as: UTF8.self))
    }

    @Test func `a client without a certificate is served if one is wanted, and refused if one is required`() throws {
        let wanting = try server { $0.clientCertificates = .wanted }
        #expect(try CurlTransport.trusting(wanting).send(.get(wanting.url("/"))).status == .ok)
        #expect(wanting.requests.map { $0.tls?.clientCertificate == nil } == [true])
        let requiring = try server { $0.clientCertificates = .required }
        #expect(
            tlsReason(try CurlTransport.trusting(requiring).executeRequest(.get(requiring.url("/"))))
                == .clientCertificate)
        try requiring.wait(for: .protocolViolations(1))
        #expect(requiring.protocolViolations.map(\.kind) == [.handshake])
        #expect(requiring.requestCount == 0)
    }

    @Test func `an expired or a foreign certificate is refused`() throws {
        let server = try server { $0.clientCertificates = .wanted }
        let authority = try #require(server.certificateAuthority)
        let stranger = try MockServer.CertificateAuthority()
        for bad in [
            try authority.clientCertificate(named: "Late", isExpired: true),
            try stranger.clientCertificate(named: "Stranger"),
        ] {
            let client = try CurlTransport.trusting(server) { $0.tls.clientCertificates = [bad] }
            #expect(tlsReason(client.executeRequest(.get(server.url("/")))) == .clientCertificate)
        }
        try server.wait(for: .protocolViolations(2))
        #expect(server.protocolViolations.map(\.kind) == [.handshake, .handshake])
        #expect(server.requestCount == 0)
    }

    @Test func `an end with close_notify is an end, and one without is a cut`() throws {
        let answer = MockResponse(body: Array("all of it".utf8), framing: .untilClose)
        let server = try server()
        server.enqueue(answer, answer.failing(.closeWithoutNotify(.afterBody)))
        let client = try CurlTransport.trusting(server)
        #expect(try client.send(.get(server.url("/whole"))).text() == "all of it")
        guard case .failure(.truncatedBody(let failure)) = client.executeRequest(.get(server.url("/cut"))) else {
            throw HTTPTestFailure()
        }
        #expect(failure.reason == .missingCloseNotify)
        #expect(failure.received == 9)
        #expect(server.requests.map(\.target) == ["/whole", "/cut"])
    }

    @Test func `a server can always leave out close_notify`() throws {
        let server = try server { $0.sendsCloseNotify = false }
        server.enqueue(MockResponse(body: Array("all of it".utf8), framing: .untilClose))
        guard case .failure(.truncatedBody) = try CurlTransport.trusting(server).executeRequest(.get(server.url("/")))
        else {
            throw HTTPTestFailure()
        }
    }

    @Test func `a handshake can be refused, and connections can be closed or reset`() throws {
        let server = try server()
        let client = try CurlTransport.trusting(server)
        server.enqueueConnection(.failHandshake)
        guard case .failure(.tls(let failure)) = client.executeRequest(.get(server.url("/"))) else {
            throw HTTPTestFailure()
        }
        #expect(failure.reason == .handshake)
        for fault in [ConnectionFault.close, .reset] {
            server.enqueueConnection(fault)
            guard case .failure = client.executeRequest(.get(server.url("/"))) else { throw HTTPTestFailure() }
        }
        #expect(try client.send(.get(server.url("/"))).status == .ok)
        #expect(server.requestCount == 1)
        #expect(server.connectionCount == 4)
    }

    @Test func `faults in an answer look the same through TLS`() throws {
        let server = try server()
        let client = try CurlTransport.trusting(server)
        server.enqueue(.text("0123456789").failing(.close(.midBody(after: 4))))
        guard case .failure(.truncatedBody(let failure)) = client.executeRequest(.get(server.url("/"))) else {
            throw HTTPTestFailure()
        }
        #expect(failure.received == 4)
        server.enqueue(.text("never").failing(.reset(.beforeHead)))
        guard case .failure(.connection) = client.executeRequest(.post(server.url("/")) |> .text("x")) else {
            throw HTTPTestFailure()
        }
        #expect(server.requestCount == 2)
    }

    @Test func `bodies of megabytes travel both ways`() throws {
        let server = try server()
        server.handler = { .data($0.body) }
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
        let response = try CurlTransport.trusting(server).send(.post(server.url("/")) |> .data(body))
        #expect(response.body == body)
        #expect(server.requests.first?.bodyByteCount == body.count)
    }

    @Test func `stopping ends connections, even in the handshake`() throws {
        let server = try server()
        let client = try RawClient(server)
        try server.wait(for: .connections(1))
        server.stop()
        #expect(client.readToEnd().end != .timedOut)
        try server.wait(for: .openConnections(atMost: 0))
    }
}

struct HTTPTestFailure: Error {}
