import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The certificate that the client sends.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct ClientCertificateTests {
    /// A server that requires a certificate by the tests' authority.
    private func server() throws -> NginxServer {
        try NginxServer(.good, settings: ["ssl_verify_client on", Self.authority])
    }

    private static let authority = "ssl_client_certificate \(CertificateAuthority.trusted.file)"

    private static let insisting =
        ["-Verify", "1", "-verify_return_error", "-CAfile", CertificateAuthority.trusted.file]

    private func transport(_ certificate: ClientCertificate) throws -> CurlTransport {
        try CurlTransport.forTests { $0.tls.clientCertificates = [certificate] }
    }

    /// The error with which a transport with this certificate is not made.
    private func refusal(of certificate: ClientCertificate) -> HTTPError? {
        #expect(throws: HTTPError.self) { try transport(certificate) }
    }

    private func pem(_ identity: Identity = .client) throws -> ClientCertificate.Form {
        .pem(certificate: try identity.certificateBytes(), key: try identity.keyBytes())
    }

    @Test func `a certificate and key in PEM identify the client`() throws {
        let server = try server()
        let client = try transport(ClientCertificate(pem()))
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(try server.origin.takeRequest().headers["X-Client"] == "CN=Client One")
    }

    @Test func `certificates are read from files, and each host gets its own`() throws {
        let server = try NginxServer(
            .good, settings: ["ssl_verify_client optional_no_ca", Self.authority])
        let client = Identity.client
        let container = client.directory.file("client.p12")
        try client.pkcs12(password: "pass").write(to: URL(fileURLWithPath: container))
        let transport = try CurlTransport.forTests {
            $0.tls.clientCertificates = [
                try .pem(certificate: client.certificate, key: client.key, hosts: ["127.0.0.1"]),
                try .pkcs12(file: container, password: "pass", hosts: ["localhost"]),
            ]
        }
        for host in ["127.0.0.1", "localhost"] {
            #expect(try transport.send(.get(server.url(host: host))).status == .ok)
            #expect(try server.origin.takeRequest().headers["X-Client"] == "CN=Client One")
        }
        let stranger = try CurlTransport.forTests {
            $0.tls.clientCertificates = [
                try .pem(certificate: client.certificate, key: client.key, hosts: ["other.example"])
            ]
        }
        #expect(try stranger.send(.get(server.url())).status == .ok)
        #expect(try server.origin.takeRequest().headers["X-Client"] == nil)
    }

    @Test func `an encrypted key is opened with its password`() throws {
        let server = try server()
        let form = ClientCertificate.Form.pem(
            certificate: try Identity.client.certificateBytes(), key: try Identity.client.encryptedKey(password: "pass")
        )
        let client = try transport(ClientCertificate(form, password: "pass"))
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(try server.origin.takeRequest().headers["X-Client"] == "CN=Client One")
    }

    @Test(arguments: ["wrong", "", nil])
    func `an encrypted key with another password or none makes no transport`(password: String?) throws {
        let form = ClientCertificate.Form.pem(
            certificate: try Identity.client.certificateBytes(), key: try Identity.client.encryptedKey(password: "pass")
        )
        expectUnsupported(
            refusal(of: ClientCertificate(form, password: password, hosts: ["a.example"])),
            saying: "the PEM certificate for a.example cannot be used",
            password == nil ? "encrypted and there is no password for it" : "the password does not open")
    }

    /// Empty where OpenSSL cannot make one.
    private static let outdatedContainer =
        (try? CertificateAuthority.openssl(
            Identity.client.directory,
            [
                "pkcs12", "-export", "-legacy", "-keypbe", "PBE-SHA1-RC2-40", "-certpbe", "PBE-SHA1-RC2-40", "-inkey",
                Identity.client.key, "-in", Identity.client.certificate, "-passout", "pass:pass",
            ])) ?? Data()

    @Test(.enabled(if: !outdatedContainer.isEmpty, "OpenSSL without its legacy provider makes no such container"))
    func `a container with an outdated cipher is told with the way to convert it`() throws {
        // What an earlier one on this thread failed for is not the reason of the next.
        for password in ["wrong", "wrong", "pass"] {
            expectUnsupported(
                refusal(of: ClientCertificate(.pkcs12(Self.outdatedContainer), password: password)),
                saying: password == "pass" ? "(RC2) that OpenSSL 3 does not read" : "the password does not open")
        }
    }

    @Test func `a PKCS#12 container is opened with its password`() throws {
        let server = try server()
        let client = try transport(
            ClientCertificate(.pkcs12(Identity.client.pkcs12(password: "pass")), password: "pass"))
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(try server.origin.takeRequest().headers["X-Client"] == "CN=Client One")
    }

    @Test(arguments: ["", nil])
    func `a PKCS#12 container that nothing protects is opened without a password`(password: String?) throws {
        let container = try CertificateAuthority.openssl(
            Identity.client.directory,
            [
                "pkcs12", "-export", "-nomac", "-keypbe", "NONE", "-certpbe", "NONE", "-inkey", Identity.client.key,
                "-in", Identity.client.certificate, "-passout", "pass:",
            ])
        let server = try server()
        let client = try transport(ClientCertificate(.pkcs12(container), password: password))
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(try server.origin.takeRequest().headers["X-Client"] == "CN=Client One")
    }

    @Test(arguments: ["wrong", nil])
    func `a PKCS#12 container with another password or none makes no transport`(password: String?) throws {
        let container = try Identity.client.pkcs12(password: "pass")
        expectUnsupported(
            refusal(of: ClientCertificate(.pkcs12(container), password: password)),
            saying: "the PKCS#12 certificate for every host cannot be used",
            password == nil ? "there is no password for it" : "the password does not open")
    }

    @Test func `bytes that are neither a container nor a key are refused, or are a bad configuration`() throws {
        let server = try server()
        let garbage = Data("garbage".utf8)
        expectUnsupported(
            refusal(of: ClientCertificate(.pem(certificate: garbage, key: garbage))),
            saying: "private key cannot be read")
        let unread: [ClientCertificate.Form] = [
            .pkcs12(garbage), .pem(certificate: garbage, key: try Identity.client.keyBytes()),
        ]
        for form in unread {
            let client = try transport(ClientCertificate(form))
            expectTLSFailure(
                client.executeRequest(.get(server.url())), .badConfiguration, saying: "localhost:\(server.port)")
        }
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a key of another certificate makes no transport`() throws {
        let form = ClientCertificate.Form.pem(
            certificate: try Identity.client.certificateBytes(), key: try Identity.good.keyBytes())
        expectUnsupported(refusal(of: ClientCertificate(form)), saying: "belongs to another certificate")
    }

    @Test(arguments: [[], ["-tls1_2"]])
    func `a server that requires a certificate refuses a client without one`(version: [String]) throws {
        let server = try OpenSSLServer(.good, options: Self.insisting + version)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()))
        expectTLSFailure(
            result, .clientCertificate, saying: "localhost:\(server.port)",
            "give one as TLSConfiguration.clientCertificates")
    }

    @Test(arguments: [[], ["-tls1_2"]])
    func `a server refuses a certificate by an unknown authority`(version: [String]) throws {
        let server = try OpenSSLServer(.good, options: Self.insisting + version)
        let client = try transport(ClientCertificate(pem(.strangeClient)))
        expectTLSFailure(
            client.executeRequest(.get(server.url())), .clientCertificate, saying: "localhost:\(server.port)")
    }

    @Test func `a certificate for some hosts is sent to no other, even after a redirect`() throws {
        let (first, second) = (try asking(), try asking())
        first.origin.enqueue(.redirect(to: second.url("/next", host: "127.0.0.1")))
        let client = try transport(ClientCertificate(pem(), hosts: ["LOCALHOST"]))
        #expect(try client.send(.get(first.url())).status == .ok)
        #expect(try first.origin.takeRequest().headers["X-Client"] == "CN=Client One")
        let request = try second.origin.takeRequest()
        #expect(request.target == "/next")
        #expect(request.headers["X-Client"] == nil)
    }

    /// A server that requests a certificate but does not require it.
    private func asking() throws -> NginxServer {
        try NginxServer(.good, settings: ["ssl_verify_client optional_no_ca", Self.authority])
    }
}
