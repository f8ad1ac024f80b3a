import TestSupport
@testable import HTTPCaching
import Testing

import HTTPCore

/// RFC 9111 §3, §4.3 and §4.4: the effect of a response.
@Suite struct CacheEffectTests {
    private func isStored(
        _ status: HTTPStatus, _ headers: HTTPHeaders, to request: CacheRequest
    ) -> Bool {
        Storability.variant(
            of: status, headers, answering: request, requestTime: CacheFixture.now, responseTime: CacheFixture.now)
            != nil
    }

    /// With a date of which a lifetime could be guessed.
    private static func dated(_ control: String) -> HTTPHeaders {
        ["Cache-Control": control, "Last-Modified": "Sun, 06 Nov 1993 08:49:37 GMT"]
    }

    @Test(
        arguments: [
            (200, ["Cache-Control": "max-age=60"]), (200, ["Cache-Control": "private, max-age=60"]),
            (200, ["ETag": "\"1\""]), (200, ["Last-Modified": CacheFixture.date]),
            (200, ["Expires": "Sun, 06 Nov 1994 08:50:37 GMT"]), (200, ["Cache-Control": "no-cache", "ETag": "\"1\""]),
            (200, ["Cache-Control": "max-age=0"]), (404, ["Cache-Control": "max-age=60"]),
            (599, ["Cache-Control": "max-age=60"]), (302, ["Cache-Control": "max-age=60"]),
            (200, ["Cache-Control": "no-store, max-age=60, must-understand"]), (500, ["Cache-Control": "max-age=60"]),
            (200, ["Cache-Control": "max-age=60", "Set-Cookie": "a=b"]),
            (599, ["Cache-Control": "public", "ETag": "\"1\""]),
        ] as [(HTTPStatus, HTTPHeaders)])
    func `responses that are stored`(status: HTTPStatus, headers: HTTPHeaders) throws {
        #expect(isStored(status, headers, to: try CacheFixture.request()))
    }

    @Test(
        arguments: [
            (200, [:]), (200, ["Cache-Control": "no-store"]), (200, ["Cache-Control": "max-age=60, No-Store"]),
            (200, ["Cache-Control": "no-cache"]), (200, ["Cache-Control": "max-age=0, must-revalidate"]),
            (200, ["Cache-Control": "max-age=60", "Vary": "*"]), (403, ["ETag": "\"1\""]), (500, ["ETag": "\"1\""]),
            (206, ["Cache-Control": "max-age=60"]), (304, ["Cache-Control": "max-age=60"]),
            (412, ["Cache-Control": "max-age=60"]), (416, ["Cache-Control": "max-age=60"]),
            (599, ["Cache-Control": "max-age=60, must-understand"]), (428, ["Cache-Control": "max-age=60"]),
            (429, ["Cache-Control": "max-age=60"]), (431, ["Cache-Control": "max-age=60"]),
            (511, ["Cache-Control": "public, max-age=60"]), (200, dated("no-store; private")),
            (200, dated("private; no-store; max-age=60")), (200, dated("max-age=60, no-store; private")),
            (200, dated("no-cache no-store")),
        ] as [(HTTPStatus, HTTPHeaders)])
    func `responses that are not stored`(status: HTTPStatus, headers: HTTPHeaders) throws {
        #expect(!isStored(status, headers, to: try CacheFixture.request()))
    }

    @Test func `only responses to GET are stored, and those to POST that describe themselves`() throws {
        let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
        for method in [.head, .put, .query, .post] as [HTTPMethod] {
            #expect(!isStored(.ok, fresh, to: try CacheFixture.request(method: method)))
        }
        #expect(!isStored(.ok, fresh, to: try CacheFixture.request(["Cache-Control": "no-store"])))
        let post = try CacheFixture.request(method: .post)
        #expect(isStored(.ok, ["Cache-Control": "max-age=60", "Content-Location": "a"], to: post))
        #expect(!isStored(.ok, ["Cache-Control": "max-age=60", "Content-Location": "/b"], to: post))
        #expect(!isStored(.ok, ["ETag": "\"1\"", "Content-Location": "a"], to: post))
        let range = try CacheFixture.request(["Range": "bytes=0-4"], method: .post)
        for part in [post, range] {
            #expect(!isStored(.partialContent, ["Cache-Control": "max-age=60", "Content-Location": "a"], to: part))
        }
    }

