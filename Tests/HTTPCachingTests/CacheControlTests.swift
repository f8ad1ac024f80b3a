@testable import HTTPCaching
import Testing

import HTTPCore

/// RFC 9111 §5.2, RFC 5861, RFC 8246.
@Suite struct CacheControlTests {
    private func parsed(_ values: String...) -> CacheControl { CacheControl(values) }

    @Test(arguments: [
        ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60), (" max-age=60 , x", 60),
        ("x=\"max-age=9\", max-age=60", 60), ("max-age=60, max-age=9", 9), ("max-age=9, max-age=60", 9),
        ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0), ("max-age='60'", 0), ("max-age=60.5", 0),
        ("max-age=99999999999999999999", 1 << 31), ("max-age= 60", 0), ("max-age=6 0", 0),
    ])
    func `a lifetime is read in seconds, and is zero if invalid`(value: String, seconds: Int) {
        #expect(parsed(value).maxAge == seconds)
    }

    @Test(arguments: ["max-age =60", "x", "=60", ",,", "", "xmax-age=60", "\"max-age=60\"", "x=\"a, max-age=60"])
    func `an invalid directive is ignored`(value: String) { #expect(parsed(value).maxAge == nil) }

    @Test(arguments: [
        "no-store", "no-store=x", "max-age=60, x=\"a, no-store", "x=\"a, No-Store ,b", "no-store; private",
        "private; no-store; max-age=60", "max-age=60, no-store; private", "no-cache no-store", "private\tNo-Store",
        "max-age=60; no-store", "public;no-store",
    ])
    func `no-store counts however it stands`(value: String) { #expect(parsed(value).noStore) }

    @Test func `a quoted no-store is none`() { #expect(!parsed("x=\"a, no-store, b\"").noStore) }

    @Test(arguments: ["no-cache; private", "no-cache no-store", "private;no-cache", "max-age=60; no-cache"])
    func `no-cache counts behind and before a semicolon or a blank`(value: String) { #expect(parsed(value).noCache) }

    @Test func `must-revalidate counts there, too`() { #expect(parsed("max-age=60; must-revalidate").mustRevalidate) }

    @Test func `what allows something does not count there, and nothing that is quoted does`() {
        let control = parsed("max-age=60;private", "x; max-age=7; public; immutable", "x=\"a; no-store\"; y")
        #expect(control.maxAge == 0 && !control.isPublic && !control.isImmutable && !control.noStore)
        #expect(parsed("no-cache=\"a; b\"").uncachedFields == ["a; b"] && !parsed("no-cache=\"a; b\"").noCache)
    }

    @Test func `a request may forbid the server, too`() throws {
        #expect(try CacheFixture.request(["Cache-Control": "max-stale; only-if-cached"]).control.onlyIfCached)
    }

    @Test func `directives of several fields are those of one`() {
        let control = parsed("no-store, private", "must-revalidate", "immutable, public, must-understand")
        #expect(control.noStore && control.mustRevalidate && control.isImmutable && control.isPublic)
        #expect(control.mustUnderstand && !control.noCache)
    }

    @Test func `no-cache with a list applies to its fields, and without a list to all`() {
        #expect(parsed("no-cache=\"Set-Cookie, A\"").uncachedFields == ["set-cookie", "a"])
        #expect(!parsed("no-cache=\"a\"").noCache)
        #expect(parsed("no-cache=").noCache && parsed("no-cache=\",\"").noCache)
        #expect(parsed("no-cache").noCache && parsed("No-CaChE=\"a\", no-cache").noCache)
    }

    @Test func `a request may limit the staleness of a response, or allow any`() {
        #expect(parsed("max-stale").maxStale == .max && parsed("max-stale=5").maxStale == 5)
        #expect(parsed("max-stale=x").maxStale == 0)
        #expect(parsed("min-fresh=5").minFresh == 5 && parsed("min-fresh=x").minFresh == CacheControl.longest)
        #expect(parsed("only-if-cached").onlyIfCached)
        #expect(parsed("stale-if-error=7, stale-while-revalidate=8").staleIfError == 7)
        #expect(parsed("stale-if-error=7, stale-while-revalidate=8").staleWhileRevalidate == 8)
    }

    @Test func `Pragma counts only without Cache-Control`() throws {
        #expect(try CacheFixture.request(["Pragma": "no-cache"]).control.noCache)
        #expect(try CacheFixture.request(["Pragma": "no-cache", "pragma": "x"]).control.noCache)
        #expect(try !CacheFixture.request(["Pragma": "no-cache", "Cache-Control": "max-age=1"]).control.noCache)
    }
}
