import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// The authorities that a certificate is accepted from.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct TrustTests {
    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a certificate for the host by a trusted authority is accepted`(host: String) throws {
        let server = try NginxServer(.good)
        let response = try CurlTransport.forTests().send(
            .get(server.url("/a?b=c", host: host)) |> .header("X-Mark", "1"))
        #expect(response.status == .ok)
        #expect(try response.text() == "hello")
        let request = try server.origin.takeRequest()
        #expect(request.target == "/a?b=c")
        #expect(request.headers["Host"] == "\(host):\(server.port)")
        #expect(request.headers["X-Mark"] == "1")
        #expect(request.headers["X-TLS"] == "TLSv1.3")
    }

    @Test func `a self-signed certificate is refused and nothing is sent`() throws {
        let server = try NginxServer(.selfSigned)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url("/secret")) |> .bearer("t0p"))
        expectTLSFailure(
            result, .untrusted, saying: "GET https://localhost:\(server.port)/secret",
            "add that one to TLSConfiguration.authorities"
        )
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a self-signed certificate is accepted when it is the authority itself`() throws {
        let server = try NginxServer(.selfSigned)
        let client = try CurlTransport.forTests { $0.tls.authorities = .file(Identity.selfSigned.certificate) }
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(server.origin.requestCount == 1)
    }

    @Test func `a certificate by an unknown authority is refused and nothing is sent`() throws {
        let server = try NginxServer(.unknown)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()))
        expectTLSFailure(
            result, .untrusted, saying: "localhost:\(server.port)", "add that one to TLSConfiguration.authorities")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `the system does not trust the tests' authority`() throws {
        let server = try NginxServer(.good)
        let client = try CurlTransport.forTests { $0.tls = TLSConfiguration(environment: [:]) }
        expectTLSFailure(client.executeRequest(.get(server.url())), .untrusted, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `an authority can be given as bytes`() throws {
        let server = try NginxServer(.good)
        let pem = try Data(contentsOf: URL(fileURLWithPath: CertificateAuthority.trusted.file))
        let client = try CurlTransport.forTests { $0.tls.authorities = .bytes(pem) }
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(server.origin.requestCount == 1)
    }

    @Test func `an authority can be given as a hashed directory`() throws {
        let server = try NginxServer(.good)
        let directory = try Self.hashedDirectory()
        let client = try CurlTransport.forTests { $0.tls.authorities = .directory(directory.path) }
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(server.origin.requestCount == 1)
    }

    @Test(arguments: ["SSL_CERT_FILE", "SSL_CERT_DIR"])
    func `the environment replaces the system's authorities`(variable: String) throws {
        let (trusted, unknown) = (try NginxServer(.good), try NginxServer(.unknown))
        let directory = try Self.hashedDirectory()
        let value = variable == "SSL_CERT_FILE" ? CertificateAuthority.trusted.file : directory.path
        let client = try CurlTransport.forTests { $0.tls = TLSConfiguration(environment: [variable: value]) }
        #expect(try client.send(.get(trusted.url())).status == .ok)
        #expect(trusted.origin.requestCount == 1)
        expectTLSFailure(client.executeRequest(.get(unknown.url())), .untrusted, saying: "localhost:\(unknown.port)")
        #expect(unknown.origin.requestCount == 0)
    }

    private static func hashedDirectory() throws -> ScratchDirectory {
        let directory = try ScratchDirectory()
        try FileManager.default.copyItem(
            atPath: CertificateAuthority.trusted.file, toPath: directory.file("authority.pem"))
        try CertificateAuthority.openssl(directory, ["rehash", "."])
        return directory
    }
}
