import HTTPCore
import Testing

@Suite struct HTTPHeadersTests {
    private let sample: HTTPHeaders = ["B": "1", "a": "2", "b": "3", "C": "4"]

    @Test func `fields keep their order and spelling and a literal may repeat a name`() {
        #expect(sample.map(\.name) == ["B", "a", "b", "C"])
        #expect(sample.map(\.value) == ["1", "2", "3", "4"])
        #expect(sample.count == 4)
        #expect(HTTPHeaders(sample.reversed()).map(\.name) == ["C", "b", "a", "B"])
    }

    @Test(arguments: ["b", "B"])
    func `names are looked up without case`(name: String) {
        #expect(sample[name] == "1")
        #expect(sample.values(for: name) == ["1", "3"])
        #expect(sample.combinedValue(for: name) == "1, 3")
        #expect(sample.contains(name))
    }

    @Test func `case folds ASCII letters only`() {
        let headers: HTTPHeaders = ["K": "1", "[": "2"]
        #expect(headers["\u{212A}"] == nil, "the Kelvin sign is no k")
        #expect(headers["{"] == nil)
        #expect(headers["@"] == nil && HTTPHeaders(dictionaryLiteral: ("`", "x"))["@"] == nil)
    }

    @Test func `an absent name has no value`() {
        #expect(sample["x"] == nil)
        #expect(sample.values(for: "x").isEmpty)
        #expect(sample.combinedValue(for: "x") == nil)
        #expect(!sample.contains("x"))
    }

    @Test func `append adds after the others`() {
        var headers = sample
        headers.append("5", for: "A")
        #expect(headers.map(\.name) == ["B", "a", "b", "C", "A"])
        #expect(headers.values(for: "a") == ["2", "5"])
    }

    @Test func `set replaces the first value and removes the rest`() {
        var headers = sample
        headers.set("9", for: "b")
        #expect(headers.map { "\($0.name)\($0.value)" } == ["b9", "a2", "C4"])
        headers.set("8", for: "new")
        #expect(headers.last == HTTPHeaders.Field(name: "new", value: "8"))
        headers["A"] = "7"
        #expect(headers.map { "\($0.name)\($0.value)" } == ["b9", "A7", "C4", "new8"])
    }

    @Test func `setting nil and removing remove every field of the name`() {
        var headers = sample
        headers["b"] = nil
        #expect(headers.map(\.name) == ["a", "C"])
        headers.removeAll(named: "A")
        headers.removeAll(named: "absent")
        #expect(headers.map(\.name) == ["C"])
        headers.removeAll { $0.value == "4" }
        #expect(headers.isEmpty)
    }

    @Test func `equality ignores the case of names, but not order and values`() {
        let lower: HTTPHeaders = ["b": "1", "A": "2", "B": "3", "c": "4"]
        #expect(sample == lower)
        #expect(sample.hashValue == lower.hashValue)
        #expect(sample != HTTPHeaders(sample.reversed()))
        #expect(sample != HTTPHeaders(sample.dropLast()))
        #expect(["a": "X"] as HTTPHeaders != ["a": "x"])
    }

    @Test func `a changed copy leaves the original`() {
        var copy = sample
        copy["a"] = "changed"
        #expect(sample["a"] == "2")
    }

    @Test func `values with different bytes differ even if they look alike`() {
        #expect(HTTPHeaders.Field(name: "a", value: "\u{E9}") != HTTPHeaders.Field(name: "a", value: "e\u{301}"))
        #expect(["a": "\u{E9}"] as HTTPHeaders != ["a": "e\u{301}"])
    }

    @Test func `printing shows allow-listed values and masks the rest`() {
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain", "AUTHORIZATION": "Bearer secret", "Cookie": "id=secret",
            "Set-Cookie": "id=secret", "X-Api-Key": "secret", "Location": "https://h/?token=secret", "etag": "\"1\"",
            "Proxy-Authorization": "secret", "WWW-Authenticate": "secret", "Referer": "https://h/secret",
        ]
        #expect("\(headers)".contains("Content-Type: text/plain"))
        #expect("\(headers)".contains("etag: \"1\""))
        #expect("\(headers)".contains("AUTHORIZATION: <redacted>"))
        #expect(!"\(headers)".contains("secret"))
        #expect("\(headers)".split(separator: "\n").count == headers.count)
    }

    @Test func `printing a field or its debug form shows no secret either`() throws {
        let headers: HTTPHeaders = ["Authorization": "Bearer secret"]
        let field = try #require(headers.first)
        #expect(!"\(field)".contains("secret"))
        #expect(!String(reflecting: field).contains("secret"))
        #expect(!String(reflecting: headers).contains("secret"))
    }
}
