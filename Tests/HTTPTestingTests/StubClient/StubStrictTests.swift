import Foundation
import HTTPCore
import HTTPObservability
import HTTPSupport
import HTTPTesting
import Testing

/// Unexpected requests, and unmet expectations.
@Suite struct StubStrictTests {
    private static let base = "https://api.example.com"

    private let stub = StubClient(strict: true, base: Self.base)
        .on(.get, "/notes", answer: .json(text: "[]"))
        .on(.post, "/notes", .header("Accept", "application/json"), .json(["title": "sea"]), answer: .status(201))
        .on(.get, "/notes/{id}", answer: .ok)

    private func failure(_ draft: MutableRequest, of stub: StubClient) throws -> String {
        let error = try #require(throws: HTTPError.self) { try stub.send(draft) }
        guard case .other(let unmatched as UnmatchedRequest) = error else { throw error }
        #expect(stub.unmatched.last.map { "\($0)" } == "\(unmatched)")
        #expect("\(error)" == error.reason && !error.reason.contains("\n"))
        return "\(unmatched)"
    }

    @Test func `a HEAD that no route answers gets no body, and ends for its observer, as one that is passed on`() throws
    {
        let (begun, ended) = (Locked(0), Locked(0))
        let observing = Interceptor.observing { event in
            if case .attemptStarted = event { begun.withLock { $0 += 1 } }
            if case .attemptFinished = event { ended.withLock { $0 += 1 } }
        }
        let passing = StubClient().passing(to: StubClient { .success(Response(request: $0, status: .ok)) })
        let missing = try StubClient().intercepted(by: observing).send(.head(Self.base))
        #expect(missing.status == .notFound && missing.body.isEmpty)
        #expect(try passing.intercepted(by: observing).send(.head(Self.base)).status == .ok)
        #expect(begun.withLock { $0 } == 2)
        #expect(ended.withLock { $0 } == 2)
    }

