import HTTPPolicies
import Testing

import HTTPCore

/// The Cookie field that a request sends, and which value takes precedence.
@Suite struct CookieFieldTests {
    private let jar = CookieJar(CookieClock())

    private func field(_ steps: RequestStep) throws -> [String] {
        try Request(.get("http://h.test/") |> steps).withCookies().headers.values(for: "Cookie")
    }

    @Test func `without a jar the caller's fields are sent unchanged`() throws {
        #expect(try field(.header("Cookie", "a=1;b=2") |> .addingHeader("Cookie", "c=3")) == ["a=1;b=2", "c=3"])
    }

    @Test func `a jar without cookies for the URL sends none`() throws {
        #expect(try field(.cookies(jar)) == [])
        #expect(try field(.cookies(jar) |> .header("Cookie", "a=1;b=2")) == ["a=1;b=2"])
    }

    @Test func `the caller's cookies come first and replace the jar's of the same name`() throws {
        for field in ["a=jar", "b=jar", "bare"] { try jar.store(field, from: "http://h.test/") }
        #expect(try field(.cookies(jar)) == ["a=jar; b=jar; bare"])
        #expect(try field(.cookies(jar) |> .header("Cookie", "z=own;b=own")) == ["z=own; b=own; a=jar; bare"])
        let twice = RequestStep.header("Cookie", "z=own") |> .addingHeader("cookie", " y=own; ".trimmed)
        #expect(try field(.cookies(jar) |> twice) == ["z=own; y=own; a=jar; b=jar; bare"])
    }

    @Test func `a later step sets another jar or none`() throws {
        try jar.store("a=1", from: "http://h.test/")
        #expect(try field(.cookies(jar) |> .cookies(CookieJar())) == [])
        #expect(try field(.cookies(jar) |> .cookies(nil)) == [])
        #expect(try Request(.get("http://h.test/")).cookies == nil)
    }

    @Test func `a service's defaults set the jar for each of its requests`() throws {
        struct Shop: RequestGenerator {
            let baseURL = "http://h.test/v1"
            let jar: CookieJar
            var defaults: RequestStep { .cookies(jar) }
        }
        try jar.store("a=1; Path=/", from: "http://h.test/")
        #expect(try Request(Shop(jar: jar).get("orders")).withCookies().headers["Cookie"] == "a=1")
    }
}

extension String {
    fileprivate var trimmed: String { String(ASCII.trimmed(self[...])) }
}
