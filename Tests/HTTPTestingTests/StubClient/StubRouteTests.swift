import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// Which requests a route answers, and what its closure receives.
@Suite struct StubRouteTests {
    private static let base = "https://api.example.com"

    @Test func `a problem is an answer with its type and status`() throws {
        let problem = Problem(
            type: "https://example.com/out-of-credit", title: "No credit", status: .forbidden, detail: "Balance 30",
            instance: "/account/7", extensions: ["balance": 30, "title": "not this one"])
        let stub = StubClient(strict: true)
            .on(.get, "/account", answer: StubAnswer.problem(problem).then(.problem(Problem())))
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.base + "/account").validated() }
        #expect(error.status == .forbidden && error.problem?.title == "No credit")
        var sent = problem
        sent.extensions = ["balance": 30]
        #expect(error.problem == sent)
        let bare = try stub.get(Self.base + "/account")
        #expect(bare.status == .internalServerError && bare.problem == Problem() && stub.requestCount == 2)
    }

    @Test(
        arguments: [
            ("/users/{id}", "/users/7", ["id": "7"]), ("/users/{id}", "/users/7/posts", nil),
            ("/users/{id}", "/users/", nil), ("/users", "/users/", nil), ("/", "/", [:]), ("users", "/users", [:]),
            ("/files/{name}.json", "/files/a.b.json", ["name": "a.b"]), ("/files/{name}.json", "/files/.json", nil),
            ("/{a}-{b}", "/x-y-z", ["a": "x", "b": "y-z"]), ("/a/*/c", "/a/b/c", [:]), ("/a/*/c", "/a/b/b/c", nil),
            ("/a/*/c", "/a//c", nil),
            ("/a/**", "/a", [:]), ("/a/**", "/a/b/c", [:]), ("/a/**/z", "/a/b/c/z", [:]), ("**", "/x/y", [:]),
            ("/a/**/{id}", "/a/b/c", ["id": "c"]), ("/sea and sky", "/sea%20and%20sky", [:]),
            ("/notes/{title}", "/notes/a%2Fb%20c", ["title": "a/b c"]), ("/notes/{title}", "/notes/a/b", nil),
            ("/caf\u{E9}", "/caf%C3%A9", [:]), ("/caf\u{E9}", "/cafe%CC%81", nil),
        ] as [(String, String, [String: String]?)])
    func `a pattern matches paths`(pattern: String, path: String, captures: [String: String]?) throws {
        let stub = StubClient().on(.get, pattern, answer: .ok)
        let response = try stub.get(Self.base + path)
        #expect(response.status == (captures == nil ? .notFound : .ok))
        #expect(stub.requests.first?.pathParameters == captures ?? [:])
    }

    @Test(
        arguments: [
            ("https://api.example.com/a", "https://api.example.com/a", true),
            ("https://api.example.com/a", "http://api.example.com/a", false),
            ("https://API.example.com:443/a", "https://api.example.com/a", true),
            ("https://api.example.com/a", "https://api.example.com:8443/a", false),
            ("https://*.example.com/a", "https://api.example.com/a", true),
            ("https://*.example.com/a", "https://example.com/a", false),
            ("https://api.example.com", "https://api.example.com/", true),
            ("/a", "https://other.example/a", true),
        ])
    func `a pattern that is a URL matches one origin`(pattern: String, url: String, takes: Bool) throws {
        let stub = StubClient().on(.get, pattern, answer: .ok)
        #expect(try stub.get(url).status == (takes ? .ok : .notFound))
    }

    @Test func `a named part of the host has its value`() throws {
        let stub = StubClient(strict: true)
            .on(.get, "https://{theTenant}.Example.com:443/{id}") { .text("\($0["theTenant"]) \($0["id"])") }
        #expect(try stub.get("https://Sea.example.com/7").text() == "sea 7")
        #expect(StubClient().on(.get, "https://{id}.example.com/{id}", answer: .ok).problems.count == 1)
    }

    @Test func `a base precedes patterns that are not URLs`() throws {
        let stub = StubClient(base: "https://api.example.com/v1/")
            .on(.get, "/notes", answer: .text("notes"))
            .on(.get, "users/{id}") { .text("user \($0["id"])") }
            .on(.get, "https://images.example.com/{name}") { .text("image \($0["name"])") }
        #expect(try stub.get(Self.base + "/v1/notes").text() == "notes")
        #expect(try stub.get(Self.base + "/v1/users/7").text() == "user 7")
        #expect(try stub.get("https://images.example.com/sea").text() == "image sea")
        #expect(try stub.get(Self.base + "/notes").status == .notFound)
        #expect(try stub.get("https://other.example/v1/notes").status == .notFound)
        #expect(stub.requests(to: "/notes").count == 1)
    }

    @Test func `the items of a pattern's query must be in the request's, in any order and among others`() throws {
        let stub = StubClient().on(.get, "/search?q=sea%20%26%20sky&page", answer: .ok)
        #expect(try stub.get(Self.base + "/search", .query("page", 2) |> .query("q", "sea & sky")).status == .ok)
        #expect(try stub.get(Self.base + "/search?page=1&x=1&q=sea+%26+sky").status == .ok)
        #expect(try stub.get(Self.base + "/search", .query("q", "sea & sky")).status == .notFound)
        #expect(try stub.get(Self.base + "/search", .query("q", "sea") |> .query("page", 2)).status == .notFound)
    }

    @Test func `the first matching route answers`() throws {
        let stub = StubClient()
            .on(.get, "/users/me", answer: .text("me"))
            .on(.get, "/users/{id}", answer: .text("somebody"))
            .on("/users/**", answer: .text("anything"))
        #expect(try stub.get(Self.base + "/users/me").text() == "me")
        #expect(try stub.get(Self.base + "/users/7").text() == "somebody")
        #expect(try stub.delete(Self.base + "/users/7").text() == "anything")
    }

    @Test(
        arguments: ["/a/{id", "/a/id}", "/a/{}", "/{id}/{id}", "/a%2", "https://{/x"])
    func `an invalid pattern is reported`(pattern: String) throws {
        let stub = StubClient().on(.get, pattern, answer: .ok.optional())
        #expect(try stub.get(Self.base + "/a/1").text().contains("it can never match: its pattern has"))
        let error = try #require(throws: StubVerificationError.self) { try stub.verify() }
        #expect(error.description.contains("cannot be used: its pattern has"))
    }

    @Test func `routes are values that several stubs share, and each stub records its own calls`() throws {
        let routes = [
            StubRoute(.get, "/a", answer: .text("a").times(1)), StubRoute("/b", answer: .made { _ in .text("b") }),
        ]
        let common = StubClient(strict: true).on(routes)
        let first = common.on(StubRoute(.get, "/c", answer: .made { _ in .ok }))
        let second = common
        #expect(try first.get(Self.base + "/a").text() == "a")
        #expect(first.requestCount == 1)
        #expect(second.requestCount == 0)
        #expect(try second.get(Self.base + "/a").text() == "a")
        #expect(common.requestCount == 1)
        #expect(throws: HTTPError.self) { try second.get(Self.base + "/a") }
    }
}