    @Test func `a request without a route fails with the differences from the nearest`() throws {
        let draft = MutableRequest.post(Self.base + "/notes?draft=1") |> .accept("text/html") |> .json(["title": "sky"])
        #expect(
            try failure(draft, of: stub) == """
                no route answers POST https://api.example.com/notes?draft=1 (15 bytes); the nearest of 3 is
                    POST https://api.example.com/notes, header Accept: application/json, body JSON {title}
                      ✓ method POST
                      ✓ host https://api.example.com
                      ✓ path /notes
                      ✗ header Accept: application/json: it is text/html
                      ✗ body JSON {title}: $.title is "sky", not "sea"
                """)
        #expect(stub.unmatched.map(\.request.text) == [#"{"title":"sky"}"#])
        let error = try #require(throws: StubVerificationError.self) { try stub.verify() }
        #expect(error.problems.count == 4)
        #expect(error.description.hasPrefix("• no route answers POST https://api.example.com/notes?draft=1"))
    }

    @Test(
        arguments: [
            (.delete("https://api.example.com/notes/7"), "GET /notes/{id}", "✗ method GET: it is DELETE"),
            (.get("https://api.example.com/nots"), "GET /notes", "✗ path /notes: it is /nots"),
            (
                .get("https://api.example.com/notes/7/tags"), "GET /notes/{id}",
                "✗ path /notes/{id}: it is /notes/7/tags"
            ),
            (
                .get("http://api.example.com/notes"), "GET /notes",
                "✗ host https://api.example.com: it is http://api.example.com"
            ),
            (.post("https://api.example.com/notes"), "POST /notes", "✗ body JSON {title}: it is empty"),
        ] as [(MutableRequest, String, String)])
    func `the nearest route is the one that was probably meant`(
        draft: MutableRequest, nearest: String, line: String
    ) throws {
        let lines = try failure(draft, of: stub).split(separator: "\n")
        let route = nearest.replacing(" /", with: " \(Self.base)/")
        #expect(lines[1].drop { $0 == " " }.hasPrefix(route + (route.hasPrefix("POST") ? "," : "")))
        #expect(lines.contains { $0.hasSuffix(line) }, "\(lines)")
    }

    @Test func `a route for the same path with another method is nearer than one for another path`() throws {
        let stub = StubClient(strict: true)
            .on(.delete, "/users/{id}/friends", answer: .ok).on(.get, "/notes/{id}", answer: .ok)
        let reason = try failure(.delete(Self.base + "/notes/7"), of: stub)
        #expect(reason.contains("✗ method GET: it is DELETE"), "\(reason)")
    }

    @Test func `an exhausted route says so`() throws {
        let stub = StubClient(strict: true).on(.get, "/a", answer: .ok.times(2)).on(.get, "/b", answer: .ok)
        for _ in 0..<2 { _ = try stub.get(Self.base + "/a") }
        let reason = try failure(.get(Self.base + "/a"), of: stub)
        #expect(reason.hasSuffix("✗ it was to answer 2 times, and has"), "\(reason)")
    }

    @Test func `with a base, the text shows all that has to match`() throws {
        let stub = StubClient(strict: true, base: Self.base + "/v1").on(.get, "/files?token=s3cret", answer: .ok)
        #expect(
            try failure(.get(Self.base + "/files"), of: stub) == """
                no route answers GET https://api.example.com/files; the only one is
                    GET https://api.example.com/v1/files?token=<redacted>
                      ✓ method GET
                      ✓ host https://api.example.com
                      ✗ path /v1/files: it is /files
                      ✗ query token=<redacted>: it is missing
                """)
    }

    @Test func `secrets in values and in the path of a request are masked`() throws {
        let stub = StubClient(strict: true).on(
            .post, "/login?next=/home", .noQuery("back"), .text("x"), .json(["at": "x"]), answer: .ok)
        let query = "next=https%3A%2F%2Fx%2F%3Ftoken%3DSECRET&back=%2Fa%3Fsid%3DSECRET"
        for body in [#"{"at": "https://user:SECRET@h/"}"#, #"{"at": "y", "\u0070assword": "SECRET"}"#] {
            let text = try failure(
                .post(Self.base + "/login;jsessionid=SECRET?" + query) |> .text(body), of: stub)
            #expect(!text.contains("SECRET") && text.contains("path /login: it is /login;jsessionid=<redacted>"))
            #expect(text.contains(#"query next="/home": it is <redacted>"#), "\(text)")
            #expect(text.contains("query no back: it is <redacted>"), "\(text)")
        }
        let shown = try failure(.post(Self.base + "/login?next=%2Fout") |> .text("sea"), of: stub)
        #expect(shown.contains(#"query next="/home": it is "/out""#) && shown.contains(#"it is "sea""#), "\(shown)")
    }

    @Test func `the error is one sentence, about what differs`() throws {
        let stub = StubClient(strict: true, base: Self.base + "/v1")
            .on(.get, "/files", .query("page", "1"), answer: .ok)
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.base + "/files?page=2") }
        #expect(
            error.localizedDescription == "no route answers GET https://api.example.com/files?page=2; the only one is"
                + " GET https://api.example.com/v1/files, query page=\"1\": ✗ path /v1/files: it is /files,"
                + " ✗ query page=\"1\": it is \"2\"")
        #expect("\(error)" == error.localizedDescription)
        #expect(stub.requests.map(\.url.query) == ["page=2"])
    }

    @Test func `what the request brings makes no line of its own`() throws {
        let stub = StubClient(strict: true).on(.post, "/notes", .json(["title": "sea"]), answer: .ok)
        let reason = try failure(.post(Self.base + "/notes") |> .json(["title": "sea", "a\nb\u{202E}": "1"]), of: stub)
        #expect(reason.hasSuffix(#"✗ body JSON {title}: $.a\nb\u{202E} is not expected"#), "\(reason)")
    }

    @Test func `a stub without routes says so`() throws {
        let reason = try failure(.get(Self.base + "/a"), of: StubClient(strict: true))
        #expect(reason == "no route answers GET https://api.example.com/a: there are none")
    }

    @Test func `a stub that is not strict answers 404 with the same text, and verify reports it`() throws {
        let stub = StubClient().on(.get, "/a", answer: .ok)
        let response = try stub.get(Self.base + "/b")
        #expect(response.status == .notFound)
        #expect(try response.text().contains("✗ path /a: it is /b"))
        #expect(stub.problems.map(\.description).contains { $0.hasPrefix("no route answers GET") })
    }

    @Test func `a closure over the request answers requests without a route`() throws {
        let stub = StubClient { .success(Response(request: $0, status: 418)) }.on(.get, "/a", answer: .text("route"))
        #expect(try stub.get(Self.base + "/a").text() == "route")
        #expect(try stub.get(Self.base + "/b").status == 418)
        #expect(stub.requestCount == 2)
        try stub.verify()
    }

    @Test func `verify reports unused routes and unfinished sequences`() throws {
        let stub = StubClient(base: Self.base)
            .on(.get, "/a", answer: .ok)
            .on(.get, "/b", answer: .ok.times(3))
            .on(.get, "/c", answer: .ok.then(.ok).optional())
            .on(.get, "/c1", answer: .ok.optional().times(1))
            .on(.get, "/c2", answer: .ok.optional().then(.status(404)))
            .on(.get, "/d", answer: .ok.times(0))
            .on(.get, "/e", .query("key", "s3cret"), answer: .ok)
            .on(.get, "/f?token=s3cret", answer: .ok)
            .on(.get, "/g", answer: .sequence([.ok, .ok], after: .cycle))
        for path in ["/a", "/a", "/b", "/g", "/g", "/g"] { _ = try stub.get(Self.base + path) }
        let error = try #require(throws: StubVerificationError.self) { try stub.verify() }
        #expect(
            error.description == """
                • GET /b was to answer 3 times, and was asked for once
                • nothing asked for GET /e, query key=<redacted>
                • nothing asked for GET /f?token=<redacted>
                """)
    }

    @Test func `requests are kept in order, and found by method, pattern and condition`() throws {
        let stub = StubClient().on("**", answer: .ok)
        _ = try stub.get(Self.base + "/notes/1")
        _ = try stub.post(Self.base + "/notes", .json(["title": "sea"]))
        _ = try stub.delete(Self.base + "/notes/2")
        #expect(stub.requests.map(\.method) == [.get, .post, .delete])
        #expect(stub.requests(to: "/notes/{id}").map { $0["id"] } == ["1", "2"])
        #expect(stub.requests(.delete, to: "/notes/{id}").map { $0["id"] } == ["2"])
        #expect(stub.requests(to: "/notes", .json(["title": "sea"])).count == 1)
        #expect(stub.requests(to: "/notes", .json(["title": "sky"])).isEmpty)
        #expect(stub.requests(to: "/{").isEmpty)
        #expect(stub.requests[1].description == "POST https://api.example.com/notes (15 bytes)")
    }
}
