import TestSupport
import HTTPEngine
import Foundation
import Testing

import HTTPCore

/// The target and method of a redirect. Headers have their own suite.
@Suite struct RedirectDecisionTests {
    private static let body = RequestStep.text("body")

    private func decide(
        _ status: HTTPStatus, to location: String, _ draft: MutableRequest = .get("http://a/b/c?q"),
        after hops: [RedirectHop] = []
    ) throws -> RedirectDecision {
        RedirectDecision(.redirect(status, to: location), answering: try Request(draft), after: hops)
    }

    private func hop(_ url: String, _ method: HTTPMethod = .get) throws -> RedirectHop {
        RedirectHop(status: 302, method: method, url: try HTTPURL(url), location: try HTTPURL("http://x/"))
    }

    @Test(arguments: [
        (301, "POST", "GET", false), (302, "POST", "GET", false), (303, "POST", "GET", false),
        (307, "POST", "POST", true), (308, "POST", "POST", true),
        (301, "PUT", "PUT", true), (302, "PUT", "PUT", true), (303, "PUT", "GET", false), (307, "PUT", "PUT", true),
        (301, "PATCH", "PATCH", true), (303, "PATCH", "GET", false), (308, "PATCH", "PATCH", true),
        (302, "DELETE", "DELETE", true), (303, "DELETE", "GET", false), (303, "OPTIONS", "GET", false),
        (301, "GET", "GET", true), (303, "GET", "GET", true), (302, "PURGE", "PURGE", true),
        (303, "PURGE", "GET", false),
        (301, "QUERY", "QUERY", true), (302, "QUERY", "QUERY", true), (303, "QUERY", "GET", false),
        (307, "QUERY", "QUERY", true),
    ])
    func `the status decides about method and body`(code: Int, from: String, to: String, keepsBody: Bool) throws {
        let draft = MutableRequest.request(HTTPMethod(from), "http://a/") |> Self.body
        let next = try #require(try decide(HTTPStatus(code), to: "/next", draft).next)
        #expect(next.method.rawValue == to)
        #expect(next.body.isEmpty != keepsBody)
        #expect(next.headers.contains("Content-Type") == keepsBody)
    }

    @Test(arguments: [(307, true), (308, true), (303, false)])
    func `a single-use body cannot be repeated`(code: Int, isRefused: Bool) throws {
        let draft = MutableRequest.post("http://a/") |> .stream(replayable: false) { .data(Data("x".utf8)) }
        let decision = try decide(HTTPStatus(code), to: "/x", draft)
        #expect(decision.refusal == (isRefused ? .bodyNotReplayable : nil))
        #expect((decision.next == nil) == isRefused)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `HEAD stays HEAD`(code: Int) throws {
        #expect(try decide(HTTPStatus(code), to: "/next", .head("http://a/")).next?.method == .head)
    }

    @Test(arguments: [200, 201, 300, 304, 305, 306, 309, 399, 404])
    func `a Location with any other status is not followed`(code: Int) throws {
        #expect(try decide(HTTPStatus(code), to: "/next").isFinal)
    }

    @Test func `a redirect without a Location is the response`() throws {
        let decision = RedirectDecision(.answer(302), answering: try Request(.get("http://a/")), after: [])
        #expect(decision.isFinal)
    }

    @Test(arguments: [
        ("/x", "http://a/x"), ("x", "http://a/b/x"), ("?y", "http://a/b/c?y"), ("../../..", "http://a/"),
        ("//other/x", "http://other/x"), ("https://other/x", "https://other/x"), ("http://a:8080", "http://a:8080/"),
        ("/a b", "http://a/a%20b"), ("/ä?ü=ß", "http://a/%C3%A4?%C3%BC=%C3%9F"), ("/a\\b", "http://a/a%5Cb"),
        ("/100%", "http://a/100%"), ("/%41", "http://a/%41"), ("/a|b\"", "http://a/a%7Cb%22"),
        ("HTTP://A/x", "http://a/x"),
    ])
    func `a Location is resolved, and common mistakes of servers are repaired`(location: String, url: String) throws {
        #expect(try decide(302, to: location).next?.url.string == url)
    }

