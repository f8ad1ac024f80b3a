import HTTPCore
import Testing

/// The text of an error about a server's refusal.
@Suite struct RefusalTests {
    private func words(_ response: Response) -> String { "\(HTTPError.unacceptableStatus(response))" }

    private static let line = "GET https://h/p?token=<redacted>&a=1 answered "

    @Test(arguments: [
        (#"{"title":"Bad","detail":"no such user","status":404}"#, "no such user"),
        (#"{"title":"Out of credit"}"#, "Out of credit"),
        (#"{"message":"no such user"}"#, "no such user"),
        (#"{"error":"invalid_grant","error_description":"token expired"}"#, "token expired"),
        (#"{"error":"invalid_grant"}"#, "invalid_grant"),
        (#"{"message":"","title":"t"}"#, "t"),
        (#"{"message":{"a":1},"error":"e"}"#, "e"),
        (#"{"error":{"code":7,"message":"no such user"}}"#, "no such user"),
        (#"{"error":{"message":"","description":"gone"}}"#, "gone"),
        (#"{"errors":[{"message":"first"},{"message":"second"}]}"#, "first"), (#"{"errors":["first"]}"#, "first"),
        (#"{"error":{"message":"inner"},"message":"outer"}"#, "outer"),
        (#"{"error":{"code":7},"title":"t"}"#, "t"), (#"{"errors":[],"error":7,"title":"t"}"#, "t"),
        (#"{"message":"two\n lines\tand \u001b[31mcolour"}"#, "two lines and"),
    ])
    func `a JSON body's message is quoted`(body: String, message: String) {
        for type in ["application/json", "application/problem+json; charset=utf-8"] {
            let text = words(Sample.response(.notFound, reason: "Not Found", type: type, body))
            #expect(text.hasPrefix(Self.line + "404 Not Found: " + message), "\(text)")
            #expect(!text.utf8.contains { $0 < 0x20 }, "\(text.debugDescription)")
        }
    }

    @Test(arguments: [
        ("text/plain", "no such user", ": no such user"),
        ("text/html", "<p>\r\n  no\t such\n\n user </p>", ": <p> no such user </p>"),
        ("application/json", #"{"other":1}"#, #": {"other":1}"#), ("application/json", "[1", ": [1"),
        ("text/plain", "", ""), ("text/plain", " \n ", ""), ("text/plain", "a\u{0}b", ""),
        ("text/plain", "a\u{1B}[0m", ""),
        ("text/plain; charset=koi8-r", "abc", ": abc"), ("text/plain; charset=utf-16", "abc", ""),
    ])
    func `the start of a text body is quoted on one line, a binary body not at all`(
        type: String, body: String, end: String
    ) {
        #expect(words(Sample.response(.badGateway, type: type, body)) == Self.line + "502" + end)
    }

    /// A terminal treats U+009B like ESC and a bracket, and U+202E reverses the text that follows.
    @Test func `control characters beyond ASCII are escaped in a text body and in a reason`() {
        let body = Sample.response(.badGateway, type: "text/plain", "a\u{9B}31mb \u{202E}c")
        #expect(words(body) == Self.line + "502: a\\u{009B}31mb \\u{202E}c")
        let reason = Sample.response(.badGateway, reason: "No\u{9B}31m")
        #expect(words(reason) == Self.line + "502 No\\u{009B}31m")
    }

    @Test func `a binary body is not quoted`() {
        #expect(words(Sample.response(.badGateway, type: nil, [0xFF, 0xFE, 0xFD] as [UInt8])) == Self.line + "502")
    }

    /// A single character may consist of any number of scalars.
    @Test(arguments: ["text/plain", "application/json"], ["x", "\u{301}"])
    func `a long message is shortened`(type: String, piece: String) {
        let long = "x" + String(repeating: piece, count: 100_000)
        let text = words(
            Sample.response(.badGateway, type: type, type == "text/plain" ? long : "{\"message\":\"\(long)\"}"))
        #expect(text.hasSuffix(" …"))
        #expect(text.unicodeScalars.count < 300)
    }

    @Test func `of a body over 1 MiB no message is decoded, and its start is quoted`() {
        let body = #"{"message":"no such user","title":""# + String(repeating: "x", count: 1 << 20) + #""}"#
        let response = Sample.response(.badGateway, type: "application/json", body)
        #expect(response.serverMessage == nil)
        #expect(words(response).hasPrefix(Self.line + #"502: {"message":"no such user","title":"xxx"#))
    }

    @Test(arguments: 0..<4)
    func `a text is quoted by its first 4 KiB, even if they end within a character`(offset: Int) {
        let text = String(repeating: "a", count: offset) + String(repeating: "😀", count: 2000)
        let words = words(Sample.response(.badGateway, type: "text/plain", Array(text.utf8) + [0xFF]))
        #expect(words.hasPrefix(Self.line + "502: " + String(repeating: "a", count: offset) + "😀"))
    }

    @Test func `a status without a reason or a body is enough`() {
        #expect(words(Sample.response(.notFound)) == Self.line + "404")
        #expect(words(Sample.response(.notFound, reason: "Gone Fishing")) == Self.line + "404 Gone Fishing")
    }
}
