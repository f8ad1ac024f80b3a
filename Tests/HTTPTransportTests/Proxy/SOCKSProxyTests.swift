import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Exchanges through a SOCKS proxy, which sees no HTTP.
@Suite(.timeLimit(.minutes(5))) struct SOCKSProxyTests {
    @Test func `socks5h leaves the name to the proxy`() throws {
        let (server, proxy) = (try MockServer { _ in .text("hello") }, try SOCKSProxy())
        let client = try CurlTransport.plain {
            $0.proxy = .proxy(Proxy(.socks5h, host: "127.0.0.1", port: proxy.port))
        }
        #expect(try client.send(.get("http://api.invalid:\(server.port)/a")).text() == "hello")
        #expect(proxy.targets == ["api.invalid:\(server.port)"])
        let request = try server.takeRequest()
        #expect(request.target == "/a")
        #expect(request.headers["Host"] == "api.invalid:\(server.port)")
    }

    @Test func `socks5 gives the proxy an address`() throws {
        let (server, proxy) = (try MockServer { _ in .text("hello") }, try SOCKSProxy())
        let client = try CurlTransport.plain {
            $0.proxy = .proxy(Proxy(.socks5, host: "127.0.0.1", port: proxy.port))
            $0.addressOverrides = ["api.example.test": ["127.0.0.1"]]
        }
        #expect(try client.send(.get("http://api.example.test:\(server.port)/a")).text() == "hello")
        #expect(proxy.targets == ["127.0.0.1:\(server.port)"])
        #expect(try server.takeRequest().target == "/a")
    }

    @Test(arguments: [Proxy.Kind.socks4, .socks5])
    func `a name without an address is not the fault of a proxy that gets addresses`(kind: Proxy.Kind) throws {
        let proxy = try SOCKSProxy()
        let client = try CurlTransport.plain { $0.proxy = .proxy(Proxy(kind, host: "127.0.0.1", port: proxy.port)) }
        guard let failure = expectResolutionFailure(client.executeRequest(.get("http://api.invalid/"))) else { return }
        #expect(failure.host == "api.invalid" && !failure.isProxy && failure.record.phase == .resolving)
        #expect(failure.description.contains("the host \"api.invalid\" has no address"))
        #expect(proxy.targets.isEmpty)
    }

    @Test(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"))
    func `TLS is checked through a SOCKS proxy`() throws {
        let (good, bad, proxy) = (try NginxServer(.named), try NginxServer(.good), try SOCKSProxy())
        let client = try CurlTransport.forTests {
            $0.proxy = .proxy(Proxy(.socks5h, host: "127.0.0.1", port: proxy.port))
        }
        #expect(try client.send(.get(good.url(host: "a.example.test"))).status == .ok)
        expectTLSFailure(
            client.executeRequest(.get(bad.url(host: "a.example.test"))), .wrongHost,
            saying: "a.example.test:\(bad.port)")
        #expect(good.origin.requestCount == 1)
        #expect(bad.origin.requestCount == 0)
    }

    @Test func `a SOCKS proxy that refuses is named`() throws {
        let proxy = try SOCKSProxy(refusing: 2)
        let client = try CurlTransport.plain {
            $0.proxy = .proxy(Proxy(.socks5h, host: "127.0.0.1", port: proxy.port))
        }
        let failure = expectConnectionFailure(
            client.executeRequest(.post("http://api.invalid/") |> .text("x")), .proxy,
            saying: "the proxy 127.0.0.1:\(proxy.port)",
            "api.invalid")
        #expect(failure?.mayHaveBeenProcessed == false)
        #expect(proxy.targets == ["api.invalid:80"])
    }
}