    @Test func `a partial response answers requests for the same range`() throws {
        let request = try CacheFixture.request(["Range": "bytes=0-4"])
        let variant = Storability.variant(
            of: .partialContent, ["Cache-Control": "max-age=60"], answering: request, requestTime: CacheFixture.now,
            responseTime: CacheFixture.now)?.variant
        #expect(try #require(variant).matches(request))
        #expect(try variant?.matches(CacheFixture.request(["Range": "bytes=0-3"])) == false)
        #expect(try variant?.matches(CacheFixture.request()) == false)
    }

    @Test func `fields of the connection, and those named by no-cache, are not stored`() {
        let headers: HTTPHeaders = [
            "Connection": "X-Hop, close", "X-Hop": "1", "Keep-Alive": "5", "Transfer-Encoding": "chunked", "TE": "x",
            "Upgrade": "h2c", "Proxy-Connection": "x", "Proxy-Authenticate": "x", "A": "1", "B": "2", "b": "3",
        ]
        let control = CacheControl(["no-cache=\"a\""])
        #expect(CachedFields.storable(headers, control) == ["B": "2", "b": "3"])
    }

    // MARK: 304

    private func effect(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ fields: HTTPHeaders = [:], method: HTTPMethod = .get,
        asked: [CachedResponse] = [], stored: [CachedResponse] = []
    ) throws -> CacheEffect {
        CacheEffect(
            of: status, headers, to: try CacheFixture.request(fields, method: method), askedAbout: asked,
            stored: stored, requestTime: CacheFixture.now + 99, responseTime: CacheFixture.now + 100)
    }

