import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Unusable authorities are reported as early as possible.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct AuthoritySettingTests {
    @Test func `a file that does not exist is reported before the first request`() {
        let error = #expect(throws: HTTPError.self) {
            try CurlTransport.forTests { $0.tls.authorities = .file("/nowhere/ca.pem") }
        }
        expectUnsupported(error, saying: "/nowhere/ca.pem", "No such file")
    }

    @Test func `a directory that does not exist is reported before the first request`() {
        let error = #expect(throws: HTTPError.self) {
            try CurlTransport.forTests { $0.tls.authorities = .directory("/nowhere") }
        }
        expectUnsupported(error, saying: "/nowhere", "No such file")
    }

    @Test(arguments: ["SSL_CERT_FILE", "SSL_CERT_DIR"])
    func `missing files named by the environment are reported by the calls they concern`(variable: String) throws {
        let (server, plain) = (try NginxServer(.good), try MockServer { _ in .text("in the clear") })
        let client = try CurlTransport.forTests { $0.tls = TLSConfiguration(environment: [variable: "/nowhere/ca"]) }
        #expect(try client.send(.get(plain.url("/"))).text() == "in the clear")
        let error = client.executeRequest(.get(server.url())).error
        expectUnsupported(error, saying: variable, "/nowhere/ca", "No such file")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `empty variables in the environment count as unset`() throws {
        let server = try NginxServer(.good)
        let client = try CurlTransport.forTests {
            $0.tls = TLSConfiguration(environment: ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""])
        }
        expectTLSFailure(client.executeRequest(.get(server.url())), .untrusted, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a file without certificates is a bad configuration and nothing is sent`() throws {
        let server = try NginxServer(.good)
        let directory = try ScratchDirectory()
        let path = try directory.write("no certificate", to: "ca.pem")
        let client = try CurlTransport.forTests { $0.tls.authorities = .file(path) }
        expectTLSFailure(
            client.executeRequest(.get(server.url())), .badConfiguration, saying: "localhost:\(server.port)", path)
        #expect(server.origin.requestCount == 0)
    }

    @Test func `bytes without certificates are a bad configuration and nothing is sent`() throws {
        let server = try NginxServer(.good)
        let client = try CurlTransport.forTests { $0.tls.authorities = .bytes(Data("no certificate".utf8)) }
        expectTLSFailure(
            client.executeRequest(.get(server.url())), .badConfiguration, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 0)
    }
}
