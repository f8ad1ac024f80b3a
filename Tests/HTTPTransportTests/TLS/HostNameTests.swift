import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Whether a certificate matches the requested host, and is currently valid.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct HostNameTests {
    @Test func `an expired certificate is refused and nothing is sent`() throws {
        let server = try NginxServer(.expired)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()))
        expectTLSFailure(result, .expired, saying: "localhost:\(server.port)", "its owner must renew it")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a certificate that is not valid yet is refused and nothing is sent`() throws {
        let server = try NginxServer(.notYetValid)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()))
        expectTLSFailure(result, .notYetValid, saying: "localhost:\(server.port)", "check the clock")
        #expect(server.origin.requestCount == 0)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `a certificate for another host is refused and nothing is sent`(host: String) throws {
        let server = try NginxServer(.other)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url(host: host)))
        expectTLSFailure(result, .wrongHost, saying: "\(host):\(server.port)", "check the host in the URL")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a common name does not replace a subject alternative name`() throws {
        let server = try NginxServer(.commonNameOnly)
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()))
        expectTLSFailure(result, .wrongHost, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a certificate is checked for the name of the URL, not for the overriding address`() throws {
        let server = try NginxServer(.named)
        let client = try CurlTransport.forTests {
            $0.addressOverrides = ["a.example.test": ["127.0.0.1"], "c.example.test": ["127.0.0.1"]]
        }
        #expect(try client.send(.get(server.url(host: "a.example.test"))).status == .ok)
        #expect(try server.origin.takeRequest().headers["Host"] == "a.example.test:\(server.port)")
        expectTLSFailure(
            client.executeRequest(.get(server.url(host: "c.example.test"))), .wrongHost, saying: "c.example.test")
        #expect(server.origin.requestCount == 1)
    }

    @Test func `a trailing dot of the host changes nothing`() throws {
        let server = try NginxServer(.named)
        let client = try CurlTransport.forTests { $0.addressOverrides = ["a.example.test.": ["127.0.0.1"]] }
        #expect(try client.send(.get(server.url(host: "a.example.test."))).status == .ok)
    }

    @Test func `an unverified host is accepted with any certificate, and no other host is`() throws {
        let server = try NginxServer(.expired)
        let client = try CurlTransport.forTests { $0.tls.unverifiedHosts = ["localhost"] }
        #expect(try client.send(.get(server.url("/bench"))).status == .ok)
        #expect(try server.origin.takeRequest().target == "/bench")
        expectTLSFailure(client.executeRequest(.get(server.url(host: "127.0.0.1"))), .expired, saying: "127.0.0.1")
        #expect(server.origin.requestCount == 1)
    }

    @Test func `an unverified host is named in any case`() throws {
        let server = try NginxServer(.selfSigned)
        let client = try CurlTransport.forTests { $0.tls.unverifiedHosts = ["LocalHost"] }
        #expect(try client.send(.get(server.url())).status == .ok)
    }

    @Test func `a redirect from an unverified host to a verified one is checked`() throws {
        let bench = try NginxServer(.selfSigned)
        let target = try NginxServer(.selfSigned)
        bench.origin.enqueue(.redirect(to: target.url("/next", host: "127.0.0.1")))
        let client = try CurlTransport.forTests { $0.tls.unverifiedHosts = ["localhost"] }
        let failure = expectTLSFailure(
            client.executeRequest(.get(bench.url())), .untrusted, saying: "127.0.0.1:\(target.port)")
        #expect(failure?.record.redirects.count == 1)
        #expect(target.origin.requestCount == 0)
    }
}
