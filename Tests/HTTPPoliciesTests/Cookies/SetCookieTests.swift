import Foundation
import HTTPCore
import Testing

@testable import HTTPPolicies

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

@Suite struct CookieDateTests {
    /// 1994-11-06T08:49:37Z.
    private static let instant = 784_111_777.0

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "6 nov 1994 8:49:37", "NOVEMBER/6/94@08:49:37z", "08:49:37 6 Nov 1994", "06 Nov 1994 08:49:37 +0200",
        "\t6;Nov;1994;8:49:37", "6th Nov 94AD 08:49:37pm", "1994 6 Nov 08:49:37 77",
    ])
    func `all forms that servers write mean the same moment`(text: String) {
        #expect(CookieDate.parse(text)?.timeIntervalSince1970 == Self.instant)
    }

    @Test(arguments: [
        ("1 Jan 70 0:0:0", 0.0), ("1 Jan 69 00:00:00", 3_124_224_000), ("31 Dec 99 23:59:59", 946_684_799),
        ("1 Jan 00 00:00:00", 946_684_800), ("29 Feb 2024 12:00:00", 1_709_208_000),
        ("1 Jan 1601 00:00:00", -11_644_473_600), ("31 Dec 9999 23:59:59", 253_402_300_799),
        ("1 Mar 1900 00:00:00", -2_203_891_200),
    ])
    func `years have their own century, or one by a rule`(text: String, seconds: Double) {
        #expect(CookieDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: [
        "", "0", "Thu", "6 Nov 1994", "Nov 1994 08:49:37", "6 1994 08:49:37", "6 Nov 08:49:37",
        "6 Nov 4 08:49:37",
        "31 Apr 2024 00:00:00", "29 Feb 2023 00:00:00", "29 Feb 1900 00:00:00", "32 Jan 2024 00:00:00",
        "0 Jan 2024 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 2024 24:00:00", "1 Jan 2024 00:60:00",
        "1 Jan 2024 00:00:60", "1 Jan 12024 00:00:00", "1 Jan 2024 00:00", "1 Jan 2024 000:00:00",
        "1 Jän 2024 00:00:00", "1 Jan 2024 1x:00:00",
    ])
    func `an invalid date gives none`(text: String) { #expect(CookieDate.parse(text) == nil) }

    @Test func `the first of each part counts`() {
        #expect(
            CookieDate.parse("6 Nov 1994 08:49:37 7 Dec 1995 09:50:38")?.timeIntervalSince1970 == Self.instant)
    }
}

/// Domains and paths.
@Suite struct CookieScopeTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("www.example.com", "example.com", true),
        ("a.b.example.com", "example.com", true), ("example.com", "www.example.com", false),
        ("badexample.com", "example.com", false), ("example.com", "com.example", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "0.0.1", false), ("::1", "::1", true), ("example.com", "", false),
    ])
    func `a host belongs to a domain that is the host or ends it at a dot`(host: String, domain: String, does: Bool) {
        #expect(CookieDomain.matches(host, domain) == does)
    }

    private static let rule = PublicSuffixRule { ["com", "github.io", "test"].contains($0) }

    @Test(arguments: [
        ("", "www.example.com", "www.example.com", true), ("example.com", "www.example.com", "example.com", false),
        ("example.com", "example.com", "example.com", false), ("github.io", "github.io", "github.io", true),
        ("test", "test", "test", true), ("10.0.0.1", "10.0.0.1", "10.0.0.1", true),
    ])
    func `a Domain widens a cookie, a public suffix does not`(
        attribute: String, host: String, domain: String, isHostOnly: Bool
    ) {
        let scope = CookieDomain.scope(of: attribute, from: host, by: Self.rule)
        #expect(scope?.domain == domain)
        #expect(scope?.isHostOnly == isHostOnly)
    }

    @Test(arguments: [
        ("com", "www.example.com"), ("github.io", "me.github.io"), ("www.example.com", "example.com"),
        ("other.com", "example.com"), ("0.0.1", "10.0.0.1"), ("bücher.com", "bücher.com"), (".com", "example.com"),
        ("example.com.", "www.example.com"),
    ])
    func `a Domain that does not cover the server is refused`(attribute: String, host: String) {
        #expect(CookieDomain.scope(of: attribute, from: host, by: Self.rule) == nil)
    }

    @Test func `without a list a Domain reaches only the host`() {
        #expect(CookieDomain.scope(of: "example.com", from: "www.example.com", by: .strict) == nil)
        #expect(CookieDomain.scope(of: "example.com", from: "example.com", by: .strict)?.isHostOnly == true)
    }

    @Test(arguments: [
        ("com", true), ("co.uk", true), ("github.io", true), ("unlisted-name-of-a-lan", true), ("ck", true),
        ("example.com", false), ("example.co.uk", false), ("www.ck", false), ("me.github.io", false),
    ])
    func `the system's list knows the domains of registries`(domain: String, isPublic: Bool) throws {
        let rule = try #require(PublicSuffixLibrary.rule, "no libpsl came with libcurl")
        #expect(rule.isPublicSuffix(domain) == isPublic)
    }

    @Test(arguments: [
        ("http://h", "/"), ("http://h/", "/"), ("http://h/a", "/"), ("http://h/a/", "/a"), ("http://h/a/b", "/a"),
        ("http://h/a/b/?c/d", "/a/b"), ("http://h/?/x/y", "/"),
    ])
    func `the default path is the URL's directory`(url: String, path: String) throws {
        #expect(CookiePath.standard(for: try HTTPURL(url)) == path)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/a/b", "/a/", true), ("/ab", "/a", false), ("/a", "/a/", false), ("/A", "/a", false), ("/", "/a", false),
    ])
    func `a path matches the same path or one that continues at a slash`(path: String, cookie: String, does: Bool) {
        #expect(CookiePath.matches(path, cookie) == does)
    }
}