    @Test func `a 304 replaces fields and refreshes the response, except for fields that describe its body`() throws {
        let stored = try CacheFixture.stored([
            "Cache-Control": "max-age=1", "ETag": "\"1\"", "Content-Length": "10", "Content-Encoding": "gzip",
            "A": "old",
            "a": "older", "B": "kept", "Age": "50",
        ])
        let effect = try effect(
            .notModified,
            [
                "Cache-Control": "max-age=60", "Content-Length": "99", "Content-Encoding": "br", "A": "new",
                "Connection": "B",
            ],
            asked: [stored])
        guard case .freshen(0, let new, isKept: true) = effect else { return unexpected(effect) }
        #expect(
            new.headers == [
                "ETag": "\"1\"", "Content-Length": "10", "Content-Encoding": "gzip", "B": "kept",
                "Cache-Control": "max-age=60", "A": "new",
            ])
        #expect(new.freshness.timeLeft(at: CacheFixture.now + 100) == 59)
        #expect(stored.freshness.timeLeft(at: CacheFixture.now + 100) < 0)
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60, no-cache=\"A\""], ["A": "2"]),
            (["Cache-Control": "max-age=60"], ["A": "2", "Cache-Control": "max-age=60, no-cache=\"a\""]),
            (["Cache-Control": "max-age=60", "A": "1"], ["Cache-Control": "max-age=60, no-cache=\"a\""]),
        ] as [(HTTPHeaders, HTTPHeaders)])
    func `what no-cache names is stored from neither the response nor its 304`(
        old: HTTPHeaders, new: HTTPHeaders
    ) throws {
        var headers = old
        headers.append("3", for: "B")
        let effect = try effect(.notModified, new, asked: [CacheFixture.stored(headers)])
        guard case .freshen(0, let fresh, isKept: true) = effect else { return unexpected(effect) }
        #expect(fresh.headers["A"] == nil && fresh.headers["B"] == "3")
        // The call that the server has answered gets it.
        let own = CachedFields.uncached(new, fresh.control)
        #expect(own == (new["A"].map { ["A": $0] } ?? [:]))
    }

    @Test func `a 304 without a Date is as old as its arrival`() throws {
        let stored = try CacheFixture.stored([
            "Cache-Control": "max-age=60", "ETag": "\"1\"", "Date": CacheFixture.date,
        ])
        let effect = try effect(.notModified, ["ETag": "\"1\""], asked: [stored])
        guard case .freshen(0, let new, isKept: true) = effect else { return unexpected(effect) }
        #expect(new.freshness.timeLeft(at: CacheFixture.now + 100) == 59)
    }

    @Test func `a 304 selects one of several by its tag, and makes it one for this request`() throws {
        let asked = try ["1", "2"].map {
            try CacheFixture.stored(["Vary": "A", "ETag": "\"\($0)\"", "Cache-Control": "max-age=60"], to: ["A": $0])
        }
        let effect = try effect(.notModified, ["ETag": "W/\"2\""], ["A": "3"], asked: asked)
        guard case .freshen(1, let new, isKept: true) = effect else { return unexpected(effect) }
        #expect(try new.variant.matches(CacheFixture.request(["A": "3"])))
        #expect(try !new.variant.matches(CacheFixture.request(["A": "2"])))
        for headers in [["ETag": "\"3\""], [:]] as [HTTPHeaders] {
            guard case .resend = try self.effect(.notModified, headers, ["A": "3"], asked: asked) else {
                return unexpected(headers)
            }
        }
    }

    @Test(
        arguments: [
            ["ETag": "\"2\""], ["ETag": "W/\"2\""], ["Last-Modified": "Sun, 06 Nov 1994 08:00:00 GMT"],
        ] as [HTTPHeaders])
    func `a 304 with another validator than the stored response confirms nothing`(headers: HTTPHeaders) throws {
        let stored = try CacheFixture.stored([
            "ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 07:00:00 GMT", "Cache-Control": "max-age=1",
        ])
        guard case .resend = try effect(.notModified, headers, asked: [stored]) else { return unexpected(headers) }
        guard case .freshen(0, _, _) = try effect(.notModified, ["ETag": "W/\"1\""], asked: [stored]) else {
            return unexpected("weak")
        }
    }

    /// nginx does so, which compresses as it sends.
    @Test func `a 304 with the strong form of the weak tag that was asked about confirms it, and keeps that`() throws {
        let weak = try CacheFixture.stored(["ETag": "W/\"1\"", "Cache-Control": "max-age=1"])
        let effect = try effect(.notModified, ["ETag": "\"1\"", "A": "new"], asked: [weak])
        guard case .freshen(0, let new, isKept: true) = effect else { return unexpected(effect) }
        #expect(new.headers["ETag"] == "W/\"1\"" && new.entityTag == "W/\"1\"" && new.headers["A"] == "new")
        // Of two it may be the tag of neither.
        let other = try CacheFixture.stored(["ETag": "\"2\"", "Cache-Control": "max-age=1"])
        guard case .resend = try self.effect(.notModified, ["ETag": "\"1\""], asked: [weak, other]) else {
            return unexpected("two")
        }
        // To HEAD it is the tag of other bytes.
        guard case .discard([0]) = try self.effect(.ok, ["ETag": "\"1\""], method: .head, stored: [weak]) else {
            return unexpected("HEAD")
        }
    }

    @Test func `a 304 without a tag confirms only what Vary selects`() throws {
        let stored = try CacheFixture.stored(
            ["Vary": "A", "ETag": "\"1\"", "Cache-Control": "max-age=1"], to: ["A": "1"])
        guard case .freshen(0, _, isKept: true) = try effect(.notModified, [:], ["A": "1"], asked: [stored]) else {
            return unexpected("selected")
        }
        guard case .resend = try effect(.notModified, [:], ["A": "2"], asked: [stored]) else {
            return unexpected("not selected")
        }
        guard case .freshen(0, _, _) = try effect(.notModified, ["ETag": "\"1\""], ["A": "2"], asked: [stored]) else {
            return unexpected("named")
        }
    }

    @Test func `a 304 that forbids storing is used once`() throws {
        let stored = try CacheFixture.stored(["ETag": "\"1\"", "Cache-Control": "max-age=1"])
        for headers in [["Vary": "*"], ["Cache-Control": "no-store"]] as [HTTPHeaders] {
            guard case .freshen(0, _, isKept: false) = try effect(.notModified, headers, asked: [stored]) else {
                return unexpected(headers)
            }
        }
        let moved = try effect(.notModified, ["Vary": "A"], ["A": "3"], asked: [stored])
        guard case .freshen(0, let new, isKept: true) = moved else { return unexpected(moved) }
        #expect(try !new.variant.matches(CacheFixture.request(["A": "2"])))
    }

    @Test func `a 304 to the caller's own condition is returned to the caller`() throws {
        let stored = try CacheFixture.stored(["ETag": "\"1\""])
        guard case .pass = try effect(.notModified, [:], stored: [stored]) else { return unexpected("") }
    }

    @Test func `a response that must not be stored invalidates the ones that were asked about`() throws {
        let stored = try [CacheFixture.stored(["ETag": "\"1\""]), CacheFixture.stored(["ETag": "\"2\""])]
        guard case .discard([1]) = try effect(.ok, ["Cache-Control": "no-store"], asked: [stored[1]], stored: stored)
        else {
            return unexpected("")
        }
        guard case .pass = try effect(.internalServerError, [:], asked: [stored[1]], stored: stored) else {
            return unexpected("")
        }
    }

    // MARK: HEAD

    @Test func `a response to HEAD refreshes or invalidates a stored one`() throws {
        let stored = try CacheFixture.stored(["ETag": "\"1\"", "Content-Length": "10", "Cache-Control": "max-age=1"])
        let effect = try effect(.ok, ["ETag": "\"1\"", "Cache-Control": "max-age=60"], method: .head, stored: [stored])
        guard case .freshen(0, let new, isKept: true) = effect else { return unexpected(effect) }
        #expect(new.freshness.timeLeft(at: CacheFixture.now + 100) == 59)
        for other in [["ETag": "\"2\""], ["Content-Length": "11"], ["Cache-Control": "no-store"]] as [HTTPHeaders] {
            guard case .discard([0]) = try self.effect(.ok, other, method: .head, stored: [stored]) else {
                return unexpected(other)
            }
        }
        guard case .pass = try self.effect(.notFound, [:], method: .head, stored: [stored]) else {
            return unexpected("")
        }
    }

    @Test func `a response to HEAD that varies by another field moves no body to the request's variant`() throws {
        let vary: HTTPHeaders = ["Vary": "A, B", "Cache-Control": "max-age=60"]
        let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
        for old in [fresh, ["Vary": "A", "Cache-Control": "max-age=60"]] {
            let stored = try CacheFixture.stored(old, to: ["A": "1", "B": "1"])
            let effect = try effect(.ok, vary, ["A": "1", "B": "2"], method: .head, stored: [stored])
            guard case .discard([0]) = effect else { return unexpected(effect) }
        }
        let same = try CacheFixture.stored(vary, to: ["A": "1", "B": "2"])
        let effect = try effect(.ok, vary, ["A": "1", "B": "2"], method: .head, stored: [same])
        guard case .freshen(0, _, isKept: true) = effect else { return unexpected(effect) }
    }

    // MARK: §4.4

    /// The method, status, Location, Content-Location, and the invalidated URLs.
    @Test(
        arguments: [
            (.post, 200, "/b", "/c", ["/a", "/b", "/c"]), (.put, 302, "//other/b", nil, ["/a"]),
            (.delete, 204, "https://h/b", nil, ["/a"]), ("M-SEARCH", 200, nil, "b", ["/a", "/b"]),
            (.post, 404, "/b", nil, []), (.post, 500, nil, nil, []), (.get, 200, "/b", nil, []),
            (.query, 200, nil, nil, []), (.post, 200, "http://[", nil, ["/a"]),
        ] as [(HTTPMethod, HTTPStatus, String?, String?, [String])])
    func `responses that an unsafe method invalidates`(
        method: HTTPMethod, status: HTTPStatus, location: String?, content: String?, outdated: [String]
    ) throws {
        let request = try Request(MutableRequest(method, CacheFixture.url))
        var headers = HTTPHeaders()
        if let location { headers.append(location, for: "Location") }
        if let content { headers.append(content, for: "Content-Location") }
        let keys = Invalidation.keys(of: Response(request: request, status: status, headers: headers))
        #expect(keys.map(\.target) == outdated && keys.allSatisfy { $0.origin == request.url.origin })
    }

    @Test func `a redirected POST invalidates its original URL and, at the same origin, its target`() throws {
        for (target, outdated) in [("http://h/b", ["/a", "/b"]), ("http://other/b", ["/a"])] {
            let (from, to) = (try HTTPURL("http://h/a"), try HTTPURL(target))
            let response = Response(
                request: try Request(.get(target)), status: .ok,
                redirects: [RedirectHop(status: .seeOther, method: .post, url: from, location: to)])
            #expect(Invalidation.keys(of: response).map(\.target) == outdated)
        }
    }

    @Test(arguments: [(.receiving, ["/a"]), (.finishing, ["/a"]), (.waiting, [])] as [(CallActivity, [String])])
    func `an unsafe request whose answer did not come to its end invalidates its URL`(
        phase: CallActivity, outdated: [String]
    ) throws {
        let request = try Request(.post(CacheFixture.url))
        let record = CallRecord(request, phase: phase)
        let errors: [HTTPError] = [
            .cancelled(record), .timedOut(TimeoutFailure(.total, after: .seconds(1), record: record)),
            .limitExceeded(LimitExceeded(.body, value: 1, record: record)),
        ]
        for error in errors { #expect(Invalidation.keys(of: error, to: request).map(\.target) == outdated, "\(error)") }
        let read = try Request(.get(CacheFixture.url))
        #expect(Invalidation.keys(of: .cancelled(CallRecord(read, phase: phase)), to: read).isEmpty)
    }
}
