import HTTPPolicies
import Foundation
import Testing

import HTTPCore

/// The effect of http on cookies that only https may set (RFC 6265bis §5.7, "leave secure cookies alone").
@Suite struct CookieShadowTests {
    private let clock = CookieClock()
    private let jar: CookieJar

    init() { jar = CookieJar(clock) }

    @Test func `a cookie for the whole domain is not set over http if a host below it has a Secure one`() throws {
        try jar.store("a=safe; Secure; Path=/", from: "https://www.example.com/")
        #expect(try !jar.store("a=evil; Domain=example.com; Path=/", from: "http://www.example.com/"))
        #expect(try !jar.store("a=evil; Path=/", from: "http://example.com/"))
        #expect(try jar.field(for: "https://www.example.com/") == "a=safe")
        #expect(jar.cookies.map(\.value) == ["safe"])
        // A sibling host is not affected.
        #expect(try jar.store("a=own; Path=/", from: "http://other.example.com/"))
    }

    @Test func `an expired Secure cookie blocks no other`() throws {
        try jar.store("a=old; Secure; Max-Age=10; Path=/", from: "https://www.example.com/")
        #expect(try !jar.store("a=new; Path=/", from: "http://www.example.com/"))
        clock.advance(11)
        #expect(try jar.store("a=new; Path=/", from: "http://www.example.com/"))
        #expect(try jar.field(for: "http://www.example.com/") == "a=new")
    }

    @Test func `a cookie that becomes Secure counts as changed`() throws {
        try jar.store("a=1", from: "https://h.test/")
        #expect(try jar.store("a=1; Secure", from: "https://h.test/"))
        #expect(try !jar.store("a=1; Secure", from: "https://h.test/"))
        #expect(try jar.store("a=1", from: "https://h.test/"))
    }
}
