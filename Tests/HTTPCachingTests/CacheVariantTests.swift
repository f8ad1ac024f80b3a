@testable import HTTPCaching
import HTTPPolicies
import Testing

import HTTPCore

/// RFC 9111 §4.1.
@Suite struct CacheVariantTests {
    @Test(arguments: ["A B", "A, B/C", "\"A\"", "A; q=1", "Ä", "A,,*", "A: 1", "(A)"])
    func `a Vary with a member that is no field name matches no other request`(vary: String) throws {
        #expect(try CacheVariant(["Vary": vary], answering: CacheFixture.request(["A": "1"])) == nil)
        #expect(try CacheVariant(["Vary": ",A , ,"], answering: CacheFixture.request(["A": "1"]))?.fields.count == 1)
    }

    @Test func `a coded body answers requests that have it decoded as the first did`() throws {
        let plain = try CacheFixture.request()
        let raw = try CacheFixture.request(["Accept-Encoding": "gzip"])
        let identity = try CacheFixture.request(["Accept-Encoding": "identity"])
        for (one, others) in [(plain, [raw, identity]), (raw, [plain, identity]), (identity, [plain, raw])] {
            let coded = try #require(CacheVariant(["Content-Encoding": "gzip"], answering: one))
            #expect(coded.matches(one) && !others.contains { coded.matches($0) })
            let whole = try #require(CacheVariant([:], answering: one))
            #expect(others.allSatisfy { whole.matches($0) })
        }
        // Nor are the others asked about, so that a 304 could make it theirs.
        let stored = try CacheFixture.stored([
            "Content-Encoding": "gzip", "ETag": "\"1\"", "Cache-Control": "max-age=9",
        ])
        #expect(CacheVerdict([stored], for: raw, at: CacheFixture.now) == .send(.varyMiss))
    }

    /// Vary, the fields of the first request, and those of one that it answers.
    @Test(
        arguments: [
            ("", ["A": "1"], ["A": "2"]),
            ("A", ["A": "1"], ["a": "1", "B": "2"]),
            ("A, B", ["A": "1"], ["A": "1"]),
            ("A", ["A": "1, 2"], ["A": "1", "a": "2"]),
            ("A", ["A": "1,2"], ["A": "1 ,  2"]),
            ("Accept-Language", ["Accept-Language": "en, de"], ["Accept-Language": "EN,De"]),
            ("A", ["A": "\"x, y\""], ["A": "\"x, y\""]),
        ] as [(String, HTTPHeaders, HTTPHeaders)])
    func `it answers requests with the same fields`(vary: String, first: HTTPHeaders, second: HTTPHeaders)
        throws
    {
        let variant = try #require(CacheVariant(["Vary": vary], answering: CacheFixture.request(first)))
        #expect(try variant.matches(CacheFixture.request(second)))
        #expect(try variant.digested.matches(CacheFixture.request(second)))
    }

    @Test(
        arguments: [
            ("A", ["A": "1"], ["A": "2"]),
            ("A", ["A": "1"], [:]),
            ("A", [:], ["A": "1"]),
            ("A", [:], ["A": ""]),
            ("A, B", ["A": "1", "B": "1"], ["A": "1", "B": "11"]),
            ("A", ["A": "\"x, y\""], ["A": "\"x,y\""]),
            ("Accept-Language", ["Accept-Language": "en, de"], ["Accept-Language": "de, en"]),
            ("A", ["A": "x"], ["A": "X"]),
            ("", ["Authorization": "Bearer a"], ["Authorization": "Bearer b"]),
            ("", ["Authorization": "Bearer a"], [:]),
            ("", [:], ["Authorization": "Bearer a"]),
        ] as [(String, HTTPHeaders, HTTPHeaders)])
    func `it answers no others`(vary: String, first: HTTPHeaders, second: HTTPHeaders) throws {
        let variant = try #require(CacheVariant(["Vary": vary], answering: CacheFixture.request(first)))
        #expect(try !variant.matches(CacheFixture.request(second)))
        #expect(try !variant.digested.matches(CacheFixture.request(second)))
    }

    @Test(arguments: ["*", "A, *", "*, A", ",*", (0..<40).map { "A\($0)" }.joined(separator: ",")])
    func `a response that varies by everything answers no other request`(vary: String) throws {
        #expect(try CacheVariant(["Vary": vary], answering: CacheFixture.request()) == nil)
    }

    @Test func `cookies count as sent, including those of the jar`() throws {
        let jar = CookieJar()
        let draft = MutableRequest.get(CacheFixture.url) |> .cookies(jar)
        let url = try HTTPURL(CacheFixture.url)
        jar.store(["a=1"], from: url)
        let variant = try #require(CacheVariant(["Vary": "Cookie"], answering: CacheRequest(Request(draft))))
        #expect(try variant.matches(CacheRequest(Request(draft))))
        jar.store(["a=2"], from: url)
        #expect(try !variant.matches(CacheRequest(Request(draft))))
    }

    @Test func `a digest contains no credentials`() throws {
        let fields: HTTPHeaders = ["Authorization": "Bearer s3cret", "Cookie": "a=s3cret"]
        let variant = try #require(CacheVariant(["Vary": "Cookie"], answering: CacheFixture.request(fields)))
        #expect("\(variant)".contains("s3cret") && !"\(variant.digested)".contains("s3cret"))
    }
}
