import TestSupport
import HTTPEngine
import HTTPPolicies
import Testing

import HTTPCore

/// Cookies in the course of a call, step by step.
@Suite struct CookieHopTests {
    private let jar = CookieJar(CookieClock())

    /// The plan of the call. A URL may be visited only once, so that each visit that does not count shows.
    private func plan(_ draft: MutableRequest) throws -> CallPlan {
        CallPlan(try Request(draft |> .cookies(jar) |> .redirects(RedirectPolicy(visitsPerURL: 1))))
    }

    private func step(
        _ plan: inout CallPlan, _ status: HTTPStatus = 302, to location: String? = nil, setting fields: String...
    ) -> CallPlan.Step {
        plan.begin()
        let request = plan.request
        let headers = location.map { [("Location", $0)] } ?? []
        let head = ResponseHead.answer(status, headers + fields.map { ("Set-Cookie", $0) })
        head.storeCookies(for: request)
        return plan.advance(after: .answered(head)) { _ in CallRecord(request, phase: .receiving) }
    }

    @Test func `each redirect sends the cookies of its own URL, including those just set`() throws {
        try jar.store("b=old", from: "http://b.test/")
        var plan = try plan(.get("http://a.test/"))
        #expect(plan.sent.headers["Cookie"] == nil)
        guard case .send = step(&plan, to: "/2", setting: "a=1", "a2=2; Path=/2") else { return unexpected("not sent") }
        #expect(plan.sent.headers["Cookie"] == "a2=2; a=1")
        guard case .send = step(&plan, to: "http://b.test/", setting: "b=evil; Domain=b.test") else {
            return unexpected("not sent")
        }
        #expect(plan.sent.headers["Cookie"] == "b=old")
        guard case .deliver = step(&plan, 200, setting: "c=3") else { return unexpected("not delivered") }
        #expect(try jar.field(for: "http://b.test/") == "b=old; c=3")
    }

    @Test func `the request in the response has the caller's headers and not the jar's`() throws {
        try jar.store("a=1", from: "http://a.test/")
        var plan = try plan(.get("http://a.test/") |> .header("Cookie", "own=1"))
        #expect(plan.sent.headers["Cookie"] == "own=1; a=1")
        _ = step(&plan, to: "/2")
        #expect(plan.sent.headers["Cookie"] == "own=1; a=1")
        #expect(plan.request.headers["Cookie"] == "own=1")
        _ = step(&plan, to: "http://b.test/", setting: "a=2")
        #expect(plan.sent.headers["Cookie"] == nil)
    }

    @Test func `a page that sets a cookie and redirects to itself is not a cycle`() throws {
        var plan = try plan(.get("http://a.test/login"))
        guard case .send = step(&plan, to: "/login", setting: "sid=1") else { return unexpected("not sent") }
        #expect(plan.sent.headers["Cookie"] == "sid=1")
        guard case .fail(.redirect(let failure)) = step(&plan, to: "/login", setting: "sid=1") else {
            return unexpected("not failed")
        }
        #expect(failure.reason == .cycle(visits: 1))
    }

    @Test func `a cycle over several pages is broken by a changed cookie, and detected again after that`() throws {
        var plan = try plan(.get("http://a.test/1"))
        for (location, field) in [("/2", nil), ("/3", "sid=1; Path=/"), ("/1", nil), ("/2", nil)] {
            plan.begin()
            let fields = field.map { [("Set-Cookie", $0)] } ?? []
            let head = ResponseHead.answer(302, [("Location", location)] + fields)
            #expect(plan.isFollowedRedirect(head))
            let request = plan.request
            head.storeCookies(for: request)
            guard case .send = plan.advance(after: .answered(head), record: { _ in CallRecord(request) }) else {
                return unexpected(location)
            }
        }
        guard case .fail(.redirect(let failure)) = step(&plan, to: "/3") else { return unexpected("not failed") }
        #expect(failure.reason == .cycle(visits: 1))
    }

    @Test func `a page that always sets a new cookie redirects up to the limit`() throws {
        var plan = try plan(.get("http://a.test/"))
        for number in 0..<10 {
            guard case .send = step(&plan, to: "/", setting: "n=\(number)") else { return unexpected("\(number)") }
        }
        guard case .fail(.redirect(let failure)) = step(&plan, to: "/", setting: "n=10") else {
            return unexpected("not failed")
        }
        #expect(failure.reason == .tooMany(limit: 10))
    }

    @Test func `without a jar a cookie does not break a cycle`() throws {
        var plan = CallPlan(try Request(.get("http://a.test/") |> .redirects(RedirectPolicy(visitsPerURL: 1))))
        guard case .fail(.redirect(let failure)) = step(&plan, to: "/", setting: "sid=1") else {
            return unexpected("not failed")
        }
        #expect(failure.reason == .cycle(visits: 1))
    }
}
