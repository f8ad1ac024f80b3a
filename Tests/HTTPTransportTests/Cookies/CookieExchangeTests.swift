import HTTPPolicies
import TestSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Cookies over real connections: received by servers and sent back.
@Suite(.timeLimit(.minutes(5))) struct CookieExchangeTests {
    private let client: CurlTransport
    private let jar = CookieJar()

    init() throws {
        client = try CurlTransport.plain { configuration in
            let names = ["a.example.com", "b.example.com", "example.com", "other.net"]
            configuration.addressOverrides = Dictionary(uniqueKeysWithValues: names.map { ($0, ["127.0.0.1"]) })
        }
    }

    private func cookieFields(_ server: MockServer) -> [[String]] {
        server.requests.map { $0.headers.values(for: "Cookie") }
    }

    @Test func `a kept connection does not keep the cookies of the request before`() throws {
        let server = try MockServer { _ in .text("ok") }
        let one = CookieJar()
        one.store(["a=1"], from: try HTTPURL(server.url("/")))
        for jar in [one, CookieJar(), one] { _ = try client.send(.get(server.url("/")) |> .cookies(jar)) }
        #expect(cookieFields(server) == [["a=1"], [], ["a=1"]])
        #expect(server.connectionCount == 1)
    }

    @Test func `another origin gets only its own cookies, not the caller's or another host's`() throws {
        let server = try MockServer { request in
            request.headers["Host"]?.hasPrefix("a.") == true
                ? .redirect(to: "http://other.net:\(request.path.dropFirst())/")
                    .header("Set-Cookie", "evil=1; Domain=other.net").header("Set-Cookie", "a=1; Domain=example.com")
                : .text("there")
        }
        jar.store(["own=other"], from: try HTTPURL("http://other.net/"))
        let draft = MutableRequest.get("http://a.example.com:\(server.port)/\(server.port)") |> .cookies(jar)
        _ = try client.send(draft |> .header("Cookie", "caller=1"))
        #expect(cookieFields(server) == [["caller=1"], ["own=other"]])
        #expect(jar.cookies.map(\.name) == ["own", "a"])
    }

    @Test func `a Domain covers a sibling, a host's own cookie does not, a public suffix is refused`() throws {
        let server = try MockServer { _ in .text("ok") }
        server.enqueue(
            .text("ok").header("Set-Cookie", "own=1").header("Set-Cookie", "wide=1; Domain=example.com")
                .header("Set-Cookie", "far=1; Domain=.com"))
        for host in ["a.example.com", "b.example.com", "example.com", "other.net", "a.example.com"] {
            _ = try client.send(.get("http://\(host):\(server.port)/") |> .cookies(jar))
        }
        #expect(cookieFields(server) == [[], ["wide=1"], ["wide=1"], [], ["own=1; wide=1"]])
    }

    @Test func `cookies of an error response count, and those of a redirect that is not followed`() throws {
        let server = try MockServer { request in
            request.path == "/404"
                ? .text("no", status: .notFound).header("Set-Cookie", "e=1")
                : .redirect(to: "/elsewhere").header("Set-Cookie", "r=1")
        }
        _ = try client.send(.get(server.url("/404")) |> .cookies(jar))
        _ = try client.send(.get(server.url("/302")) |> .cookies(jar) |> .redirects(.never))
        #expect(server.requests.map(\.target) == ["/404", "/302"])
        #expect(jar.cookies.map(\.name) == ["e", "r"])
    }

    @Test func `a response whose body fails has set its cookies`() throws {
        let server = try MockServer { request in
            let name = request.path.dropFirst()
            let answer = MockResponse.text("too long a body").header("Set-Cookie", "n=\(name); Path=/")
            return switch request.path {
            case "/cut": answer.failing(.close(.midBody(after: 3)))
            case "/stalled": answer.failing(.stall(.midBody(after: 3)))
            default: answer
            }
        }
        let steps: [(String, RequestStep)] = [
            ("/cut", .none), ("/long", .bodyLimit(3)), ("/stalled", .timeout(.seconds(2))),
            ("/refused", .destination(.stream { _ in throw CancellationError() })),
        ]
        for (path, step) in steps {
            switch (path, client.executeRequest(.get(server.url(path)) |> .cookies(jar) |> step).error) {
            case ("/cut", .truncatedBody), ("/long", .limitExceeded), ("/stalled", .timedOut), ("/refused", .body):
                break
            case (_, let error): unexpected("\(path): \(error as Any)")
            }
        }
        _ = try client.send(.get(server.url("/")) |> .cookies(jar))
        #expect(cookieFields(server) == [[], ["n=cut"], ["n=long"], ["n=stalled"], ["n=refused"]])
    }

    @Test func `a stream has set its cookies before it is read`() throws {
        let server = try MockServer { _ in .text("a\nb\n").header("Set-Cookie", "sid=1; Path=/").framed(.chunked()) }
        let jar = jar
        let names = Notes<[String]>()
        let stream = BodyDestination.stream { _ in
            names.note(jar.cookies.map(\.name))
            return BodySink { _ in }
        }
        _ = try client.send(.get(server.url("/")) |> .cookies(jar) |> .destination(stream))
        #expect(names.all == [["sid"]])
    }

    @Test(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"))
    func `a Secure cookie is sent only over https`() throws {
        let plain = try MockServer { _ in .text("plain").header("Set-Cookie", "s=evil").header("Set-Cookie", "p=1") }
        let origin = try MockServer { _ in .text("ok").header("Set-Cookie", "s=1; Secure") }
        let server = try NginxServer(.good, origin: origin)
        let client = try CurlTransport.forTests()
        let urls = [server.url("/", host: "127.0.0.1"), plain.url("/"), server.url("/", host: "127.0.0.1")]
        for url in urls { _ = try client.send(.get(url) |> .cookies(jar)) }
        #expect(cookieFields(origin) == [[], ["s=1; p=1"]])
        #expect(cookieFields(plain) == [[]])
    }
}
