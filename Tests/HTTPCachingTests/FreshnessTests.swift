@testable import HTTPCaching
import Testing

import HTTPCore

/// RFC 9111 §4.2.
@Suite struct FreshnessTests {
    private static let date = CacheFixture.date

    /// Fields, and the freshness lifetime of a response with them.
    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 60.0),
            (["Cache-Control": "max-age=60", "Expires": date], 60),
            (["Date": date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 60),
            (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"], 60),
            (["Date": "nonsense", "Expires": "SUN, 06 nov 1994 08:50:37 gmt"], 60),
            (["Expires": "Sunday, 06-Nov-94 08:50:37 GMT"], 60),
            (["Expires": "Sun Nov  6 08:50:37 1994"], 60),
            (["Date": date, "Expires": date], 0),
            (["Expires": "0"], -.infinity),
            (["Expires": "Sun, 06 Nov 1994 08:50:37 UTC"], -.infinity),
            (["Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "expires": "0"], -.infinity),
            (["Last-Modified": "Sun, 06 Nov 1994 08:47:57 GMT"], 10),
            (["Last-Modified": "Sun, 06 Nov 1904 08:47:57 GMT"], 86_400),
            (["Last-Modified": "Sun, 06 Nov 1994 09:49:37 GMT"], 0),
            ([:], 0),
        ] as [(HTTPHeaders, Double)])
    func `the freshness lifetime of a response`(headers: HTTPHeaders, lifetime: Double) throws {
        #expect(try CacheFixture.stored(headers).freshness.lifetime == lifetime)
    }

    @Test(arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] as [HTTPStatus])
    func `statuses with a heuristic lifetime`(status: HTTPStatus) throws {
        let old: HTTPHeaders = ["Last-Modified": "Sun, 06 Nov 1994 08:47:57 GMT"]
        #expect(try CacheFixture.stored(old, status: status).freshness.lifetime == 10)
    }

    @Test(arguments: [201, 202, 302, 307, 403, 500, 503, 599] as [HTTPStatus])
    func `other statuses have one only if the response is public`(status: HTTPStatus) throws {
        var old: HTTPHeaders = ["Last-Modified": "Sun, 06 Nov 1994 08:47:57 GMT"]
        #expect(try CacheFixture.stored(old, status: status).freshness.lifetime == 0)
        old.append("public", for: "Cache-Control")
        #expect(try CacheFixture.stored(old, status: status).freshness.lifetime == 10)
    }

    /// Fields, the duration of the exchange, and the age of the response 5 s later.
    @Test(
        arguments: [
            ([:], 0.0, 5.0),
            (["Age": "30"], 0, 35), (["Age": "30"], 2, 37), ([:], 2, 7),
            (["Age": "30, 99"], 0, 35), (["Age": "30", "age": "99"], 0, 35),
            (["Age": "-30"], 0, 5), (["Age": "x"], 0, 5), (["Age": "3.5"], 0, 5), (["Age": ""], 0, 5),
            (["Age": "99999999999999999999"], 0, 2_147_483_653),
            (["Date": "Sun, 06 Nov 1994 08:49:07 GMT"], 0, 35),
            (["Date": "Sun, 06 Nov 1994 08:49:07 GMT", "Age": "10"], 0, 35),
            // A server whose clock is ahead.
            (["Date": "Sun, 06 Nov 1994 09:49:07 GMT"], 0, 5),
            (["Date": "nonsense"], 0, 5),
        ] as [(HTTPHeaders, Double, Double)])
    func `the age of a response`(headers: HTTPHeaders, took: Double, age: Double) throws {
        let freshness = try CacheFixture.stored(headers, took: took).freshness
        #expect(freshness.age(at: CacheFixture.now + 5) == age)
    }

    @Test func `a response of any time has a status`() throws {
        for time in [-1e300, 1e300] {
            let stored = try CacheFixture.stored(["Cache-Control": "max-age=60"], at: time)
            let status = CacheStatus.fromStore(stored, at: CacheFixture.now)
            #expect(status.timeToLive == nil && status.isHit)
        }
    }

    @Test func `with a clock that was set back the age is unknown`() throws {
        let freshness = try CacheFixture.stored(["Cache-Control": "max-age=60"]).freshness
        #expect(freshness.age(at: CacheFixture.now - 30) == 0)
        #expect(freshness.timeLeft(at: CacheFixture.now - 30) == 60)
        #expect(freshness.age(at: CacheFixture.now - 3600) == nil)
        #expect(freshness.timeLeft(at: CacheFixture.now - 3600) == -.infinity)
    }
}
