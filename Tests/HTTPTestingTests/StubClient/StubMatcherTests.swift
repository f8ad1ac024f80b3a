import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// The conditions of a route besides method and path, and the messages if they are not met.
@Suite struct StubMatcherTests {
    private static let url = "https://api.example.com/notes"

    /// Nil if the matcher is met, else the line that gives the reason.
    private func difference(_ matcher: RequestMatcher, _ draft: MutableRequest) throws -> String? {
        let stub = StubClient().on("/notes", matcher, answer: .ok)
        let response = try stub.send(draft)
        guard response.status != .ok else { return nil }
        let lines = try response.text().split(separator: "\n").map { $0.drop { $0 == " " } }
        return try String(#require(lines.first { $0.hasPrefix("✗") }))
    }

    @Test func `a query item is matched by name, or by name and value`() throws {
        let draft = MutableRequest.get(Self.url) |> .query("page", 2) |> .query("page", 3) |> .query("q", "a&b c")
        #expect(try difference(.query("page", "3"), draft) == nil)
        #expect(try difference(.query("q", "a&b c"), draft) == nil)
        #expect(try difference(.query("page"), draft) == nil)
        #expect(try difference(.noQuery("sort"), draft) == nil)
        #expect(try difference(.query("page", "1"), draft) == #"✗ query page="1": it is "2" and "3""#)
        #expect(try difference(.query("sort"), draft) == "✗ query sort: it is missing")
        #expect(try difference(.noQuery("q"), draft) == #"✗ query no q: it is "a&b c""#)
    }

    @Test func `a header is matched by name, or by name and value`() throws {
        let draft = MutableRequest.get(Self.url) |> .accept("application/json") |> .header("X-Trace", "1")
        #expect(try difference(.header("accept", "application/json"), draft) == nil)
        #expect(try difference(.header("x-trace"), draft) == nil)
        #expect(try difference(.noHeader("Authorization"), draft) == nil)
        #expect(
            try difference(.header("Accept", "text/html"), draft)
                == "✗ header Accept: text/html: it is application/json")
        #expect(try difference(.header("X-Other"), draft) == "✗ header X-Other: it is missing")
        #expect(try difference(.noHeader("X-Trace"), draft) == "✗ header no X-Trace: it is <redacted>")
    }

    @Test func `texts are compared by their octets, as a server does`() throws {
        let (one, other) = ("caf\u{E9}", "cafe\u{301}")
        let draft = MutableRequest.post(Self.url) |> .query("q", one) |> .header("Accept", one) |> .form(["name": one])
        for same in [RequestMatcher.query("q", one), .header("Accept", one), .form(["name": one])] {
            #expect(try difference(same, draft) == nil)
        }
        for different in [RequestMatcher.query("q", other), .header("Accept", other), .form(["name": other])] {
            let found = try difference(different, draft) ?? ""
            #expect(found.hasSuffix(", the same text in other octets"), "\(found)")
        }
        let texts = MutableRequest.post(Self.url) |> .json(["name": one, "list": [one]])
        #expect(try difference(.json(["name": one, "list": [one]]), texts) == nil)
        #expect(try difference(.text(containing: one), texts) == nil)
        #expect(try difference(.text(containing: other), texts) != nil)
        for different in [RequestMatcher.json(["name": other, "list": [one]]), .json(containing: ["list": [other]])] {
            let found = try difference(different, texts) ?? ""
            #expect(found.hasSuffix(", the same text in other octets"), "\(found)")
        }
        #expect(try difference(.json([other: 1]), MutableRequest.post(Self.url) |> .json([one: 1])) != nil)
        #expect(try difference(.json([one: 1]), MutableRequest.post(Self.url) |> .json([one: 1])) == nil)
        let named = MutableRequest.post(Self.url) |> .query(one, 1) |> .form([one: "1"])
        #expect(try difference(.noQuery(other), named) == nil)
        for different in [RequestMatcher.query(other), .form([other: "1"])] {
            #expect(try difference(different, named) != nil)
        }
    }

    @Test func `secrets are not shown in a difference`() throws {
        let draft =
            MutableRequest.post(Self.url) |> .bearer("t0ps3cret") |> .query("access_token", "t0ps3cret")
            |> .json(["password": "t0ps3cret"])
        let matchers: [RequestMatcher] = [
            .header("Authorization", "Bearer 0therS3cret"), .query("access_token", "0therS3cret"),
            .json(["password": "0therS3cret"]), .text("password=0therS3cret"), .form(["password": "0therS3cret"]),
        ]
        for matcher in matchers {
            let stub = StubClient(strict: true).on("/notes", matcher, answer: .ok)
            let error = try #require(throws: HTTPError.self) { try stub.send(draft) }
            let texts = ["\(error)", stub.problems.map(\.description).joined()]
            for text in texts {
                #expect(text.contains("✗"))
                #expect(!text.lowercased().contains("s3cret"), "\(text)")
            }
        }
    }

