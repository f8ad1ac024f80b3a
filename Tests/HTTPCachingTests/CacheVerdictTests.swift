@testable import HTTPCaching
import Testing

import HTTPCore

/// RFC 9111 §4: the decision about a request.
@Suite struct CacheVerdictTests {
    private static let tag: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    private static let bare: HTTPHeaders = ["Cache-Control": "max-age=60"]
    private static let used = CacheVerdict.use(0, isRevalidationDue: false)
    private static let usedMeanwhile = CacheVerdict.use(0, isRevalidationDue: true)

    private static func control(_ value: String, tag: Bool = true) -> HTTPHeaders {
        tag ? ["Cache-Control": value, "ETag": "\"1\""] : ["Cache-Control": value]
    }

    /// The stored response, the seconds since, the request's Cache-Control, and the decision.
    @Test(
        arguments: [
            (bare, 59.0, "", used), (bare, 60, "", .send(.stale)), (tag, 60, "", .validate([0], .stale)),
            // §5.2.1.1 max-age
            (tag, 10, "max-age=10", used), (tag, 11, "max-age=10", .validate([0], .request)),
            (tag, 0, "max-age=0", .validate([0], .request)), (bare, 11, "max-age=10", .send(.request)),
            // §5.2.1.2 max-stale
            (tag, 70, "max-stale=10", used), (tag, 71, "max-stale=10", .validate([0], .stale)),
            (tag, 9999, "max-stale", used),
            (control("max-age=60, must-revalidate"), 70, "max-stale", .validate([0], .stale)),
            // §5.2.1.3 min-fresh
            (tag, 50, "min-fresh=10", used), (tag, 51, "min-fresh=10", .validate([0], .request)),
            // §5.2.1.4 no-cache
            (tag, 0, "no-cache", .validate([0], .request)), (bare, 0, "no-cache", .send(.request)),
            // §5.2.1.7 only-if-cached
            (tag, 59, "only-if-cached", used), (tag, 60, "only-if-cached", .fail(.stale)),
            (tag, 60, "only-if-cached, max-stale", used),
            // §5.2.2.4 no-cache
            (control("max-age=60, no-cache"), 0, "", .validate([0], .stale)),
            (control("max-age=60, no-cache"), 0, "max-stale", .validate([0], .stale)),
            (control("no-cache; private"), 0, "", .validate([0], .stale)),
            (tag, 60, "max-stale; only-if-cached", .fail(.stale)),
            // §5.2.2.2 must-revalidate
            (control("max-age=60, must-revalidate"), 59, "", used),
            // RFC 8246
            (control("max-age=60, immutable"), 59, "max-age=0", used),
            (control("max-age=60, immutable"), 59, "no-cache", .validate([0], .request)),
            (control("max-age=60, immutable"), 60, "max-age=0", .validate([0], .request)),
            // RFC 5861 §3
            (control("max-age=60, stale-while-revalidate=10"), 59, "", used),
            (control("max-age=60, stale-while-revalidate=10"), 69, "", usedMeanwhile),
            (control("max-age=60, stale-while-revalidate=10"), 70, "", .validate([0], .stale)),
            (control("max-age=60, stale-while-revalidate=10"), 69, "max-age=100", .validate([0], .stale)),
            (control("max-age=60, stale-while-revalidate=10, must-revalidate"), 69, "", .validate([0], .stale)),
            // A clock that was set back.
            (tag, -3600, "", .validate([0], .stale)), (tag, -3600, "max-age=100", .validate([0], .request)),
        ] as [(HTTPHeaders, Double, String, CacheVerdict)])
    func `a stored response is used, validated or ignored`(
        stored: HTTPHeaders, time: Double, wish: String, verdict: CacheVerdict
    ) throws {
        let headers: HTTPHeaders = wish.isEmpty ? [:] : ["Cache-Control": wish]
        #expect(try CacheFixture.verdict([CacheFixture.stored(stored)], headers, after: time) == verdict)
    }

    @Test func `without a stored response there is a miss`() throws {
        #expect(try CacheFixture.verdict([], after: 0) == .send(.uriMiss))
        #expect(try CacheFixture.verdict([], ["Cache-Control": "only-if-cached"], after: 0) == .fail(.uriMiss))
    }

