import HTTPTransfers
import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// Parameters of a service and of its calls, as they are sent together.
@Suite struct CollectedParametersTests {
    private struct Feed: RequestGenerator {
        var baseURL = "https://feed.example/v1"
        var parameterEncoding = ParameterEncoding.byMethod
        var json = JSONCoding.standard
        var defaults: RequestStep {
            .header("X-App", "1") |> .parameters(["user_id": 7, "app_lang": "en", "device_type": "linux"])
        }
    }

    /// What the server received.
    private func received(_ draft: MutableRequest) throws -> StubbedRequest {
        let stub = StubClient().on("**", answer: .ok)
        _ = try stub.send(draft)
        return try #require(stub.requests.first)
    }

    private func json(_ draft: MutableRequest) throws -> JSONValue {
        let request = try received(draft)
        #expect(request.headers["Content-Type"] == "application/json" && request.queryText.isEmpty)
        return try JSONDecoder().decode(JSONValue.self, from: request.body)
    }

    private static let query = "app_lang=en&device_type=linux&user_id=7"

    @Test(arguments: [HTTPMethod.get, .head, .delete])
    func `default parameters go into the query of methods that read or delete`(method: HTTPMethod) throws {
        let request = try received(Feed().request(method, "posts") |> .query("v", 1) |> .parameter("page", 2))
        #expect(request.url.string == "https://feed.example/v1/posts?v=1&\(Self.query)&page=2")
        #expect(request.body.isEmpty && request.headers["Content-Type"] == nil)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, "REPORT"])
    func `they go into the body of other methods, beside the call's own`(method: HTTPMethod) throws {
        #expect(
            try json(Feed().request(method, "posts") |> .parameters(["title": "sea", "tags": ["a"], "note": nil]))
                == ["user_id": 7, "app_lang": "en", "device_type": "linux", "title": "sea", "tags": ["a"], "note": nil])
        #expect(try json(Feed().request(method, "x")) == ["user_id": 7, "app_lang": "en", "device_type": "linux"])
    }

    @Test func `names that look alike and are sent as two are two`() throws {
        let draft =
            MutableRequest.get("https://h/") |> .parameters(["e\u{301}": 1]) |> .parameters(["\u{e9}": 2])
            |> .parameters(["e\u{301}": 3])
        #expect(try received(draft).queryText == "e%CC%81=3&%C3%A9=2")
        #expect(try received(draft |> .removingParameter("\u{e9}")).queryText == "e%CC%81=3")
    }

    @Test func `the service chooses the format`() throws {
        let form = try received(Feed(parameterEncoding: .byMethod(otherwise: .form)).post("p") |> .parameter("n", 1.5))
        #expect(form.text == Self.query + "&n=1.5")
        #expect(form.headers["Content-Type"] == "application/x-www-form-urlencoded" && form.queryText.isEmpty)
        let query = try received(Feed(parameterEncoding: .query).post("p") |> .text("whole"))
        #expect(query.queryText == Self.query && query.text == "whole")
        #expect(try json(Feed(parameterEncoding: .json).delete("p"))["user_id"] == 7)
    }