    @Test(
        arguments: [
            ([0xFC], "%FC"), ([0x61, 0xE9, 0x62], "a%E9b"), ([0xC3, 0xA9], "%C3%A9"),
            ([0xC3, 0xA9, 0xE9], "%C3%A9%E9"),
            ([0x80, 0x9F, 0xFF], "%80%9F%FF"), ([0xED, 0xA0, 0x80], "%ED%A0%80"),
            ([0xF3, 0xA0, 0x84, 0x80], "%F3%A0%84%80"),
        ] as [([UInt8], String)])
    func `octets of a Location beyond ASCII are percent-encoded as they are`(octets: [UInt8], target: String) throws {
        let head = try ResponseHead(bytes: Array("HTTP/1.1 302 X\r\nLocation: /".utf8) + octets + [0x0D, 0x0A])
        let next = RedirectDecision(head, answering: try Request(.get("http://a/")), after: []).next
        #expect(next?.url.target == "/" + target)
    }

    @Test(arguments: [
        ("ftp://a/x", "ftp"), ("file:///etc/passwd", "file"), ("javascript:alert(1)", "javascript"),
        ("mailto:x@y", "mailto"), ("http://", "no host"), ("http://a:0/", "port"), ("http:x", "//"),
        ("http://a b/", "host"), ("/a\tb", "0x09"), ("/a\u{1}b", "0x01"), ("http://127.1/", "IPv4"),
        ("http://user:pw@a/", "credentials"), ("//user@other/", "credentials"),
        ("http://user:pw@other/", "credentials"), ("x:1", "has the scheme \"x\""),
        ("a.example:8080/x", "has the scheme \"a.example\""),
    ])
    func `a Location that cannot be followed is an error with the reason`(location: String, named: String) throws {
        guard case .badLocation(let problem)? = try decide(302, to: location).refusal else {
            return unexpected(try decide(302, to: location))
        }
        #expect(problem.contains(named), "\(problem)")
        // What it should be is not said to whoever did not write it.
        #expect(!problem.contains("pw") && !problem.contains("write it"))
    }

    @Test func `several Locations must agree`() throws {
        let same = ResponseHead.answer(302, [("Location", "/x"), ("location", "/x")])
        #expect(RedirectDecision(same, answering: try Request(.get("http://a/")), after: []).next?.url.target == "/x")
        let different = ResponseHead.answer(302, [("Location", "/x"), ("Location", "/y")])
        let decision = RedirectDecision(different, answering: try Request(.get("http://a/")), after: [])
        #expect(decision.refusal == .badLocation(#"occurs with the different values "/x" and "/y""#))
    }

    @Test(arguments: [301, 302, 303, 307, 308] as [HTTPStatus], ["", " ", "\t"])
    func `an empty Location is no redirect`(status: HTTPStatus, value: String) throws {
        let head = try ResponseHead(reading: "HTTP/1.1 \(status.rawValue) Moved\r\nLocation:\(value)\r\n\r\n")
        let request = try Request(.get("http://a/"))
        #expect(!RedirectDecision.isFollowedRedirect(head.status, head.headers, answering: request))
        guard case .final = RedirectDecision(head, answering: request, after: []) else {
            return unexpected(RedirectDecision(head, answering: request, after: []))
        }
    }

