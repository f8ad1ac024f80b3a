import HTTPPolicies
import Foundation
import Testing

import HTTPCore

@Suite struct CookieEvictionTests {
    private let clock = CookieClock()
    private let jar: CookieJar

    init() { jar = CookieJar(clock) }

    private var names: Set<String> { Set(jar.cookies.map(\.name)) }

    /// A cookie for each of 50 hosts, h0.test and so on, one after the other; then as many for `bulk` full domains.
    private func fill(_ bulk: Int) throws {
        for index in 0..<50 {
            clock.advance(1)
            try jar.store("c=1", from: "http://h\(index).test/")
        }
        clock.advance(1)
        for domain in 0..<bulk {
            _ = jar.store((0..<50).map { "c\($0)=1" }, from: try HTTPURL("http://full\(domain).test/"))
        }
    }

    @Test func `a domain keeps 50 cookies, and the least recently used is evicted`() throws {
        for index in 0..<50 {
            clock.advance(1)
            try jar.store("c\(index)=1; Path=/\(index)", from: "http://h.test/")
        }
        clock.advance(1)
        #expect(try jar.field(for: "http://h.test/0") == "c0=1")
        clock.advance(1)
        try jar.store("new=1", from: "http://h.test/")
        #expect(jar.cookies.count == 50)
        #expect(names.isSuperset(of: ["c0", "c2", "new"]))
        #expect(!names.contains("c1"))
    }

    @Test func `in a full domain cookies for any scheme are evicted before those for https`() throws {
        for index in 0..<49 { try jar.store("s\(index)=1; Secure", from: "https://h.test/") }
        clock.advance(1)
        try jar.store("plain=1", from: "https://h.test/")
        clock.advance(1)
        try jar.store("s49=1; Secure", from: "https://h.test/")
        #expect(jar.cookies.count == 50)
        #expect(!names.contains("plain"))
        try jar.store("s50=1; Secure", from: "https://h.test/")
        #expect(!names.contains("s0"))
    }

    @Test func `expired cookies are evicted first`() throws {
        for index in 0..<49 { try jar.store("c\(index)=1", from: "http://h.test/") }
        try jar.store("short=1; Max-Age=5", from: "http://h.test/")
        clock.advance(6)
        try jar.store("new=1", from: "http://h.test/")
        #expect(names == Set((0..<49).map { "c\($0)" } + ["new"]))
    }

    @Test func `of a response with too many cookies for its domain and the jar the latest are kept`() throws {
        for domain in 0..<60 {
            _ = jar.store((0..<50).map { "c\($0)=1; Secure" }, from: try HTTPURL("https://h\(domain).test/"))
            clock.advance(1)
        }
        #expect(jar.cookies.count == 3000)
        #expect(jar.store((0..<1000).map { "k\($0)=1" }, from: try HTTPURL("http://other.test/")))
        #expect(jar.cookies.count == 3000)
        let latest = (950..<1000).map { "k\($0)=1" }
        #expect(try jar.field(for: "http://other.test/") == latest.joined(separator: "; "))
        #expect(try jar.field(for: "https://h0.test/") == "")
        #expect(try jar.field(for: "https://h1.test/") != "")
    }

    @Test func `of a response with thousands of cookies the last 200 count`() throws {
        let fields = ["early=1; Domain=h.test", "late=1; Domain=h.test"] + (0..<199).map { "c\($0)=1" }
        #expect(jar.store(fields, from: try HTTPURL("http://a.h.test/")))
        #expect(try jar.field(for: "http://h.test/") == "late=1")
        #expect(try jar.field(for: "http://a.h.test/").hasSuffix("; c198=1"))
        #expect(jar.cookies.count == 51)
    }

    @Test func `in the whole jar expired cookies are evicted first too`() throws {
        try fill(58)
        for index in 0..<49 { try jar.store("c=1", from: "http://last\(index).test/") }
        #expect(jar.cookies.count == 2999)
        clock.advance(1)
        try jar.store("short=1; Max-Age=5", from: "http://short.test/")
        clock.advance(6)
        try jar.store("c=1", from: "http://one-more.test/")
        #expect(jar.cookies.count == 3000)
        #expect(try jar.field(for: "http://h0.test/") == "c=1")
    }

    @Test func `a full domain does not affect others, and 3000 cookies are kept in all`() throws {
        try fill(59)
        #expect(jar.cookies.count == 3000)
        clock.advance(1)
        #expect(try jar.field(for: "http://h0.test/") == "c=1")
        try jar.store("c=1", from: "http://one-more.test/")
        #expect(jar.cookies.count == 3000)
        #expect(try jar.field(for: "http://h1.test/") == "")
        #expect(try jar.field(for: "http://h0.test/") == "c=1")
    }
}