    @Test func `a later value of a name wins, in its place, whatever the steps are called`() throws {
        let draft = Feed().get("p") |> .parameter("app_lang", "de") |> .parameters(["user_id": [8, 9], "q": "x"])
        #expect(try received(draft).queryText == "app_lang=de&device_type=linux&user_id=8&user_id=9&q=x")
        #expect(
            try json(Feed().post("p") |> .parameters(["app_lang": nil, "user_id": ["id": 8]]) |> .parameter("x", true))
                == ["user_id": ["id": 8], "app_lang": nil, "device_type": "linux", "x": true])
        #expect(
            try received(Feed().get("p") |> .parameters(["app_lang": nil, "q": 1])).queryText
                == "device_type=linux&user_id=7&q=1")
    }

    @Test func `nil adds nothing, and takes nothing away`() throws {
        let (language, page): (String?, Int?) = (nil, nil)
        let draft = Feed().get("p") |> .parameter("app_lang", language) |> .parameter("page", page)
        #expect(try received(draft |> .parameter("n", nil)).queryText == Self.query)
        let post = Feed().post("p") |> .parameter("app_lang", language) |> .parameter("page", page)
        #expect(try json(post) == ["user_id": 7, "app_lang": "en", "device_type": "linux"])
    }

    @Test func `one is removed by its name, or all, or all defaults of the service`() throws {
        let feed = Feed()
        #expect(
            try received(feed.get("p") |> .removingParameter("user_id")).queryText == "app_lang=en&device_type=linux")
        #expect(try json(feed.post("p") |> .removingParameter("app_lang")) == ["user_id": 7, "device_type": "linux"])
        let again =
            feed.get("p") |> .removingParameter("user_id") |> .parameter("user_id", 9) |> .removingParameter("z")
        #expect(try received(again).queryText == "app_lang=en&device_type=linux&user_id=9")
        for step in [RequestStep.removingParameters, .withoutDefaults] {
            let get = try received(feed.get("p") |> step |> .parameter("q", 1))
            #expect(get.queryText == "q=1")
            let post = try received(feed.post("p") |> step)
            #expect(post.body.isEmpty && post.headers["Content-Type"] == nil)
        }
        let form = Feed(parameterEncoding: .form).post("p") |> .withoutDefaults |> .parameter("q", 1)
        #expect(try received(form).text == "q=1")
    }

    @Test func `one that is removed and given again is the last, and the others stay where they were`() throws {
        let draft = MutableRequest.get("https://h/") |> .parameters(["a": 1, "b": 2, "c": 3])
        let again = draft |> .removingParameter("a") |> .parameter("c", 4) |> .parameter("a", 5) |> .parameter("b", 6)
        #expect(try received(again).queryText == "b=6&c=4&a=5")
    }

    @Test func `one step may choose its place, and the body has one format`() throws {
        let avatar = try received(Feed().put("p") |> .parameters(["size": 64], encoding: .query))
        #expect(avatar.queryText == "size=64")
        #expect(avatar.text.contains(#""user_id":7"#))
        let form = try received(Feed().post("p") |> .parameters(["a": 1], encoding: .form))
        #expect(form.text == Self.query + "&a=1")
        let file = try received(Feed().put("p") |> .parameterEncoding(.query) |> .text("sea"))
        #expect(file.queryText == Self.query && file.text == "sea")
    }

    @Test func `values of the caller's types keep their encoding, each by the encoder of its step`() throws {
        struct Search: Encodable, Sendable { let userName = "Ada", since = Date(timeIntervalSince1970: 7) }
        let feed = Feed(json: JSONCoding(keys: .snakeCase, dates: .secondsSince1970))
        let plain = JSONEncoder()
        plain.dateEncodingStrategy = .millisecondsSince1970
        plain.outputFormatting = [.prettyPrinted, .sortedKeys]
        #expect(
            try json(
                feed.post("p") |> .parameters(Search()) |> .parameters(Search(), encoder: plain)
                    |> .removingParameter("user_name") |> .parameter("at", Date(timeIntervalSince1970: 1)))
                == [
                    "user_id": 7, "app_lang": "en", "device_type": "linux", "since": 7000, "userName": "Ada", "at": 1,
                ])
    }

    @Test func `every digit and every character of a value arrives`() throws {
        let nasty = "a\"b\\c}{][,:\u{1}é\u{1F600}"
        let request = try received(
            Feed().post("p") |> .parameters([nasty: nasty, "n": Decimal(string: "12345678901234567890.123456789")])
                |> .parameter("list", [nasty, "{"]))
        #expect(request.text.contains("12345678901234567890.123456789"))
        let value = try JSONDecoder().decode(JSONValue.self, from: request.body)
        #expect(value[nasty].string == nasty && value["list"] == [.string(nasty), "{"])
    }

    /// An encoder's order is another one each time.
    @Test func `those of a step are sorted by name in every format, and steps follow each other`() throws {
        let names = "abcdefghijkl".map(String.init)
        let values = Dictionary(uniqueKeysWithValues: names.reversed().map { ($0, 1) })
        let draft = Feed(parameterEncoding: .json).get("p") |> .withoutDefaults |> .parameter("z", 1)
        let members = (["z"] + names).map { "\"\($0)\":1" }.joined(separator: ",")
        #expect(try received(draft |> .parameters(values)).text == "{\(members)}")
        #expect(try received(draft |> .parameters(values, encoder: JSONEncoder())).text == "{\(members)}")
        let items = (["z"] + names).map { "\($0)=1" }.joined(separator: "&")
        #expect(try received(draft |> .parameterEncoding(.form) |> .parameters(values)).text == items)
        let literal = draft |> .parameters(["c": "x", "a": 1, "b": nil, "e": true, "d": ["y": 1]])
        #expect(try received(literal).text == #"{"z":1,"a":1,"b":null,"c":"x","d":{"y":1},"e":true}"#)
    }

    @Test func `a request that is built has them no more, so a copy does not send them twice`() throws {
        let request = try Request(Feed().get("p"))
        #expect(try received(MutableRequest(request) |> .query("q", 1)).queryText == Self.query + "&q=1")
        let post = try Request(Feed().post("p"))
        #expect(try Request(MutableRequest(post)).body == post.body)
    }

    @Test func `the next page has those of the link, and the body's as they were`() throws {
        let stub = StubClient()
            .on("/v1/posts", .query("cursor", "b"), answer: .json(text: "[2]"))
            .on("/v1/posts", answer: .json(text: "[1]").header("Link", "<posts?cursor=b>; rel=\"next\""))
        let pages = try stub.pages(of: Feed().get("posts"), as: [Int].self).blocking.map { try $0.get() }
        #expect(pages == [[1], [2]])
        #expect(stub.requests.map(\.queryText) == [Self.query, "cursor=b"])
    }

    static let refused = [
        RefusedDraft("a body beside them", names: "(user_id)", "body of this POST", ".parameterEncoding(.query)") {
            .post($0) |> .parameter("user_id", 7) |> .json(["a": 1])
        },
        RefusedDraft("them beside a body", names: "(a, b)", "body of this PUT", ".removingParameters") {
            .put($0) |> .text("secret") |> .parameters(["a": 1, "b": "x"], encoding: .form)
        },
        RefusedDraft("an empty text beside them", names: "body of this PATCH") {
            .patch($0) |> .text("") |> .parameter("a", 1)
        },
        RefusedDraft("two formats of a body", names: "as a form and others as JSON") {
            .post($0) |> .parameters(["a": 1], encoding: .form) |> .parameters(["b": 1], encoding: .json)
        },
        RefusedDraft("a name given twice", names: "\"a\"", "given twice") {
            .get($0) |> .parameters(["a": 1, "b": "x", "a": 2])
        },
        RefusedDraft("a name given twice, with values of one type", names: "\"a\"", "given twice") {
            .post($0) |> .parameters(["a": 1, "a": 2])
        },
        RefusedDraft("a number that is none", names: "JSON", "at a") { .post($0) |> .parameter("a", Double.nan) },
        RefusedDraft("a number in the query", names: "query cannot be encoded", "at a") {
            .get($0) |> .parameter("a", -Double.infinity)
        },
        RefusedDraft("a list", names: "a list has no names") { .get($0) |> .parameters([1, "x"]) },
        RefusedDraft("a list in JSON", names: "an object is needed") { .post($0) |> .parameters([1, 2]) },
        RefusedDraft("a text in JSON", names: "an object is needed") { .post($0) |> .parameters("text") },
        RefusedDraft("in the body of a HEAD", names: "HEAD") { .head($0) |> .parameters(["a": 1], encoding: .json) },
    ]

    @Test(arguments: refused)
    func `what cannot be sent as it was meant fails the request`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }
}

extension StubbedRequest {
    fileprivate var queryText: String { url.query.map(String.init) ?? "" }
}
