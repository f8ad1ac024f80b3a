import HTTPPolicies
import Foundation
import Testing

import HTTPCore

/// What a jar accepts, keeps and sends.
@Suite struct CookieStoreTests {
    private let clock = CookieClock()
    private let jar: CookieJar

    init() { jar = CookieJar(clock) }

    @Test func `a cookie is sent only to its host and directory`() throws {
        try jar.store("a=1", from: "http://www.example.com/dir/page")
        #expect(try jar.field(for: "http://www.example.com/dir/other") == "a=1")
        #expect(try jar.field(for: "https://www.example.com:8443/dir") == "a=1")
        #expect(try jar.field(for: "http://WWW.example.com./dir/x/y?z") == "a=1")
        for url in ["http://example.com/dir/", "http://a.www.example.com/dir/", "http://www.example.com/director"] {
            #expect(try jar.field(for: url) == "")
        }
    }

    @Test func `a cookie with a Domain is sent to every host below it`() throws {
        try jar.store("a=1; Domain=.Example.com; Path=/", from: "http://www.example.com/dir/page")
        for host in ["example.com", "www.example.com", "x.y.example.com"] {
            #expect(try jar.field(for: "http://\(host)/") == "a=1")
        }
        #expect(try jar.field(for: "http://anexample.com/") == "")
        #expect(jar.cookies.map(\.isHostOnly) == [false])
    }

    @Test(arguments: [
        ("http://example.com/", "a=1; Domain=com"), ("http://example.com/", "a=1; Domain=.com"),
        ("http://example.com/", "a=1; Domain=www.example.com"), ("http://example.com/", "a=1; Domain=other.com"),
        ("http://127.0.0.1/", "a=1; Domain=0.0.1"), ("http://example.com/", "a=1; Secure"),
        ("http://example.com/", "__Secure-a=1"), ("https://example.com/", "__Secure-a=1"),
        ("https://example.com/", "__SECURE-a=1"), ("https://example.com/", "__Host-a=1; Secure"),
        ("https://example.com/", "__Host-a=1; Path=/"), ("https://example.com/", "__Host-a=1; Secure; Path=/x"),
        ("https://example.com/", "__host-a=1; Secure; Path=/; Domain=example.com"),
        ("https://example.com/", "=__Secure-a=1; Secure"), ("https://example.com/", "=sid=other"),
        ("https://example.com/", "==a"), ("https://example.com/", "__Host-a; Secure; Path=/"),
    ])
    func `a cookie that the server must not set is refused`(url: String, field: String) throws {
        #expect(try !jar.store(field, from: url))
        #expect(jar.cookies.isEmpty)
    }

    @Test(arguments: ["__Secure-a=1; Secure", "__Host-a=1; Secure; Path=/", "__Secure-a=1; Secure; Domain=example.com"])
    func `a cookie that meets the conditions of its prefix is kept`(field: String) throws {
        #expect(try jar.store(field, from: "https://example.com/"))
        #expect(try jar.field(for: "https://example.com/") == field.prefix { $0 != ";" })
        #expect(try jar.field(for: "http://example.com/") == "")
    }

    @Test func `longer paths come first, then earlier cookies`() throws {
        let url = "http://example.com/a/b/c"
        for field in ["1=x; Path=/", "2=x; Path=/a/b", "3=x; Path=/a", "4=x; Path=/a/b", "5=x; Path=/"] {
            try jar.store(field, from: url)
        }
        #expect(try jar.field(for: url) == "2=x; 4=x; 3=x; 1=x; 5=x")
        clock.advance(5)
        try jar.store("2=new; Path=/a/b", from: url)
        #expect(try jar.field(for: url) == "2=new; 4=x; 3=x; 1=x; 5=x")
        #expect(jar.cookies.first { $0.name == "2" }?.created == clock.now.addingTimeInterval(-5))
    }

    @Test func `another path or domain makes another cookie`() throws {
        try jar.store("a=1; Path=/", from: "http://www.example.com/")
        try jar.store("a=2; Path=/x", from: "http://www.example.com/")
        try jar.store("a=3; Path=/; Domain=example.com", from: "http://www.example.com/")
        try jar.store("a=4; Path=/; Domain=www.example.com", from: "http://www.example.com/")
        #expect(try jar.field(for: "http://www.example.com/x") == "a=2; a=1; a=3; a=4")
    }

    @Test func `cookies without a name or without a value are sent as received`() throws {
        try jar.store("bare", from: "http://h.test/")
        try jar.store("a=", from: "http://h.test/")
        try jar.store("=other", from: "http://h.test/")
        #expect(try jar.field(for: "http://h.test/") == "other; a=")
    }

    @Test func `a cookie expires at its time, to the second`() throws {
        try jar.store("a=1; Max-Age=10", from: "http://h.test/")
        try jar.store("b=1", from: "http://h.test/")
        clock.advance(9.5)
        #expect(try jar.field(for: "http://h.test/") == "a=1; b=1")
        clock.advance(0.5)
        #expect(try jar.field(for: "http://h.test/") == "b=1")
        #expect(jar.cookies.map(\.name) == ["b"])
    }

    @Test func `the server removes a cookie by an expiry in the past`() throws {
        try jar.store("a=1", from: "http://h.test/")
        #expect(try jar.store("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", from: "http://h.test/"))
        #expect(jar.cookies.isEmpty)
        #expect(try !jar.store("a=; Max-Age=0", from: "http://h.test/"))
    }

    @Test func `storing reports whether anything has changed`() throws {
        #expect(try jar.store("a=1", from: "http://h.test/"))
        #expect(try !jar.store("a=1", from: "http://h.test/"))
        #expect(try jar.store("a=2", from: "http://h.test/"))
        #expect(!jar.store(["", "b=1; Domain=other.test"], from: try HTTPURL("http://h.test/")))
        #expect(jar.store(["a=2", "b=1"], from: try HTTPURL("http://h.test/")))
        clock.advance(1)
        try jar.store("c=1; Max-Age=5", from: "http://h.test/")
        clock.advance(6)
        #expect(try jar.store("c=1; Max-Age=5", from: "http://h.test/"))
    }

    @Test func `http cannot set a cookie that shadows one limited to https`() throws {
        try jar.store("a=safe; Secure; Domain=example.com; Path=/in", from: "https://www.example.com/")
        #expect(try !jar.store("a=evil; Domain=example.com; Path=/in", from: "http://www.example.com/"))
        #expect(try !jar.store("a=evil; Path=/in/side", from: "http://www.example.com/"))
        #expect(try !jar.store("a=evil; Path=/in", from: "http://example.com/"))
        #expect(try !jar.store("a=; Max-Age=0; Domain=example.com; Path=/in", from: "http://www.example.com/"))
        #expect(try jar.store("a=elsewhere; Path=/", from: "http://www.example.com/"))
        #expect(try jar.store("b=other; Path=/in", from: "http://www.example.com/"))
        #expect(try jar.field(for: "https://www.example.com/in") == "a=safe; b=other; a=elsewhere")
        #expect(try jar.store("a=renewed; Domain=example.com; Path=/in", from: "https://www.example.com/"))
    }
}
