import HTTPCaching
import HTTPCore
import TestSupport
import Testing

/// What the policies below a cache may add to a request that it redirects.
@Suite struct ConfinedHopTests {
    @Test func `behind a redirect to another origin, a request gains nothing that must not cross`() throws {
        var course = RedirectCourse()
        let start = try Request(.get("http://a/1"))
        #expect(course.confined(start).hop == nil)
        let near = try #require(course.next(.found, ["Location": "/2"], answering: start).next)
        #expect(course.confined(near).hop == nil)
        let away = try #require(course.next(.found, ["Location": "http://b/3"], answering: near).next)
        let far = course.confined(away)
        #expect(far.callOrigin == start.origin && !far.admits("Authorization") && far.admits("Accept"))
        let with = try Request(MutableRequest(far) |> .header("Authorization", "t") |> .header("Accept", "a/b"))
        #expect(!with.headers.contains("Authorization") && with.headers["Accept"] == "a/b")
        let home = try #require(course.next(.found, ["Location": "http://a/4"], answering: away).next)
        let back = course.confined(home)
        #expect(back.callOrigin == start.origin && !back.admits("Authorization"), "B chose where it leads")
    }
}
