import TestSupport
import Testing

import HTTPCore

/// The redirects of a call as a value. `RedirectDecisionTests` has the rules for a single one.
@Suite struct RedirectCourseTests {
    private func request(_ draft: MutableRequest) throws -> Request { try Request(draft) }

    private func next(
        _ course: inout RedirectCourse, _ status: HTTPStatus, to location: String, _ request: Request
    ) -> RedirectDecision {
        course.next(status, ["Location": location], answering: request)
    }

    @Test func `followed redirects become its hops, in order`() throws {
        var course = RedirectCourse()
        var request = try request(.post("http://a/1") |> .text("x"))
        for (status, location) in [(303, "/2"), (302, "http://b/3"), (307, "4")] as [(HTTPStatus, String)] {
            request = try #require(next(&course, status, to: location, request).next)
        }
        #expect(request.url.string == "http://b/4" && request.method == .get)
        #expect(course.hops.map(\.url.string) == ["http://a/1", "http://a/2", "http://b/3"])
        #expect(course.hops.map(\.location.string) == ["http://a/2", "http://b/3", "http://b/4"])
        #expect(course.hops.map(\.status) == [303, 302, 307] && course.hops.map(\.method) == [.post, .get, .get])
    }

    @Test func `a response that leads nowhere, and one that is refused, are no hops`() throws {
        var course = RedirectCourse()
        let request = try request(.get("https://a/1"))
        #expect(course.next(.ok, ["Location": "/2"], answering: request).isFinal)
        #expect(course.next(.found, [:], answering: request).isFinal)
        #expect(next(&course, .notModified, to: "/2", request).isFinal)
        #expect(next(&course, .found, to: "http://a/2", request).refusal == .insecure)
        #expect(course.hops.isEmpty)
    }

    @Test func `the limit counts its hops`() throws {
        var course = RedirectCourse()
        let start = try request(.get("http://a/1") |> .redirects(RedirectPolicy(limit: 1)))
        let second = try #require(next(&course, .found, to: "/2", start).next)
        #expect(next(&course, .found, to: "/3", second).refusal == .tooMany(limit: 1))
        #expect(course.hops.count == 1)
    }

    @Test func `the hook decides last, and its refusal is no hop`() throws {
        var course = RedirectCourse()
        let start = try request(
            .get("http://a/1")
                |> .redirects { $0.location.host == "a" ? .follow : .refuse("not to \($0.location.host)") })
        let second = try #require(next(&course, .found, to: "/2", start).next)
        guard case .refuse(let reason, let location) = next(&course, .found, to: "http://b/3", second) else {
            return unexpected("followed")
        }
        #expect(reason == .refusedByPolicy("not to b") && location?.string == "http://b/3")
        #expect(course.hops.map(\.location.string) == ["http://a/2"])
    }

    @Test func `visits before new cookies do not count`() throws {
        let once = RequestStep.redirects(RedirectPolicy(visitsPerURL: 1))
        var course = RedirectCourse()
        let start = try request(.get("http://a/1") |> once)
        #expect(next(&course, .found, to: "/1", start).refusal == .cycle(visits: 1))
        course.noteNewCookies()
        let again = try #require(next(&course, .found, to: "/1", start).next)
        #expect(next(&course, .found, to: "/1", again).refusal == .cycle(visits: 1))
        let second = try #require(next(&course, .found, to: "/2", again).next)
        course.noteNewCookies()
        #expect(next(&course, .found, to: "/1", second).next != nil)
    }
}
