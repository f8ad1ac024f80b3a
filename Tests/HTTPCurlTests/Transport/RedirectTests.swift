import TestSupport
import HTTPCore
import HTTPCurl
import HTTPFoundation
import HTTPMockServer
import Testing

/// Redirects over the wire. `RedirectDecisionTests` covers statuses and headers.
@Suite struct RedirectTests {
    let client = CurlTransport()

    @Test func `another origin gets only fields that do not identify the caller`() throws {
        let other = try MockServer { _ in .text("other") }
        let server = try MockServer { _ in .redirect(to: other.url("/")) }
        let request =
            MutableRequest.get(server.url("/")) |> .bearer("secret") |> .header("Cookie", "a=b")
            |> .header("X-Api-Key", "k") |> .header("Origin", "https://me") |> .accept("text/plain")
            |> .header("X-Trace", "7")
            |> .redirects(RedirectPolicy(crossOriginHeaders: ["x-trace"]))
        _ = try client.send(request)
        let names = try #require(other.requests.first).headers.map(\.name)
        #expect(names == ["Host", "User-Agent", "Accept-Encoding", "Accept", "X-Trace"])
        #expect(try #require(server.requests.first).headers["Authorization"] == "Bearer secret")
    }

    @Test func `a redirect to where nothing listens says that the request before it may have taken effect`() throws {
        let port = try MockServer.unusedPort()
        let server = try MockServer { _ in .redirect(to: "http://127.0.0.1:\(port)/", status: .seeOther) }
        for (draft, isWarned) in [
            (MutableRequest.post(server.url("/")) |> .text("x"), true), (.get(server.url), false),
        ] {
            let error = try #require(client.executeRequest(draft).failure)
            guard case .connection(let failure) = error else { throw error }
            #expect(failure.reason == .refused && failure.mayHaveBeenProcessed)
            let warning = "; a request of this call may have taken effect: check before sending it again"
            #expect("\(error)".hasSuffix(warning) == isWarned, "\(error)")
        }
    }

    @Test func `a redirect with an endless body is abandoned, not read to its end`() throws {
        let server = try MockServer { request in
            request.path == "/end"
                ? .text("ok")
                : MockResponse(
                    status: .found, headers: ["Location": "/end"], body: Array(repeating: 0x61, count: 10_000_000))
        }
        let response = try client.send(.get(server.url("/")))
        #expect(try response.text() == "ok")
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test(arguments: [(1 << 10, [1, 1]), ((64 << 10) + 1, [1, 2]), (200_000, [1, 2])])
    func `a redirect's body of unknown length is read up to 64 KiB, and a longer one costs its connection`(
        size: Int, connections: [Int]
    ) throws {
        let server = try MockServer { request in
            request.path == "/end"
                ? .text("ok")
                : MockResponse(
                    status: .found, headers: ["Location": "/end"], body: Array(repeating: 0x61, count: size),
                    framing: .chunked())
        }
        #expect(try client.send(.get(server.url("/"))).text() == "ok")
        #expect(server.requests.map(\.connection) == connections)
    }

    @Test func `a cycle, too many redirects and an invalid Location are redirect failures that name the URL`() throws {
        let server = try MockServer { request in
            switch request.path {
            case "/circle": .redirect(to: "/circle2")
            case "/circle2": .redirect(to: "/circle")
            case "/ftp": .redirect(to: "ftp://example.com/")
            default: .redirect(to: request.path + "x")
            }
        }
        let cases: [(String, RedirectFailure.Reason, String)] = [
            (
                "/circle", .cycle(visits: 3),
                "(302 to \(server.url("/circle"))) leads back to where the call has been 3 times"
            ),
            ("/x", .tooMany(limit: 10), "redirect 11 (302 to \(server.url("/xxxxxxxxxxxx"))) is one more than allowed"),
        ]
        for (path, reason, sentence) in cases {
            let error = try #require(client.executeRequest(.get(server.url(path))).failure)
            guard case .redirect(let failure) = error else { throw error }
            #expect(failure.reason == reason)
            #expect("\(error)".contains(sentence))
        }
        let error = try #require(client.executeRequest(.get(server.url("/ftp"))).failure)
        #expect("\(error)".contains("and has the scheme \"ftp\""))
    }

    @Test func `a refused redirect can be followed by hand, and is printed without secrets`() throws {
        let server = try MockServer()
        server.on(.get, "/a", answer: .redirect(to: "//me:s3cret@\(server.url("/b?token=s3cret").dropFirst(7))"))
        server.on(.get, "/c", answer: .redirect(to: "/b?token=s3cret"))
        server.on(.get, "/b", answer: .text("ok"))
        for path in ["/a", "/c"] {
            let result = client.executeRequest(.get(server.url(path)) |> .redirects { _ in .refuse("robots.txt") })
            guard case .redirect(let failure) = result.failure, let location = failure.location else {
                return unexpected(result)
            }
            #expect(!"\(failure) \(location)".contains("s3cret") && location.userinfo == nil)
            var dumped = ""
            dump(failure, to: &dumped)
            #expect(!dumped.contains("s3cret"))
            #expect(try client.get(location).status == .ok)
        }
        #expect(server.requests.map(\.target) == ["/a", "/b?token=s3cret", "/c", "/b?token=s3cret"])
    }
}
