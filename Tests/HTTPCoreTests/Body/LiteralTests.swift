import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// Literals of several types, as requests send them.
@Suite struct LiteralTests {
    private struct Place: Encodable { let cityName = "Bergen", since = Date(timeIntervalSince1970: 0) }

    private struct Diary: RequestGenerator {
        let baseURL = "https://diary.example"
        let json = JSONCoding(keys: .snakeCase, dates: .secondsSince1970)
    }

    /// What the server received for `step`.
    private func received(_ step: RequestStep, from draft: MutableRequest = .post("https://h.example")) throws
        -> StubbedRequest
    {
        let stub = StubClient().on("**", answer: .ok)
        _ = try stub.send(draft |> step)
        return try #require(stub.requests.first)
    }

    private func json(_ step: RequestStep, from draft: MutableRequest = .post("https://h.example")) throws -> JSONValue
    {
        let request = try received(step, from: draft)
        #expect(request.headers["Content-Type"] == "application/json")
        return try JSONDecoder().decode(JSONValue.self, from: request.body)
    }

    private let name = "Ada"
    private let age = 36
    private let tags = ["a", "b"]
    private let nothing: String? = nil

    @Test func `variables, literals and nil become the members of one object`() throws {
        #expect(
            try json(.json(["name": name, "age": age, "tags": tags, "extra": nil]))
                == ["name": "Ada", "age": 36, "tags": ["a", "b"], "extra": nil])
        #expect(
            try json(.json(["b": true, "f": 1.5, "n": -1, "s": nothing, "c": nothing ?? name]))
                == ["b": true, "f": 1.5, "n": -1, "s": nil, "c": "Ada"])
        #expect(try json(.json([1, name, nil, [name: age]])) == [1, "Ada", nil, ["Ada": 36]])
    }

    @Test func `literals nest, with what has one type beside what has several`() throws {
        #expect(
            try json(
                .json([
                    "user": ["name": name, "age": age, "mail": nil], "messages": [["role": "user", "n": age], [:]],
                    "deep": [[[1, name], []]], "counts": ["a": 1], "value": JSONValue.array([1, "x"]),
                ]))
                == [
                    "user": ["name": "Ada", "age": 36, "mail": nil], "messages": [["role": "user", "n": 36], [:]],
                    "deep": [[[1, "Ada"], []]], "counts": ["a": 1], "value": [1, "x"],
                ])
    }

    @Test func `the service's encoder writes the values, and the names stay as they are written`() throws {
        let date = Date(timeIntervalSince1970: 7)
        #expect(
            try json(
                .json(["createdAt": date, "userName": name, "place": Place(), "in": ["lastSeen": date, "n": 1]]),
                from: Diary().post("notes"))
                == [
                    "createdAt": 7, "userName": "Ada", "place": ["city_name": "Bergen", "since": 0],
                    "in": ["lastSeen": 7, "n": 1],
                ])
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        #expect(try json(.json(["at": date, "n": 1], encoder: encoder)) == ["at": 7000, "n": 1])
        #expect(try json(.json([date, name], encoder: encoder)) == [7000, "Ada"])
    }

    @Test func `forms and queries keep the order of the literal, and leave nil out`() throws {
        #expect(
            try received(.form(["name": name, "age": age, "tags": tags, "extra": nil, "mail": nothing])).text
                == "name=Ada&age=36&tags=a&tags=b")
        #expect(
            try received(.form(["z": ["y": name, "x": [1, 2]], "a": true], style: QueryStyle(objects: .dots))).text
                == "z.y=Ada&z.x=1&z.x=2&a=true")
        #expect(
            try received(.query(["name": name, "age": age, "tags": tags, "extra": nil])).url.query
                == "name=Ada&age=36&tags=a&tags=b")
        let date = Date(timeIntervalSince1970: 0)
        #expect(
            try received(.query(["at": date, "on": true], style: QueryStyle(booleans: .digits))).url.query
                == "at=1970-01-01T00%3A00%3A00Z&on=1")
        let parts = try received(.multipart(["name": name, "age": age, "extra": nil])).text
        #expect(parts.contains("name=\"name\"\r\n\r\nAda\r\n") && parts.contains("name=\"age\"\r\n\r\n36\r\n"))
        #expect(!parts.contains("extra"))
    }

    @Test func `the same step sends the same literal again`() throws {
        let step = RequestStep.json(["name": name, "age": age])
        for _ in 1...2 { #expect(try json(step) == ["name": "Ada", "age": 36]) }
    }

    static let refused = [
        RefusedDraft("a number in JSON", names: "JSON", "at b") { .post($0) |> .json(["a": "x", "b": Double.nan]) },
        RefusedDraft("a nested number in JSON", names: "JSON", "at a.b[1]") {
            .post($0) |> .json(["a": ["b": [1, Double.infinity], "c": "x"], "d": 1])
        },
        RefusedDraft("a number in a form", names: "as a form", "not a finite number at a") {
            .post($0) |> .form(["a": -Double.infinity, "b": "x"])
        },
        RefusedDraft("a number in a query", names: "query cannot be encoded", "at a.b") {
            .get($0) |> .query(["a": ["b": Double.nan, "c": "x"]])
        },
        RefusedDraft("a number in a form of parts", names: "as a form", "at a") {
            .post($0) |> .multipart(["a": Double.nan, "b": "x"])
        },
        RefusedDraft("a name given twice", names: "JSON", "\"a\" is given twice") {
            .post($0) |> .json(["a": 1, "b": "x", "a": nil])
        },
        RefusedDraft("a nested name given twice", names: "JSON", "\"a\" is given twice at b") {
            .post($0) |> .json(["b": ["a": 1, "a": "x"], "c": true])
        },
        RefusedDraft("a list as a form", names: "a list has no names") { .post($0) |> .form([1, "x"]) },
        RefusedDraft("a list as a query", names: "a list has no names") { .get($0) |> .query([1, "x"]) },
    ]

    @Test(arguments: refused)
    func `a literal that cannot be encoded fails the request before anything is sent`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }
}