    @Test func `a Location that cannot be followed is named as received, without secrets`() throws {
        for (location, shown) in [
            ("http://a b/", "http://a b/"), ("ftp://files.example/x", "ftp://files.example/x"),
            ("http://h:port/?token=hunter2", "http://h:"), ("/a\u{1}b", #"/a\u{01}b"#),
        ] {
            guard case .badLocation(let problem)? = try decide(302, to: location).refusal else {
                return unexpected(try decide(302, to: location))
            }
            #expect(problem.contains("is \"\(shown)"), "\(problem)")
            #expect(!problem.contains("hunter2"))
        }
    }

    @Test(
        arguments: [
            ("http://a/#f", "/x", "f"), ("http://a/#f", "/x#g", "g"), ("http://a/#f", "/x#", ""),
            ("http://a/", "/x", nil),
            ("http://a/#f", "http://other/x", "f"),
        ] as [(String, String, String?)])
    func `the fragment is inherited unless the Location has its own`(
        from: String, location: String, fragment: String?
    ) throws {
        #expect(try decide(302, to: location, .get(from)).next?.url.fragment == fragment)
    }

    @Test func `https to http is refused unless allowed`() throws {
        #expect(try decide(302, to: "http://a/", .get("https://a/")).refusal == .insecure)
        let allowed = MutableRequest.get("https://a/") |> .redirects(RedirectPolicy(allowsInsecureHop: true))
        #expect(try decide(302, to: "http://a/", allowed).next?.url.string == "http://a/")
        #expect(try decide(302, to: "https://a/", .get("http://a/")).next?.url.scheme == .https)
    }

    @Test func `the limit is the number of followed redirects`() throws {
        let draft = MutableRequest.get("http://a/2") |> .redirects(RedirectPolicy(limit: 2))
        let one = try hop("http://a/0")
        let two = try hop("http://a/1")
        #expect(try decide(302, to: "/3", draft, after: [one]).next != nil)
        #expect(try decide(302, to: "/3", draft, after: [one, two]).refusal == .tooMany(limit: 2))
        #expect(try decide(302, to: "/3", draft |> .redirects(.never)).isFinal)
    }

    /// A policy that treats every repeated URL as a cycle.
    private static let onlyOnward = RequestStep.redirects(RedirectPolicy(visitsPerURL: 1))
    private static let once = RedirectFailure.Reason.cycle(visits: 1)

    @Test func `a second visit with the same method is a cycle if one visit is allowed`() throws {
        let draft = MutableRequest.get("http://a/b/c?q") |> Self.onlyOnward
        #expect(try decide(302, to: "/b/c?q", draft).refusal == Self.once)
        #expect(try decide(302, to: "?q", draft).refusal == Self.once)
        #expect(try decide(302, to: "/b/c?q#other", draft).refusal == Self.once, "the fragment is not sent")
        #expect(try decide(302, to: "/start", draft, after: [hop("http://a/start")]).refusal == Self.once)
        #expect(try decide(302, to: "/start?x", draft, after: [hop("http://a/start")]).next != nil)
    }

    @Test func `a POST may return to its URL as a GET, which is another visit`() throws {
        let post = MutableRequest.post("http://a/") |> Self.body |> Self.onlyOnward
        let get = MutableRequest.get("http://a/") |> Self.onlyOnward
        let thanks = MutableRequest.get("http://a/thanks") |> Self.onlyOnward
        #expect(try decide(303, to: "/", post).next?.method == .get)
        #expect(try decide(302, to: "/", get, after: [hop("http://a/", .post)]).refusal == Self.once)
        #expect(try decide(302, to: "/", thanks, after: [hop("http://a/", .post)]).next != nil)
        #expect(try decide(307, to: "/", post).refusal == Self.once)
    }

    @Test(arguments: [(3, 3), (1, 1), (0, 1), (-1, 1), (5, 5)])
    func `a URL is visited as often as the policy allows, with or without others in between`(
        allowed: Int, visits: Int
    ) throws {
        let draft = MutableRequest.get("http://a/") |> .redirects(RedirectPolicy(visitsPerURL: allowed))
        let before = try (1..<visits).flatMap { _ in [try hop("http://a/"), try hop("http://a/other")] }
        #expect(try decide(302, to: "/", draft, after: before).refusal == .cycle(visits: visits))
        if visits > 1 { #expect(try decide(302, to: "/", draft, after: Array(before.dropFirst(2))).next != nil) }
    }

    @Test func `by default a URL is visited three times`() throws {
        let once = try hop("http://a/b/c?q")
        #expect(try decide(302, to: "#", after: [once]).next != nil)
        guard case .refuse(let reason, let location) = try decide(302, to: "#", after: [once, once]) else {
            return unexpected("no refusal")
        }
        #expect(reason == .cycle(visits: 3) && location?.string == "http://a/b/c?q")
    }

    @Test func `a hop records its source and its target`() throws {
        let hop = try #require(try decide(303, to: "/x#f", .post("http://a/y")).hop)
        #expect(hop.status == 303 && hop.method == .post)
        #expect(hop.url.string == "http://a/y")
        #expect(hop.location.string == "http://a/x")
        #expect(hop.location.fragment == "f")
    }

    @Test func `a refusal has the target of the redirect`() throws {
        guard case .refuse(_, let location) = try decide(302, to: "http://b/", .get("https://a/")) else {
            return unexpected("no refusal")
        }
        #expect(location?.string == "http://b/")
    }

    @Test func `options are kept`() throws {
        let draft =
            MutableRequest.get("http://a/") |> .timeout(.seconds(1)) |> .bodyLimit(7) |> .version(.http1)
            |> .redirects(RedirectPolicy(limit: 3))
        let next = try #require(try decide(302, to: "/x", draft).next)
        #expect(next.timeouts.total == .seconds(1) && next.limits.bodyBytes == 7)
        #expect(next.version == .http1 && next.redirects.limit == 3)
    }
}
