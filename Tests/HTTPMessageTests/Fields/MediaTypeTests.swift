import HTTPCore
import Testing

@Suite struct MediaTypeTests {
    @Test func `a lone quote is a value and not a quoted string`() {
        #expect(MediaType("a/b; c=\"")?.parameters.map(\.value) == ["\""])
        #expect(MediaType("a/b; c=\"\"")?.parameters.map(\.value) == [""])
    }

    @Test(arguments: [
        ("text/html", "text/html", [String]()),
        ("Text/HTML;Charset=UTF-8", "text/html", ["charset=UTF-8"]),
        ("  application/json ; a=1 ;  b=2 ", "application/json", ["a=1", "b=2"]),
        ("text/plain;", "text/plain", []),
        ("text/plain;;charset=x", "text/plain", ["charset=x"]),
        ("a/b; c=\"d;e\"", "a/b", ["c=d;e"]),
        ("a/b; c=\"d\\\"e\\\\f\"; g=h", "a/b", ["c=d\"e\\f", "g=h"]),
        ("a/b; c=\"\"", "a/b", ["c="]),
        ("a/b; c=d=e", "a/b", ["c=d=e"]),
        ("a/b; novalue; c=d", "a/b", ["c=d"]),
        ("a/b; bad name=1; c=d", "a/b", ["c=d"]),
        ("application/vnd.api+json", "application/vnd.api+json", []),
    ])
    func `a type is parsed with its parameters`(text: String, essence: String, parameters: [String]) throws {
        let type = try #require(MediaType(text))
        #expect(type.essence == essence)
        #expect(type.parameters.map { "\($0.name)=\($0.value)" } == parameters)
    }

    @Test(arguments: [
        "", " ", "text", "text/", "/html", "text//html", "text/html/x", "te xt/html", "text/ht ml", ";charset=utf-8",
        "text/html, text/plain", "text/h\u{E9}", "*",
    ])
    func `an invalid type is nil`(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test(
        arguments: [
            ("a/b", nil), ("a/b;charset=UTF-8", "utf-8"), ("a/b;CHARSET=\"Latin1\"", "latin1"),
            ("a/b;charset=one;charset=two", "one"),
        ] as [(String, String?)])
    func `the charset is in lower case and the first one counts`(text: String, charset: String?) {
        #expect(MediaType(text)?.charset == charset)
    }

    @Test(arguments: [
        ("application/json", true), ("text/json", true), ("application/problem+json; charset=utf-8", true),
        ("APPLICATION/JSON", true), ("application/jsonp", false), ("text/html", false), ("application/x-ndjson", false),
    ])
    func `JSON is recognized by its names`(text: String, isJSON: Bool) {
        #expect(MediaType(text)?.isJSON == isJSON)
    }

    @Test(arguments: [
        ("text/csv", true), ("application/x-amz-json-1.1", true), ("application/x-ndjson", true),
        ("image/svg+xml", true),
        ("application/x-www-form-urlencoded", true), ("application/octet-stream", false), ("image/png", false),
        ("multipart/form-data; boundary=b", false),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", false),
    ])
    func `text is recognized by its names`(text: String, isText: Bool) { #expect(MediaType(text)?.isText == isText) }

    @Test(arguments: [
        ("a/b; c=\"d\"\u{301}; e=f", ["c=\"d\"\u{301}", "e=f"]),
        ("a/b; c=\"d\\\u{301}e\"; f=g", ["c=d\u{301}e", "f=g"]),
        ("a/b;\u{301}=c; d=e", ["d=e"]), ("a/b; c=\u{301}", ["c=\u{301}"]),
        ("a/b; c=\"\\\"\u{301};d\"", ["c=\"\u{301};d"]),
    ])
    func `a combining mark does not hide the character before it`(text: String, parameters: [String]) throws {
        let type = try #require(MediaType(text))
        #expect(type.parameters.map { "\($0.name)=\($0.value)" } == parameters)
        #expect(MediaType(type.description) == type)
    }

    @Test(arguments: ["a/b", "a/b; c=d", "a/b; c=\"d e\"; f=g", #"a/b; c="d\"e\\f""#, "a/b; c=\"\""])
    func `printing a type and reading it again gives the same type`(text: String) throws {
        let type = try #require(MediaType(text))
        #expect(type.description == text)
        #expect(MediaType(type.description) == type)
    }
}