    @Test func `JSON is matched by value`() throws {
        let draft =
            MutableRequest.post(Self.url)
            |> .text(#"{ "tags": ["a", "b"], "n": 1.0, "note": {"title": "sea", "draft": null} }"#)
        let whole = #"{"n": 1, "note": {"draft": null, "title": "sea"}, "tags": ["a", "b"]}"#
        #expect(try difference(.json(text: whole), draft) == nil)
        #expect(try difference(.json(containingText: #"{"note": {"title": "sea"}}"#), draft) == nil)
        #expect(try difference(.json(containing: ["tags": ["a", "b"]]), draft) == nil)
        #expect(
            try difference(.json(containingText: #"{"note": {"title": "sky"}, "n": true, "x": 1}"#), draft)
                == #"✗ body JSON with {n, note, x}: $.n is 1, not true; $.note.title is "sea", not "sky"; "#
                + "$.x is missing"
        )
        #expect(
            try difference(.json(["tags": ["a"]]), draft)
                == "✗ body JSON {tags}: $.tags is an array of 2, not an array of 1; $.n is not expected;"
                + " $.note is not expected")
        #expect(try difference(.json(["a"]), .post(Self.url)) == "✗ body JSON an array of 1: it is empty")
        let text = MutableRequest.post(Self.url) |> .text("sea")
        #expect(try difference(.json(["a"]), text) == #"✗ body JSON an array of 1: it is no JSON: "sea""#)
        #expect(try difference(.json(text: "{"), text) == "✗ it can never match: its JSON cannot be read")
    }

    @Test func `a string is a JSON string, and JSON text is sent as given, on each side of a call`() throws {
        let stub = StubClient(strict: true)
            .on(.post, "/notes", .json("Ada"), answer: .json("Eve")).on(
                .put, "/notes", .json(text: "[1]"), answer: .json(text: "[2 ]"))
        #expect(try stub.post(Self.url, .json("Ada")).text() == #""Eve""#)
        #expect(try stub.put(Self.url, .json(text: "[1 ]")).text() == "[2 ]")
        let sent = stub.requests
        #expect(sent.map(\.text) == [#""Ada""#, "[1 ]"])
        #expect(sent.map { $0.headers["Content-Type"] } == ["application/json", "application/json"])
    }

    @Test func `forms, texts and bytes are matched`() throws {
        let form = MutableRequest.post(Self.url) |> .form(["a b": "1&2", "c": "3"])
        #expect(try difference(.form(["c": "3", "a b": "1&2"]), form) == nil)
        #expect(try difference(.form(containing: ["c": "3"]), form) == nil)
        #expect(try difference(.form(["c": "3"]), form) == "✗ body form c: it also has a b")
        #expect(try difference(.form(["c": "4", "a b": "1&2"]), form) == #"✗ body form a b, c: c is "3", not "4""#)
        #expect(try difference(.form(containing: ["d": ""]), form) == "✗ body form with d: d is missing")

        let text = MutableRequest.post(Self.url) |> .text("sea and sky")
        #expect(try difference(.text("sea and sky"), text) == nil)
        #expect(try difference(.text(containing: "and"), text) == nil)
        #expect(try difference(.body(Data("sea and sky".utf8)), text) == nil)
        #expect(try difference(.body { $0.count == 11 }, text) == nil)
        #expect(try difference(.text("sea"), text) == #"✗ body text "sea": it is "sea and sky""#)
        #expect(try difference(.text(containing: "or"), text) == #"✗ body text with "or": it is "sea and sky""#)
        #expect(try difference(.body(Data([1])), text) == "✗ body 1 bytes: it has 11 bytes")
        #expect(try difference(.body { $0.isEmpty }, text) == "✗ body a condition: it is not met")
    }

    @Test(.timeLimit(.minutes(1))) func `many wildcards in one segment take no longer than they need`() throws {
        let pattern = "/" + String(repeating: "*a", count: 9) + "b"
        let stub = StubClient().on(.get, pattern, answer: .ok).on("**", answer: .status(404))
        let letters = String(repeating: "a", count: 44)
        #expect(try stub.get("https://a.example/" + letters).status == 404)
        #expect(try stub.get("https://a.example/" + letters + "b").status == 200)
    }

    @Test func `a form is decoded as far as it can be, as a MockServer decodes a query`() throws {
        let stub = StubClient().on("**", answer: .ok)
        try stub.post(Self.url, .text("q=a+b%zz%20c&x=%FFy&%3D=%+1&end"))
        let items = try #require(stub.requests.first).formItems
        #expect(items.map(\.name) == ["q", "x", "=", "end"])
        #expect(items.map(\.value) == ["a b%zz c", "\u{FFFD}y", "% 1", nil])
    }

    @Test func `bodies are matched by literals of several types`() throws {
        let (name, age, tags) = ("Ada", 36, ["a", "b"])
        let json = MutableRequest.post(Self.url) |> .json(["name": name, "age": age, "in": ["n": 1, "s": "x"]])
        #expect(try difference(.json(["age": age, "name": name, "in": ["s": "x", "n": 1]]), json) == nil)
        #expect(try difference(.json(containing: ["age": age, "in": ["s": "x"]]), json) == nil)
        #expect(
            try difference(.json(containing: ["age": "x", "in": ["n": 2, "t": true], "no": nil]), json)
                == #"✗ body JSON with {age, in, no}: $.age is 36, not "x"; $.in.n is 1, not 2; $.in.t is missing; "#
                + "$.no is missing")
        #expect(try difference(.json(["a": Double.nan, "b": "x"]), json)?.contains("it can never match") == true)

        let form = MutableRequest.post(Self.url) |> .form(["name": name, "age": age, "tags": tags])
        #expect(try difference(.form(["age": age, "tags": tags, "name": name, "extra": nil]), form) == nil)
        #expect(try difference(.form(containing: ["age": age, "tags": tags]), form) == nil)
        #expect(
            try difference(.form(containing: ["tags": "a", "age": 36]), form)
                == "✗ body form with age, tags: tags is there 2 times")
        #expect(
            try difference(.form(containing: ["age": [1, 2], "name": name]), form)
                == "✗ body form with age, name: age is there once")
        #expect(
            try difference(.form(["name": name, "age": 37, "tags": tags]), form)
                == #"✗ body form age, name, tags: age is "36", not "37""#)
        #expect(try difference(.form(["a": Double.nan, "b": "x"]), form)?.contains("it can never match") == true)
    }

    @Test func `a literal of several types is the answer`() throws {
        let (name, age) = ("Ada", 36)
        let stub = StubClient().on("/notes", answer: .json(["name": name, "age": age, "n": nil], status: .created))
        let response = try stub.send(.get(Self.url))
        #expect(response.status == .created && response.headers["Content-Type"] == "application/json")
        #expect(try response.json() == ["name": "Ada", "age": 36, "n": nil])
    }

    @Test func `a host and custom conditions are matched`() throws {
        let draft = MutableRequest.get(Self.url)
        #expect(try difference(.host("API.example.com"), draft) == nil)
        #expect(try difference(.host("B\u{FC}cher.example"), .get("https://b\u{FC}cher.example/notes")) == nil)
        #expect(try difference(.host("example.com"), draft) == "✗ host example.com: it is api.example.com")
        #expect(try difference(.matching("a short URL") { $0.url.string.count < 100 }, draft) == nil)
        #expect(
            try difference(.matching("a body") { !$0.body.isEmpty }, draft) == "✗ condition a body: it is not met")
    }

    @Test func `a body is matched from any source`() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try Data("sea".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stub = StubClient(strict: true)
            .on(.put, "/file", .text("sea"), answer: .ok)
            .on(.put, "/stream", .body(Data(repeating: 7, count: 200_000)), answer: .ok)
            .on(.post, "/form", .text(containing: "name=\"title\"\r\n\r\nsea"), answer: .ok)
        let base = "https://api.example.com"
        _ = try stub.put(base + "/file", .file(file.path))
        let chunks = RequestBody.stream(replayable: false) {
            .chunks([Data(repeating: 7, count: 150_000), Data(repeating: 7, count: 50_000)])
        }
        _ = try stub.put(base + "/stream", .body(chunks))
        _ = try stub.post(base + "/form", .multipart(.text("title", "sea")))
        #expect(stub.requests.map(\.body.count).prefix(2) == [3, 200_000])
        try stub.verify()
    }

    @Test func `an unreadable body fails the call as over a transport`() throws {
        let stub = StubClient().on("**", answer: .ok)
        let error = try #require(throws: HTTPError.self) {
            try stub.put("https://api.example.com/", .file("/nowhere/at/all"))
        }
        guard case .body(let failure) = error else { throw error }
        #expect(failure.reason == .unreadableFile)
        #expect(stub.requestCount == 0)
    }
}
