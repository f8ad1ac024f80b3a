import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPPolicies
import Testing

/// https through a proxy: a tunnel, of which the proxy sees only the target.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct ConnectProxyTests {
    private func transport(
        _ proxy: ConnectProxy, user: String? = nil, _ change: (inout CurlConfiguration) throws -> Void = { _ in }
    ) throws -> CurlTransport {
        try CurlTransport.forTests {
            let password = user.map { "\($0)-pass" }
            $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port, user: user, password: password))
            try change(&$0)
        }
    }

    @Test func `the proxy sees the target of the tunnel and its own credentials, and nothing of the request`() throws {
        let (server, proxy) = (try NginxServer(.named), try ConnectProxy())
        let client = try transport(proxy, user: "user")
        let response = try client.send(
            .post(server.url("/secret", host: "a.example.test")) |> .bearer("t0p") |> .header("Cookie", "a=b")
                |> .header("X-Api-Key", "k") |> .text("body"))
        #expect(try response.text() == "hello")
        #expect(!response.headers.contains("X-Proxy"))
        let head = try #require(proxy.heads.first)
        #expect(proxy.heads.count == 1)
        #expect(head.hasPrefix("CONNECT a.example.test:\(server.port) HTTP/1.1\r\n"))
        let names = head.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
        #expect(Set(names).isSubset(of: ["host", "proxy-authorization", "proxy-connection", "user-agent"]))
        #expect(head.contains("Host: a.example.test:\(server.port)\r\n"))
        #expect(head.contains("Proxy-Authorization: Basic dXNlcjp1c2VyLXBhc3M=\r\n"))
        let request = try server.origin.takeRequest()
        #expect(request.target == "/secret")
        #expect(request.headers["Authorization"] == "Bearer t0p")
        #expect(request.headers["Cookie"] == "a=b")
        #expect(request.headers["X-Api-Key"] == "k")
        #expect(!request.headers.contains("Proxy-Authorization"))
    }

    @Test(arguments: [nil, "agent/1"])
    func `the proxy gets the user agent of the configuration, and the server that of the request`(
        agent: String?
    ) throws {
        let (server, proxy) = (try NginxServer(.named), try ConnectProxy())
        let client = try transport(proxy) { $0.userAgent = agent }
        _ = try client.send(.get(server.url("/", host: "a.example.test")) |> .header("User-Agent", "own/1"))
        let lines = proxy.heads.flatMap { $0.split(separator: "\r\n") }
        #expect(lines.filter { $0.lowercased().hasPrefix("user-agent:") } == agent.map { ["User-Agent: \($0)"] } ?? [])
        #expect(proxy.heads.count == 1)
        #expect(try server.origin.takeRequest().headers.values(for: "User-Agent") == ["own/1"])
    }

    @Test func `a second request uses the same tunnel`() throws {
        let (server, proxy) = (try NginxServer(.named), try ConnectProxy())
        let client = try transport(proxy)
        _ = try client.send(.get(server.url("/1", host: "a.example.test")))
        #expect(try client.send(.get(server.url("/2", host: "a.example.test"))).metrics.isConnectionReused)
        #expect(proxy.heads.count == 1)
        #expect(server.origin.requestCount == 2)
    }

    @Test func `HTTP/2 works through a tunnel`() throws {
        let (server, proxy) = (try NginxServer(.named, listening: .tlsWithHTTP2), try ConnectProxy())
        #expect(try transport(proxy).send(.get(server.url(host: "a.example.test"))).version == .http2)
        #expect(proxy.heads.count == 1)
    }

    @Test func `the server's certificate is checked through a tunnel`() throws {
        let (server, proxy) = (try NginxServer(.unknown), try ConnectProxy())
        let result = try transport(proxy).executeRequest(.get(server.url()))
        expectTLSFailure(
            result, .untrusted, saying: "localhost:\(server.port)", "add that one to TLSConfiguration.authorities")
        #expect(proxy.heads.count == 1)
        #expect(server.origin.requestCount == 0)
    }

    @Test func `the server's pin is checked through a tunnel`() throws {
        let (server, proxy) = (try NginxServer(.good), try ConnectProxy())
        let client = try transport(proxy) { $0.tls.pins = ["localhost": [try Identity.second.pin()]] }
        expectTLSFailure(client.executeRequest(.get(server.url())), .wrongPin, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 0)
    }

    @Test(arguments: ["407 Proxy Authentication Required", "403 Forbidden", "502 Bad Gateway"])
    func `a proxy that refuses the tunnel is named with its status`(status: String) throws {
        let proxy = try ConnectProxy(
            .say("HTTP/1.1 \(status)\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 2\r\n\r\nno"))
        let result = try transport(proxy).executeRequest(.post("https://api.example.test/") |> .text("x"))
        let failure = expectConnectionFailure(
            result, .proxy, saying: "the proxy 127.0.0.1:\(proxy.port)", "api.example.test",
            "check its address, its credentials and what it allows", String(status.prefix(3)))
        #expect(failure?.mayHaveBeenProcessed == false)
        #expect(failure?.record.proxy == "127.0.0.1:\(proxy.port)")
        #expect(failure?.record.phase == .connecting)
        #expect(failure?.proxyStatus.map { "\($0.rawValue)" } == String(status.prefix(3)))
        #expect(proxy.heads.count == 1)
    }

    @Test(arguments: [
        ("403 Forbidden", 1), ("407 Proxy Authentication Required", 1), ("500 Internal Server Error", 1),
        ("502 Bad Gateway", 3), ("503 Service Unavailable", 3), ("504 Gateway Timeout", 3),
    ])
    func `a tunnel that the proxy cannot open now is asked for again, even for a POST`(
        status: String, attempts: Int
    ) throws {
        let proxy = try ConnectProxy(.say("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n"))
        let client = try transport(proxy)
            .intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .milliseconds(1)))))
        let result = client.executeRequest(.post("https://api.example.test/") |> .text("x"))
        expectConnectionFailure(result, .proxy, saying: "api.example.test")
        #expect(proxy.heads.count == attempts)
        #expect(proxy.heads.allSatisfy { $0.hasPrefix("CONNECT api.example.test:443 ") })
    }

    @Test(arguments: ["", "SSH-2.0-OpenSSH_9.2\r\n"])
    func `a proxy that closes or uses another protocol is named`(answer: String) throws {
        let proxy = try ConnectProxy(.say(answer))
        let result = try transport(proxy).executeRequest(.get("https://api.example.test/"))
        expectConnectionFailure(result, .proxy, saying: "the proxy 127.0.0.1:\(proxy.port)", "api.example.test")
    }
}
