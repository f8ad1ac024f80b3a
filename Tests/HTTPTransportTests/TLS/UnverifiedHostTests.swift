import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The scope of an unverified host: its whole certificate, and no other host.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct UnverifiedHostTests {
    private func transport(
        _ kind: Proxy.Kind, through port: Int, _ change: (inout CurlConfiguration) throws -> Void
    ) throws -> CurlTransport {
        try CurlTransport.forTests {
            $0.proxy = .proxy(Proxy(kind, host: "localhost", port: port))
            try change(&$0)
        }
    }

    @Test func `an unverified host may have a certificate for another name`() throws {
        let server = try NginxServer(.other)
        let client = try CurlTransport.forTests { $0.tls.unverifiedHosts = ["localhost"] }
        #expect(try client.send(.get(server.url("/bench"))).status == .ok)
        #expect(try server.origin.takeRequest().target == "/bench")
        expectTLSFailure(
            client.executeRequest(.get(server.url(host: "127.0.0.1"))), .wrongHost, saying: "127.0.0.1:\(server.port)")
        #expect(server.origin.requestCount == 1)
    }

    @Test func `an unverified proxy may have a certificate for another name`() throws {
        let proxy = try NginxServer(.other)
        let client = try transport(.https, through: proxy.port) { $0.tls.unverifiedHosts = ["localhost"] }
        #expect(try client.send(.get("http://api.example.test/a")).text() == "hello")
        #expect(try proxy.origin.takeRequest().target == "/a")
    }

    @Test func `behind an unverified proxy the server is still verified`() throws {
        let proxy = try ConnectProxy()
        let (good, bad) = (try NginxServer(.named), try NginxServer(.selfSigned))
        let client = try transport(.http, through: proxy.port) { $0.tls.unverifiedHosts = ["localhost"] }
        #expect(try client.send(.get(good.url("/through", host: "a.example.test"))).status == .ok)
        #expect(try good.origin.takeRequest().target == "/through")
        let failure = expectTLSFailure(
            client.executeRequest(.get(bad.url("/secret", host: "a.example.test")) |> .bearer("t0p")), .untrusted,
            saying: "a.example.test:\(bad.port)")
        #expect(failure?.isProxy == false)
        #expect(bad.origin.requestCount == 0)
        #expect(proxy.heads.count == 2)
    }
}
