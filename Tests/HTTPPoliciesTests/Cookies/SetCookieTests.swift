@testable import HTTPPolicies
import Foundation
import Testing

@Suite struct SetCookieTests {
    @Test(arguments: [
        ("a=b", "a", "b"), (" a = b ", "a", "b"), ("\ta\t=\tb\t; Path=/", "a", "b"), ("a=", "a", ""),
        ("a=b=c", "a", "b=c"), ("=b", "", "b"), ("b", "", "b"), ("a=\"b; c\"", "a", "\"b"),
        ("a=\"b c\"", "a", "\"b c\""),
        ("a=b, c=d", "a", "b, c=d"), ("ä=ö", "ä", "ö"), ("a;b=c", "", "a"), ("a=b;", "a", "b"),
    ])
    func `name and value come before the first semicolon`(field: String, name: String, value: String) {
        let cookie = SetCookie(field)
        #expect(cookie?.name == name)
        #expect(cookie?.value == value)
    }

    @Test(arguments: [
        "", ";", "=", " = ; Path=/", "a=b\u{0}", "a=b\r\nX: y", "a\u{7F}=b", "a=b; Path=/\u{1}", "\u{8}a=b",
    ])
    func `a field without name and value, or with a control character anywhere, is ignored`(field: String) {
        #expect(SetCookie(field) == nil)
    }

    @Test func `a tab is accepted`() { #expect(SetCookie("a=b\tc")?.value == "b\tc") }

    @Test func `name and value have 4096 bytes together`() {
        let text = String(repeating: "ä", count: 2047)
        #expect(SetCookie("n=\(text)x")?.value.utf8.count == 4095)
        #expect(SetCookie("nn=\(text)x") == nil)
        #expect(SetCookie("n=" + String(repeating: "x", count: 4095) + "; Path=/p")?.path == "/p")
    }

    @Test func `an attribute beyond 1024 bytes is ignored`() {
        let long = "/" + String(repeating: "x", count: 1023)
        #expect(SetCookie("a=b; Path=\(long)")?.path == long)
        #expect(SetCookie("a=b; Path=\(long)x")?.path == nil)
        #expect(SetCookie("a=b; Path=/p; Path=\(long)x")?.path == "/p")
    }

    @Test func `attributes are read without case and blanks, and unknown ones ignored`() {
        let field = " a=b ;  pAtH = /p ; SECURE=whatever;HttpOnly ; SameSite = LAX; DOMAIN=.Example.COM; Priority=High"
        let cookie = SetCookie(field)
        #expect(cookie?.path == "/p")
        #expect(cookie?.isSecure == true)
        #expect(cookie?.isHTTPOnly == true)
        #expect(cookie?.sameSite == .lax)
        #expect(cookie?.domain == "example.com")
        #expect(SetCookie("a=b").map { $0.isSecure || $0.isHTTPOnly || $0.sameSite != nil } == false)
    }

    @Test func `an invalid expiry keeps the one before`() {
        let date = "Sun, 06 Nov 2094 08:49:37 GMT"
        #expect(SetCookie("a=b; Expires=\(date); Expires=soon")?.expires == SetCookie("a=b; Expires=\(date)")?.expires)
        #expect(SetCookie("a=b; Expires=\(date)")?.expires != nil)
        #expect(SetCookie("a=b; Max-Age=5; Max-Age=soon")?.maxAge == 5)
    }

    @Test func `the last attribute of a name counts`() {
        let cookie = SetCookie("a=b; Path=/1; Domain=one.test; Path=/2; Domain=two.test; SameSite=None; SameSite=odd")
        #expect(cookie?.path == "/2")
        #expect(cookie?.domain == "two.test")
        #expect(cookie?.sameSite == nil)
        #expect(SetCookie("a=b; Path=/1; Path=relative")?.path == nil)
        #expect(SetCookie("a=b; Domain=one.test; Domain=")?.domain == "")
    }

    @Test(arguments: [
        ("Max-Age=10", 10), ("Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 10),
        ("Expires=Sat, 21 Nov 2026 00:00:30 GMT", 30), ("Max-Age=abc; Expires=Sat, 21 Nov 2026 00:00:30 GMT", 30),
        ("Max-Age=; Expires=Sat, 21 Nov 2026 00:00:30 GMT", 30), ("Max-Age=+5", nil), ("Max-Age=1.5", nil),
        ("Max-Age=-", nil), ("Expires=never", nil), ("Max-Age=5; Max-Age=x", 5), ("Path=/", nil),
        ("Max-Age=99999999999999999999999", 400 * 86_400), ("Expires=Fri, 31 Dec 9999 23:59:59 GMT", 400 * 86_400),
        ("Max-Age=34560000", 34_560_000), ("Max-Age=34560001", 34_560_000),
    ])
    func `Max-Age takes precedence over Expires, and 400 days are the maximum`(attributes: String, seconds: Int?) throws
    {
        let now = Date(timeIntervalSince1970: 1_795_219_200)
        let end = try #require(SetCookie("a=b; " + attributes)).end(from: now)
        #expect(end?.timeIntervalSince(now) == seconds.map(Double.init))
    }

    @Test(arguments: ["Max-Age=0", "Max-Age=-1", "Max-Age=-99999999999999999999999", "Max-Age=00"])
    func `a Max-Age of zero has expired`(attribute: String) throws {
        let end = try #require(SetCookie("a=b; " + attribute)).end(from: Date(timeIntervalSince1970: 0))
        #expect(end == .distantPast)
    }
}
