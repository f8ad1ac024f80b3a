import Dispatch
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Assertions about received requests.
@Suite(.timeLimit(.minutes(5))) struct MockServerExpectationTests {
    private typealias Pattern = MockServer.Pattern

    /// A server that received two requests.
    private func askedServer() throws -> MockServer {
        let server = try MockServer { _ in .status(.noContent) }
        let client = try CurlTransport.trusting(server)
        _ = try client.send(.get(server.url("/users/7?page=2&q=a%20b")) |> .header("X-Mark", "1"))
        _ = try client.send(.post(server.url("/users")) |> .text(#"{"name": "Ada", "age": 36}"#))
        return server
    }

    @Test func `expected requests are returned`() throws {
        let server = try askedServer()
        let found = try server.expect(Pattern(.get, "/users/{id}?page=2", .query("q", "a b"), .header("x-mark", "1")))
        #expect(found.map(\.path) == ["/users/7"])
        try server.expect(.post, "/users", .json(text: #"{"age":36,"name":"Ada"}"#), .noHeader("X-Mark"))
        try server.expect(
            .post, "/users", .json(containing: ["name": "Ada"]), .noQuery("page"), .text(containing: "36"))
        try server.expect(Pattern(nil, "/users/**"), count: .between(2...3))
        try server.expect(Pattern(), count: 2)
        try server.expect(.delete, "/users", count: 0)
        try server.expect(Pattern().matching("has a body") { $0.bodyByteCount > 0 })
        #expect(server.requests.matching(.get, "/users/*").count == 1)
        #expect(server.requests.matching(.post, "/users", .text("other")).isEmpty)
    }

    @Test func `a handler reads the named parts of its path, the query, forms and JSON`() throws {
        let server = try MockServer()
            .on(.get, "/users/{id}/files/{name}.txt") { request in
                .text(
                    "\(request["id"]) \(request["name"]) \(request["none"]) \(request.query("q") ?? "-") \(request.query("no") ?? "-")"
                )
            }
            .on(.post, "/form") { request in
                .text(request.formItems.map { "\($0.name)=\($0.value ?? "-")" }.joined(separator: " "))
            }
            .on(.post, "/json") { request in .json((try? request.decoded(as: [Int].self))?.reversed() ?? []) }
        let client = try CurlTransport.trusting(server)
        let url = server.url("/users/a%2Fb/files/c.txt?q=x+y&q=z")
        #expect(try client.send(.get(url)).text() == "a/b c  x y -")
        #expect(try client.send(.post(server.url("/form")) |> .form(["a": "1 2", "b": "&"])).text() == "a=1 2 b=&")
        #expect(try client.send(.post(server.url("/json")) |> .json([1, 2])).text() == "[2,1]")
        #expect(server.requests.map(\.target) == ["/users/a%2Fb/files/c.txt?q=x+y&q=z", "/form", "/json"])
    }

    @Test func `missing requests are reported with the nearest ones and their differences`() throws {
        let server = try askedServer()
        let pattern = Pattern(.get, "/users/7", .query("page", "3"), .header("Accept-Language", "en"))
        let failure = try #require(throws: ExpectationFailure.self) { try server.expect(pattern) }
        let lines = "\(failure)".split(separator: "\n").map(String.init)
        #expect(
            lines.first
                == #"expected exactly 1 of GET /users/7 with query page="3", header Accept-Language: en,"#
                + " but 0 of 2 received requests match")
        #expect(lines[1].hasPrefix("  near: GET /users/7?page=2&q=a%20b HTTP/1.1"))
        #expect(lines[2] == #"    query page="3": it is "2""#)
        #expect(lines[3] == "    header Accept-Language: en: it is missing")
        #expect(lines[4].hasPrefix("  near: POST /users HTTP/1.1"))
        #expect(lines[5] == "    method GET: it is POST")
        #expect(lines[6] == "    path /users/7: it is /users")
        let second = try #require(throws: ExpectationFailure.self) {
            try server.expect(.post, "/users", .text("else"))
        }
        let near = "\(second)".split(separator: "\n").filter { $0.hasPrefix("  near: ") }
        #expect(near.map { $0.contains("POST /users") } == [true, false])
    }

    @Test func `what a client sent is reported without characters that a terminal acts on`() throws {
        let server = try MockServer()
        _ = try CurlTransport().send(.get(server.url("/a")) |> .header("Accept-Language", "1\u{202E}2\u{9B}"))
        let failure = try #require(throws: ExpectationFailure.self) {
            try server.expect(.get, "/a", .header("Accept-Language", "2"))
        }
        #expect(server.requests.first?.headers["Accept-Language"] == "1\u{202E}2\u{9B}")
        #expect(failure.description.contains(#"Accept-Language: 2: it is 1\u{202E}2\u{009B}"#))
    }

    @Test func `secrets are not reported, expected or received`() throws {
        let server = try MockServer { _ in .status(.noContent) }
        _ = try CurlTransport().send(
            .post(server.url("/a;jsessionid=PATH?token=QUERY&page=2&next=https%3A%2F%2Fh%2F%3Ftoken%3DNEXT"))
                |> .header("Authorization", "Bearer FIELD") |> .header("Cookie", "a=JAR") |> .header("DPoP", "PROOF")
                |> .header("Referer", "https://h/?token=REFERER")
                |> .json(["password": "BODY", "name": "Ada", "at": "https://user:USERINFO@h/"]))
        let patterns = [
            Pattern(
                .post, "/a?token=OTHER&page=3&next=x", .header("Authorization", "Bearer OTHER"), .noHeader("Cookie"),
                .header("DPoP", "OTHER"), .header("Referer", "https://h/?token=OTHER")),
            Pattern(
                .post, nil, .json(["password": "OTHER", "name": "Eve", "at": "x"]), .text(#"{"password":"OTHER"}"#)),
            Pattern(.post, nil, .text(#"{"\u0070assword":"OTHER"}"#)),
        ]
        let secrets = [
            "PATH", "QUERY", "NEXT", "FIELD", "JAR", "PROOF", "REFERER", "BODY", "USERINFO", "OTHER",
        ]
        for pattern in patterns {
            let failure = try #require(throws: ExpectationFailure.self) { try server.expect(pattern) }
            #expect(secrets.filter(failure.description.contains).isEmpty, "\(failure)")
            #expect(failure.description.contains("<redacted>"))
        }
        let failure = try #require(throws: ExpectationFailure.self) { try server.expect(patterns[0]) }
        #expect(failure.description.contains(#"query page="3": it is "2""#))
    }

    @Test func `verify reports no secret of a broken request, and nothing that a terminal acts on`() throws {
        let server = try MockServer()
        server.enqueue(.text("x").failing(.refusedStream))
        for request in [
            "GET /a?access_token=QUERY HTTP/1.1\r\nHost: t", "GET a?token=QUERY HTTP/1.1\r\nHost: t",
            "GET / HTTP/1.1\r\nAuthorization Bearer FIELD", "GET / HTTP/1.1\r\nCookie a=JAR: b",
            "GET / HTTP/1.1\u{1B}[2J",
        ] {
            let client = try RawClient(server)
            client.send(request + "\r\n\r\n")
            #expect(client.readResponse().hasPrefix("HTTP/1.1 "))
        }
        let failure = try #require(throws: ExpectationFailure.self) { try server.verify() }
        #expect(["QUERY", "FIELD", "JAR", "\u{1B}"].filter(failure.description.contains).isEmpty, "\(failure)")
        let lines = failure.description.split(separator: "\n")
        #expect(lines.first?.hasPrefix("the answer to GET /a?access_token=<redacted>: HTTP/1.1 has no") == true)
        #expect(lines.count == 5 && lines.last?.contains(#"version HTTP/1.1\u{"#) == true)
        #expect(failure.description.contains("field line without a colon: Authorization\n"))
    }

    @Test func `surplus requests are listed`() throws {
        let server = try askedServer()
        let failure = try #require(throws: ExpectationFailure.self) { try server.expect(Pattern(), count: .atMost(1)) }
        #expect(failure.description.hasPrefix("expected at most 1 of any method any path, but 2 of 2 received"))
        #expect(failure.description.contains("  match: POST /users HTTP/1.1"))
    }

    @Test func `a body or JSON that differs is shown`() throws {
        let server = try askedServer()
        let text = try #require(throws: ExpectationFailure.self) { try server.expect(.post, "/users", .text("else")) }
        #expect(text.description.contains(#"body text "else": it is "{\"name\": \"Ada\", \"age\": 36}""#), "\(text)")
        let json = try #require(throws: ExpectationFailure.self) {
            try server.expect(.post, "/users", .json(text: #"{"name": "Eve"}"#))
        }
        #expect(
            json.description.contains(#"body JSON {name}: $.name is "Ada", not "Eve"; $.age is not expected"#),
            "\(json)")
    }

    @Test func `literals of several types are answered and expected`() throws {
        let (name, age) = ("Ada", 36)
        let server = try MockServer { _ in .json(["name": name, "age": age, "n": nil], status: .created) }
        let response = try CurlTransport.trusting(server).send(
            .post(server.url("/users")) |> .json(["name": name, "age": age, "in": ["n": 1, "s": "x"]]))
        #expect(try response.status == .created && response.json() == ["name": "Ada", "age": 36, "n": nil])
        try server.expect(.post, "/users", .json(["age": age, "name": name, "in": ["s": "x", "n": 1]]))
        let dates = [Date(timeIntervalSince1970: 0.5)]
        let clock = try MockServer { _ in .json(dates) }
        #expect(try CurlTransport().send(.post(clock.url) |> .json(dates)).text() == #"["1970-01-01T00:00:00.500Z"]"#)
        try clock.expect(.post, "/", .json(dates), .text(#"["1970-01-01T00:00:00.500Z"]"#))
        let failure = try #require(throws: ExpectationFailure.self) {
            try server.expect(.post, "/users", .json(["age": age, "name": "Eve"]))
        }
        #expect(failure.description.contains("body JSON {age, name}"))
        let broken = try #require(throws: ExpectationFailure.self) {
            try server.expect(.post, "/users", .json(["age": Double.nan, "name": "Eve"]))
        }
        #expect(broken.description.contains("can match nothing: its JSON cannot be made"))
    }

    @Test func `texts are compared by their octets, as a server does`() throws {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        let server = try MockServer { _ in .status(.noContent) }
        _ = try CurlTransport().send(.post(server.url) |> .query("q", one) |> .query(one, 1) |> .json(["name": one]))
        try server.expect(.post, "/", .query("q", one), .query(one, "1"), .json(["name": one]))
        for other: RequestMatcher in [
            .query("q", other), .query(other, "1"), .json(["name": other]), .json([other: one]),
        ] {
            try server.expect(.post, "/", other, count: 0)
        }
    }

    @Test func `a late request is awaited`() throws {
        let server = try MockServer { _ in .status(.noContent) }
        let client = try CurlTransport.trusting(server)
        let url = server.url("/late")
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { _ = client.executeRequest(.get(url)) }
        #expect(try server.expect(Pattern(.get, "/late"), within: .seconds(20)).count == 1)
    }

    @Test func `asynchronous code awaits them, up to its limit`() async throws {
        let server = try MockServer { _ in .status(.noContent) }
        async let late = server.expect(Pattern(.get, "/late"), count: 2, within: .seconds(20))
        let client = try RawClient(server)
        for path in ["/late", "/other", "/late"] {
            client.get(path)
            _ = client.readResponse()
        }
        #expect(try await late.map(\.path) == ["/late", "/late"])
        await #expect(throws: ExpectationFailure.self) {
            try await server.expect(Pattern(.get, "/never"), within: .milliseconds(30))
        }
    }

    @Test func `waiting has a limit`() throws {
        let server = try MockServer()
        let start = ContinuousClock.now
        let failure = try #require(throws: ExpectationFailure.self) {
            try server.expect(Pattern(.get, "/never"), within: .milliseconds(30))
        }
        #expect(ContinuousClock.now - start >= .milliseconds(30))
        #expect(
            failure.description
                == "expected exactly 1 of GET /never within 0.03 seconds, but 0 of 0 received requests match")
        server.stop()
        #expect(throws: ExpectationFailure.self) { try server.expect(Pattern(.get, "/never"), within: .seconds(600)) }
    }

    @Test func `a server that keeps no requests says so`() throws {
        let server = try MockServer(recording: .none)
        let failure = #expect(throws: ExpectationFailure.self) { try server.expect(.get, "/", count: 0) }
        #expect(failure?.description.contains("recording: .none") == true)
    }

    @Test func `what can match nothing is reported, also where none is expected`() throws {
        let server = try MockServer { _ in .status(.noContent) }
        let client = try CurlTransport.trusting(server)
        _ = try client.send(.post(server.url("/files/7.json")) |> .text("{}"))
        for (pattern, words) in [
            (Pattern(nil, nil, .json(text: "{bad")), "its JSON cannot be read"),
            (Pattern(nil, nil, .matching("any") { _ in true }), "use Pattern.matching"),
            (Pattern(.post, "/files/{id"), "a { without a }"),
            (Pattern(.post, "/a%2"), "starts no escape"),
        ] {
            for count in [0, .atMost(1), 1] as [MockServer.Count] {
                let failure = #expect(throws: ExpectationFailure.self) { try server.expect(pattern, count: count) }
                #expect(failure?.description.contains(words) == true, "\(String(describing: failure))")
            }
        }
        #expect(server.requests.count == 1)
        server.on(Pattern(.post, "/files/{id")) { _ in .text("never") }
        let failure = #expect(throws: ExpectationFailure.self) { try server.verify() }
        #expect(
            failure?.description == "the route POST /files/{id can match nothing: its path has a { without a }")
    }

    @Test func `routes answer by pattern, the first match, after the queue and before the handler`() throws {
        let server = try MockServer { _ in .text("handler") }
        server.on(.get, "/a/*", answer: .text("first"))
        server.on(Pattern(.get, "/a/**")) { .text("second \($0.path)") }
        server.enqueue(.text("queued"))
        let client = try CurlTransport.trusting(server)
        let answers = try ["/a/1", "/a/1", "/a/1/2", "/b"].map { try client.send(.get(server.url($0))).text() }
        #expect(answers == ["queued", "first", "second /a/1/2", "handler"])
        try server.verify()
    }

    @Test func `a handler is a value, too`() throws {
        let server = try MockServer()
        let echo: MockServer.Handler = { request in .text(request.path) }
        server.on(.get, "/a", echo).on(.get, "/b", expecting: 1, echo)
        server.on(.get, "/c", .header("X"), expecting: 0) { _ in .text("never") }
        let client = try CurlTransport.trusting(server)
        #expect(try ["/a", "/b"].map { try client.send(.get(server.url($0))).text() } == ["/a", "/b"])
        try server.verify()
    }

    @Test func `paths have the wildcards of a stub`() throws {
        let server = try MockServer { _ in .status(.noContent) }
        server.on(.get, "/files/{name}.json", answer: .text("json")).on(.get, "/files/**/raw", answer: .text("raw"))
        let client = try CurlTransport.trusting(server)
        let answers = try ["/files/7.json", "/files/a/b/raw", "/files/raw"].map {
            try client.send(.get(server.url($0))).text()
        }
        #expect(answers == ["json", "raw", "raw"])
        try server.expect(.get, "/files/*.json")
        try server.expect(.get, "files/**/raw", count: 2)
        try server.expect(.get, "/files/{name}.txt", count: 0)
    }

    @Test func `verify reports unused routes, unused queued answers and unscripted requests`() throws {
        let server = try MockServer()
        server.on(.get, "/once", expecting: 1, answer: .text("once"))
        server.on(.get, "/never", expecting: 0, answer: .text("never"))
        let client = try CurlTransport.trusting(server)
        let failure = try #require(throws: ExpectationFailure.self) { try server.verify() }
        #expect(failure.description.hasPrefix("a route answered 0 requests: expected exactly 1 of GET /once"))
        _ = try client.send(.get(server.url("/once")))
        try server.verify()
        _ = client.executeRequest(.get(server.url("/unknown")))
        server.enqueue(.text("left"))
        let second = try #require(throws: ExpectationFailure.self) { try server.verify() }
        #expect(
            second.description
                == "1 queued responses were not asked for\nnothing was scripted for GET /unknown HTTP/1.1"
                + " (connection 1, request 1, 0 body bytes)")
    }
}
