import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Plain http through a proxy, which receives the request and forwards it.
@Suite(.timeLimit(.minutes(5))) struct ForwardProxyTests {
    private func transport(_ proxy: Proxy, excluding exclusions: [String] = []) throws -> CurlTransport {
        try CurlTransport.plain { $0.proxy = .proxy(proxy, excluding: exclusions) }
    }

    @Test func `the proxy gets the whole URL and the fields for the server`() throws {
        let proxy = try MockServer { _ in .text("forwarded") }
        let client = try transport(Proxy(host: "127.0.0.1", port: proxy.port))
        let response = try client.send(
            .post("http://api.example.test:8080/a?b=c") |> .bearer("t0p") |> .header("X-Mark", "1") |> .text("body"))
        #expect(try response.text() == "forwarded")
        let request = try proxy.takeRequest()
        #expect(request.target == "http://api.example.test:8080/a?b=c")
        #expect(request.headers["Host"] == "api.example.test:8080")
        #expect(request.headers["Authorization"] == "Bearer t0p")
        #expect(request.headers["X-Mark"] == "1")
        #expect(request.text == "body")
        #expect(!request.headers.contains("Proxy-Authorization"))
    }

    @Test func `the proxy's credentials go to the proxy`() throws {
        let proxy = try MockServer { _ in .text("forwarded") }
        let client = try transport(Proxy(host: "127.0.0.1", port: proxy.port, user: "user", password: "pass/wörd:"))
        #expect(try client.send(.get("http://api.example.test/") |> .basic(user: "me", password: "mine")).status == .ok)
        let request = try proxy.takeRequest()
        #expect(request.headers.values(for: "Proxy-Authorization") == ["Basic dXNlcjpwYXNzL3fDtnJkOg=="])
        #expect(request.headers.values(for: "Authorization") == ["Basic bWU6bWluZQ=="])
    }

    @Test func `a refusal by the proxy is an ordinary response`() throws {
        let proxy = try MockServer { _ in .text("who are you?", status: HTTPStatus(407)) }
        let client = try transport(Proxy(host: "127.0.0.1", port: proxy.port))
        #expect(try client.send(.get("http://api.example.test/")).status == HTTPStatus(407))
        #expect(proxy.requestCount == 1)
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.0/8", "*"])
    func `an excluded host is reached without the proxy`(exclusion: String) throws {
        let (proxy, server) = (try MockServer { _ in .text("no") }, try MockServer { _ in .text("direct") })
        let client = try transport(
            Proxy(host: "127.0.0.1", port: proxy.port, user: "u", password: "p"), excluding: [exclusion])
        #expect(try client.send(.get(server.url("/x"))).text() == "direct")
        let request = try server.takeRequest()
        #expect(request.target == "/x")
        #expect(!request.headers.contains("Proxy-Authorization"))
        #expect(proxy.connectionCount == 0)
    }

    @Test func `a redirect from a proxied host to an excluded one bypasses the proxy`() throws {
        let server = try MockServer { _ in .text("direct") }
        let proxy = try MockServer()
        proxy.enqueue(.redirect(to: server.url("/next")))
        let client = try transport(
            Proxy(host: "127.0.0.1", port: proxy.port, user: "u", password: "p"), excluding: ["127.0.0.1"])
        let response = try client.send(.get("http://api.example.test/start") |> .bearer("t0p"))
        #expect(try response.text() == "direct")
        #expect(response.redirects.map(\.location.string) == [server.url("/next")])
        #expect(try proxy.takeRequest().target == "http://api.example.test/start")
        let request = try server.takeRequest()
        #expect(request.target == "/next")
        #expect(!request.headers.contains("Proxy-Authorization"))
        #expect(!request.headers.contains("Authorization"))
    }

    @Test func `a redirect from an excluded host to a proxied one uses the proxy`() throws {
        let proxy = try MockServer { _ in .text("forwarded") }
        let server = try MockServer { _ in .redirect(to: "http://api.example.test/next") }
        let client = try transport(Proxy(host: "127.0.0.1", port: proxy.port), excluding: ["127.0.0.1"])
        #expect(try client.send(.get(server.url("/"))).text() == "forwarded")
        #expect(try proxy.takeRequest().target == "http://api.example.test/next")
    }

    @Test func `a second request uses the same connection to the proxy`() throws {
        let proxy = try MockServer { _ in .text("forwarded") }
        let client = try transport(Proxy(host: "127.0.0.1", port: proxy.port))
        _ = try client.send(.get("http://api.example.test/1"))
        #expect(try client.send(.get("http://api.example.test/2")).metrics.isConnectionReused)
        #expect(proxy.connectionCount == 1)
    }
}
