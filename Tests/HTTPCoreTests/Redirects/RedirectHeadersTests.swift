import TestSupport
import Testing

import HTTPCore

/// Which headers are sent to which origin.
@Suite struct RedirectHeadersTests {
    private static let secrets = [
        "Authorization", "Cookie", "Origin", "X-Api-Key", "X-Custom", "Host", "Referer",
        "X-Amz-Security-Token", "If-None-Match", "cookie2", "Idempotency-Key", "Traceparent", "X-CSRF-Token",
        "Forwarded",
    ]
    private static let harmless = [
        "Accept", "Accept-Language", "Accept-Charset", "accept-encoding", "User-Agent", "Cache-Control", "Range",
        "Pragma", "If-Range",
    ]

    private func next(
        _ location: String, by status: HTTPStatus = 302, _ draft: MutableRequest
    ) throws -> Request {
        let request = try Request(draft)
        return try #require(RedirectDecision(.redirect(status, to: location), answering: request, after: []).next)
    }

    private var everything: MutableRequest {
        (Self.secrets + Self.harmless).reduce(.get("https://a/")) { $0 |> .header($1, "v") }
    }

    @Test func `within the origin every header is kept`() throws {
        for location in ["/x", "https://a/x", "https://A:443/x", "//a/x"] {
            let next = try next(location, everything)
            #expect(next.headers.map(\.name) == Self.secrets + Self.harmless)
        }
    }

    @Test(arguments: [
        "https://b/", "https://a:8443/", "https://sub.a/", "https://a./", "//b", "https://a.b/", "https://aa/",
    ])
    func `only safe-listed headers are sent to another origin`(location: String) throws {
        #expect(try next(location, everything).headers.map(\.name) == Self.harmless)
    }

    @Test func `another scheme is another origin, in both directions`() throws {
        let draft = everything |> .redirects(RedirectPolicy(allowsInsecureHop: true))
        #expect(try next("http://a/", draft).headers.map(\.name) == Self.harmless)
        #expect(try next("http://a:443/", draft).headers.map(\.name) == Self.harmless)
        let plain = MutableRequest.get("http://a/") |> .bearer("t")
        #expect(try next("https://a/", plain).headers.isEmpty)
    }

    @Test func `listed headers are sent to another origin, in any case`() throws {
        let draft = everything |> .redirects(RedirectPolicy(crossOriginHeaders: ["x-custom", "AUTHORIZATION"]))
        #expect(try next("https://b/", draft).headers.map(\.name) == ["Authorization", "X-Custom"] + Self.harmless)
    }

    @Test func `credentials from the URL are dropped as well`() throws {
        let draft = MutableRequest.get("https://user:pw@a/")
        #expect(try next("https://a/x", draft).headers.contains("Authorization"))
        #expect(try next("https://b/", draft).headers.isEmpty)
    }

    @Test func `a dropped header does not return with a redirect back`() throws {
        let away = try next("https://b/", everything)
        let back = RedirectDecision(.redirect(302, to: "https://a/back"), answering: away, after: []).next
        #expect(back?.headers.map(\.name) == Self.harmless)
    }

    @Test func `the body's headers are dropped with the body and kept with it`() throws {
        let headers = [
            "Content-Type", "Content-Encoding", "Content-Language", "Content-MD5", "content-disposition", "Expect",
            "Trailer", "Digest", "Content-Digest", "Repr-Digest",
        ]
        let draft = headers.reduce(MutableRequest.post("https://a/") |> .text("x")) { $0 |> .header($1, "v") }
        let dropped = try next("/x", by: 303, draft |> .header("Keep", "v"))
        #expect(dropped.headers.map(\.name) == ["Keep"])
        let kept = try next("/x", by: 307, draft)
        #expect(kept.headers.map(\.name) == headers)
        #expect(kept.body.length == 1)
        let crossing = try next("https://b/", by: 307, draft)
        #expect(crossing.headers.map(\.name) == ["Content-Type", "Content-Encoding", "Content-Language"])
        #expect(crossing.body.length == 1)
    }

    @Test(arguments: [307, 308] as [HTTPStatus])
    func `a write that is redirected to another origin keeps its conditions, its range and its key`(
        status: HTTPStatus
    ) throws {
        let names = ["If-Match", "If-None-Match", "If-Unmodified-Since", "Content-Range", "Idempotency-Key"]
        let put = MutableRequest.put("http://a/") |> .text("x") |> .bearer("t")
        let draft = names.reduce(put) { $0 |> .header($1, "v") }
        let next = try next("https://a/", by: status, draft)
        #expect(next.headers.map(\.name) == names + ["Content-Type"])
        #expect(next.method == .put && next.body.length == 1)
        // A read needs none of them, and an entity tag may identify the caller.
        let read = names.reduce(MutableRequest.get("http://a/")) { $0 |> .header($1, "v") }
        #expect(try self.next("https://a/", by: status, read).headers.isEmpty)
        #expect(try self.next("https://a/", by: 303, draft).headers.isEmpty)
    }

    @Test(arguments: [303, 302] as [HTTPStatus])
    func `a write that becomes a read leaves its conditions, its range and its key behind`(status: HTTPStatus) throws {
        let names = ["If-Match", "If-None-Match", "If-Unmodified-Since", "Content-Range", "Idempotency-Key", "X-A"]
        let draft = names.reduce(MutableRequest.post("https://a/") |> .text("x")) { $0 |> .header($1, "v") }
        let next = try next("https://a/status/7", by: status, draft)
        #expect(next.method == .get && next.headers.map(\.name) == ["X-A"])
        // A read that stays one has its own.
        let read = MutableRequest.get("https://a/") |> .header("If-None-Match", "v")
        #expect(try self.next("https://a/x", by: status, read).headers.map(\.name) == ["If-None-Match"])
    }

    @Test(arguments: [("Digest username=\"u\"", false), ("digest x", false), ("Bearer t", true), ("Digested", true)])
    func `digest credentials apply to one target and are dropped on every redirect`(value: String, goesOn: Bool) throws
    {
        let next = try next("https://a/2", .get("https://a/1") |> .header("Authorization", value))
        #expect(next.headers.contains("Authorization") == goesOn)
    }
}
