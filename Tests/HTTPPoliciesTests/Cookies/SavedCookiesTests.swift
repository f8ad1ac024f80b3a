import HTTPPolicies
import Foundation
import Testing

import HTTPCore

/// Saved lists that were damaged, or edited by hand.
@Suite struct SavedCookiesTests {
    private static let whole = """
        {"name":"NAME","value":"opensesame","domain":"h.test","isHostOnly":true,"path":"/","isSecure":true,\
        "isHTTPOnly":false,"created":0,"lastUsed":0}
        """

    private static func entry(_ name: String, _ changes: (String, String)...) -> String {
        changes.reduce(whole.replacingOccurrences(of: "NAME", with: name)) {
            $0.replacingOccurrences(of: $1.0, with: $1.1)
        }
    }

    private func read(_ entries: [String]) throws -> SavedCookies {
        try JSONDecoder().decode(SavedCookies.self, from: Data("[\(entries.joined(separator: ","))]".utf8))
    }

    @Test func `an unreadable entry is listed, and the others are kept`() throws {
        let saved = try read([
            Self.entry("a"), Self.entry("b", ("\"path\":\"/\"", #""path":"/x\u0001y""#)), Self.entry("c"), "17", "null",
            Self.entry("d", ("\"isSecure\":true", "\"isSecure\":\"yes\"")),
            Self.entry("e", ("\"domain\":\"h.test\",", "")),
            Self.entry("__Host-f", ("\"isSecure\":true", "\"isSecure\":false")),
            Self.entry("g", ("opensesame", #"1\r\nX: y"#)),
            Self.entry("z"),
        ])
        #expect(saved.cookies.map(\.name) == ["a", "c", "z"])
        #expect(saved.skipped.map(\.index) == [1, 3, 4, 5, 6, 7, 8])
        #expect(saved.skipped.map(\.name) == ["b", nil, nil, "d", "e", "__Host-f", "g"])
        #expect(
            saved.skipped.map(\.reason) == [
                "the path is not valid", "it is not an object", "it is not an object",
                "its isSecure is of another type",
                "it has no domain",
                "the name begins with __Host- or __Secure-, and the cookie lacks the attributes that this requires",
                "name and value could not have come from a Set-Cookie field",
            ])
        #expect(CookieJar(CookieClock(0), restoring: saved.cookies).cookies.count == 3)
    }

    @Test func `a printed skipped entry stays on one line and does not show the value`() throws {
        let saved = try read([Self.entry(#"b\n\u001b[2J"#)])
        let text = try #require(saved.skipped.first).description
        #expect(text.hasPrefix("entry 0 (\"b"))
        #expect(
            text.hasSuffix(
                "of the saved cookies was skipped: name and value could not have come from a Set-Cookie field"))
        #expect(!text.utf8.contains { $0 < 0x20 } && !text.contains("opensesame"))
        var dumped = ""
        dump(saved, to: &dumped)
        #expect(!dumped.contains("opensesame"))
    }

    @Test func `data without a list is an error`() {
        for text in ["{}", "17", "[", ""] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(SavedCookies.self, from: Data(text.utf8)) }
        }
    }

    @Test func `a whole list is read unchanged`() throws {
        let saved = try read([Self.entry("a"), Self.entry("b")])
        #expect(saved.skipped.isEmpty && saved.cookies.count == 2)
        #expect(try read([]).cookies.isEmpty)
    }
}
