import HTTPPolicies
import HTTPTransfers
import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// Steps for single headers: preferences, conditions, ranges, keys.
@Suite struct HeaderStepTests {
    func headers(_ step: RequestStep) throws -> HTTPHeaders { try Request(.get("https://h/") |> step).headers }

    @Test func `media types are listed as written`() throws {
        #expect(try headers(.accept("application/json")) == ["Accept": "application/json"])
        #expect(
            try headers(.accept("application/json", "text/html;q=0.5", "*/*;q=0.1"))
                == ["Accept": "application/json, text/html;q=0.5, */*;q=0.1"])
        #expect(try headers(.accept("a/b") |> .accept("c/d")).count == 1)
    }

    @Test func `languages get decreasing weights`() throws {
        #expect(try headers(.acceptLanguage("de")) == ["Accept-Language": "de"])
        #expect(
            try headers(.acceptLanguage("de-CH", "de", "zh-Hant-TW", "*"))
                == ["Accept-Language": "de-CH, de;q=0.9, zh-Hant-TW;q=0.8, *;q=0.7"])
        #expect(try headers(.acceptLanguage([])).isEmpty)
        let ten = try headers(.acceptLanguage(Array(repeating: "en", count: 10)))["Accept-Language"]
        #expect(ten?.hasSuffix("en;q=0.2, en;q=0.1") == true)
        let forty = try headers(.acceptLanguage(Array(repeating: "en", count: 40)))["Accept-Language"]
        #expect(forty?.hasPrefix("en, en;q=0.975, en;q=0.95") == true && forty?.hasSuffix("en;q=0.025") == true)
        let many = try headers(.acceptLanguage(Array(repeating: "en", count: 1200)))["Accept-Language"]
        #expect(many?.hasSuffix("en;q=0.001, en;q=0.001") == true, "0 would mean: not at all")
    }

    @Test func `conditions are sent with the validators as the server wrote them`() throws {
        #expect(try headers(.ifNoneMatch("\"a\"")) == ["If-None-Match": "\"a\""])
        #expect(try headers(.ifNoneMatch("\"a\"", "W/\"b,c\"")) == ["If-None-Match": "\"a\", W/\"b,c\""])
        #expect(try headers(.ifNoneMatch("*")) == ["If-None-Match": "*"])
        #expect(try headers(.ifMatch("\"\"")) == ["If-Match": "\"\""])
        #expect(try headers(.ifRange("\"a\"")) == ["If-Range": "\"a\""])
        let date = Date(timeIntervalSince1970: 784_111_777.9)
        let text = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(try headers(.ifModifiedSince(date)) == ["If-Modified-Since": text])
        #expect(try headers(.ifUnmodifiedSince(date)) == ["If-Unmodified-Since": text])
        #expect(try headers(.ifRange(date)) == ["If-Range": text])
    }

    @Test func `ranges`() throws {
        #expect(try headers(.range(bytes: 0...499)) == ["Range": "bytes=0-499"])
        #expect(try headers(.range(bytes: 0..<500)) == ["Range": "bytes=0-499"])
        #expect(try headers(.range(bytes: 500...)) == ["Range": "bytes=500-"])
        #expect(try headers(.range(lastBytes: 500)) == ["Range": "bytes=-500"])
        #expect(try headers(.range(bytes: 7...7)) == ["Range": "bytes=7-7"])
    }

    @Test func `ifLet makes its step from an existing value`() throws {
        let none: String? = nil
        #expect(try headers(.ifLet("t") { .bearer($0) }) == ["Authorization": "Bearer t"])
        #expect(try headers(.ifLet(none) { .bearer($0) }).isEmpty)
    }

    static let refused = [
        RefusedDraft("language", names: "Accept-Language", "\"de_DE\"") { .get($0) |> .acceptLanguage("en", "de_DE") },
        RefusedDraft("empty language", names: "Accept-Language") { .get($0) |> .acceptLanguage("") },
        RefusedDraft("weight in a language", names: "Accept-Language") { .get($0) |> .acceptLanguage("de;q=1") },
        RefusedDraft("bare tag", names: "If-None-Match", "\"abc\"", "quotes") { .get($0) |> .ifNoneMatch("abc") },
        RefusedDraft("half a tag", names: "If-Match") { .put($0) |> .ifMatch("\"abc") },
        RefusedDraft("one quote", names: "If-Match") { .put($0) |> .ifMatch("\"") },
        RefusedDraft("quote in a tag", names: "If-Match") { .put($0) |> .ifMatch("\"a\"b\"") },
        RefusedDraft("star beside a tag", names: "If-Match", "\"*\"") { .put($0) |> .ifMatch("\"a\"", "*") },
        RefusedDraft("lower-case weak tag", names: "If-None-Match") { .get($0) |> .ifNoneMatch("w/\"a\"") },
        RefusedDraft("weak tag for a range", names: "If-Range", "strong") { .get($0) |> .ifRange("W/\"a\"") },
        RefusedDraft("date", names: "If-Modified-Since") {
            .get($0) |> .ifModifiedSince(Date(timeIntervalSince1970: 1e15))
        },
        RefusedDraft("range below 0", names: "range -1...5") { .get($0) |> .range(bytes: -1...5) },
        RefusedDraft("open range below 0", names: "range -1...") { .get($0) |> .range(bytes: (-1)...) },
        RefusedDraft("empty range", names: "range 5..<5", "empty") { .get($0) |> .range(bytes: 5..<5) },
        RefusedDraft("last 0 bytes", names: "last 0 bytes") { .get($0) |> .range(lastBytes: 0) },
        RefusedDraft("two credentials", names: "Authorization", "2 times") { url in
            var draft = MutableRequest.get(url) |> .bearer("s3cret")
            draft.headers.append("Basic dTpw", for: "authorization")
            return draft
        },
        RefusedDraft("the same credentials twice", names: "Authorization") { url in
            var draft = MutableRequest.get(url) |> .bearer("t")
            draft.headers.append("Bearer t", for: "Authorization")
            return draft
        },
        RefusedDraft("empty key", names: "Idempotency-Key") { .post($0) |> .idempotencyKey("") },
        RefusedDraft("key with a line feed", names: "Idempotency-Key", "0x0A") { .post($0) |> .idempotencyKey("a\nb") },
    ]

    @Test func `each request from one draft has an idempotency key of its own, for its own body`() throws {
        let stub = StubClient().on("**", answer: .status(.serviceUnavailable).times(1).then(.json([1])))
        let draft = MutableRequest.post("https://h/") |> .idempotencyKey()
        let client = stub.intercepted(by: .retry(), .applying(.header("Signature", "s")))
        for text in ["a", "b"] { _ = try client.send(draft |> .text(text)) }
        let sent = stub.requests.map { ($0.headers["Idempotency-Key"] ?? "", String(decoding: $0.body, as: UTF8.self)) }
        // A repeated attempt has the key of the first one.
        #expect(sent.map(\.1) == ["a", "a", "b"] && sent[0].0 == sent[1].0 && sent[1].0 != sent[2].0)
        #expect(sent.allSatisfy { UUID(uuidString: $0.0) != nil })
        #expect(try Request(draft |> .removingHeader("Idempotency-Key")).headers.isEmpty)
        #expect(try Request(draft |> .idempotencyKey("mine")).headers["Idempotency-Key"] == "mine")
        let built = try Request(draft)
        #expect(try Request(MutableRequest(built)).headers == built.headers)
        var other = MutableRequest.post("https://h/")
        other.headers = draft.headers
        let keys = try (0..<2).map { _ in try Request(other).headers["Idempotency-Key"] ?? "" }
        #expect(Set(keys).count == 2 && keys.allSatisfy { UUID(uuidString: $0) != nil })
    }

    @Test func `pages by POST have a key each, and a redirect that drops the body drops its key`() throws {
        let stub = StubClient()
            .on(.post, "/list", answer: .json([1]).then(.json([2])).then(.json([Int]())))
            .on(.post, "/old", answer: .redirect(to: "/new", status: .seeOther)).on(.get, "/new", answer: .text("x"))
            .on(.post, "/moved", answer: .redirect(to: "/list", status: .temporaryRedirect))
        let pages = stub.pages(
            of: .post("https://h/list") |> .idempotencyKey(), as: [Int].self, next: .number("page") { $0.isEmpty })
        #expect(try pages.blocking.map { try $0.get() } == [[1], [2], []])
        #expect(Set(stub.requests.compactMap { $0.headers["Idempotency-Key"] }).count == 3)
        for path in ["old", "moved"] {
            _ = try stub.send(.post("https://h/\(path)") |> .idempotencyKey(path) |> .text("a"))
        }
        #expect(stub.requests.suffix(4).map { $0.headers["Idempotency-Key"] } == ["old", nil, "moved", "moved"])
    }

    @Test(arguments: refused)
    func `an invalid header value fails the request`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }
}