    @Test func `of several matching responses the newest counts`() throws {
        let stored = try [0.0, 20, 10].map { try CacheFixture.stored(Self.tag, at: $0) }
        #expect(try CacheFixture.verdict(stored, after: 70) == .use(1, isRevalidationDue: false))
    }

    @Test func `without a matching variant, the server is asked about all that have a tag`() throws {
        let stored = try (0..<12).map { number in
            try CacheFixture.stored(
                ["Cache-Control": "max-age=60", "ETag": "\"\(number)\"", "Vary": "A"], to: ["A": "\(number)"])
        }
        #expect(try CacheFixture.verdict(stored, ["A": "3"], after: 0) == .use(3, isRevalidationDue: false))
        #expect(try CacheFixture.verdict(stored, ["A": "x"], after: 0) == .validate(Array(0..<8), .varyMiss))
        #expect(
            try CacheFixture.verdict(stored, ["A": "x", "Authorization": "Basic x"], after: 0) == .send(.varyMiss))
    }

    @Test func `the caller's own conditions, a range and HEAD are sent unchanged`() throws {
        let stored = try [CacheFixture.stored(Self.tag)]
        for headers in [["If-None-Match": "\"2\""], ["If-Modified-Since": CacheFixture.date], ["Range": "bytes=0-1"]]
            as [HTTPHeaders]
        {
            #expect(try CacheFixture.verdict(stored, headers, after: 0) == Self.used)
            #expect(try CacheFixture.verdict(stored, headers, after: 60) == .send(.stale))
        }
        #expect(try CacheFixture.verdict(stored, method: .head, after: 0) == Self.used)
        #expect(try CacheFixture.verdict(stored, method: .head, after: 60) == .send(.stale))
    }

    /// Requests that bypass the cache.
    @Test(
        arguments: [
            (.get, [:], nil), (.head, [:], nil), (.get, ["Range": "bytes=1-"], nil), (.get, ["Range": "bytes=-9"], nil),
            (.post, [:], .method), (.query, [:], .method), (.delete, [:], .method),
            (.get, ["Cache-Control": "no-store"], .request), (.get, ["If-Match": "\"1\""], .bypass),
            (.get, ["If-Unmodified-Since": CacheFixture.date], .bypass), (.get, ["Range": "bytes=0-1, 3-4"], .bypass),
            (.get, ["Range": "lines=1-"], .bypass), (.get, ["Range": "bytes=4-2"], .bypass),
            (.head, ["Range": "bytes=1-"], .bypass),
        ] as [(HTTPMethod, HTTPHeaders, CacheStatus.Forward?)])
    func `requests that bypass the cache`(method: HTTPMethod, headers: HTTPHeaders, bypass: CacheStatus.Forward?) throws
    {
        #expect(try CacheFixture.request(headers, method: method).bypass == bypass)
    }

    @Test func `a URL of a megabyte and a request body bypass it too`() throws {
        let long = CacheFixture.url + "?" + String(repeating: "x", count: 1 << 20)
        #expect(try CacheFixture.request(url: long).bypass == .bypass)
        #expect(CacheRequest(try Request(.get(CacheFixture.url) |> .text("x"))).bypass == .bypass)
    }

    /// The stored Cache-Control, the request's, the age in seconds, whether it is pinned, and whether it replaces a
    /// failure.
    @Test(arguments: [
        ("max-age=60, stale-if-error=10", "", 69.0, false, true),
        ("max-age=60, stale-if-error=10", "", 70, false, false),
        ("max-age=60", "", 61, false, false), ("max-age=60", "stale-if-error=10", 69, false, true),
        ("max-age=60, must-revalidate", "stale-if-error=10", 69, false, false),
        ("max-age=60, no-cache, stale-if-error=10", "", 10, false, false),
        ("max-age=60, stale-if-error=10", "no-cache", 10, false, false),
        ("max-age=60, stale-if-error=10", "max-age=5", 10, false, false),
        ("max-age=60", "", 9999, true, true), ("max-age=60, must-revalidate", "", 9999, true, false),
    ])
    func `a stale response replaces a failure if that is allowed`(
        stored: String, wish: String, time: Double, isPinned: Bool, isAllowed: Bool
    ) throws {
        let request = try CacheFixture.request(wish.isEmpty ? [:] : ["Cache-Control": wish])
        let response = try CacheFixture.stored(Self.control(stored))
        #expect(response.mayStandIn(for: request, at: CacheFixture.now + time, isPinned: isPinned) == isAllowed)
    }
}
