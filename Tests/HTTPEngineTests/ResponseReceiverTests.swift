import TestSupport
import HTTPEngine
import Testing

import HTTPCore

/// What is accepted of a response, and what is not.
@Suite struct ResponseReceiverTests {
    private func receiver(_ draft: MutableRequest = .get("http://h/a")) throws -> ResponseReceiver {
        var receiver = ResponseReceiver()
        receiver.begin(try Request(draft))
        return receiver
    }

    private func redirect(length: Int) -> ResponseHead {
        .answer(.found, [("Location", "/b"), ("Content-Length", "\(length)")])
    }

    @Test func `cookies are stored once, with the head, before anybody is told of it`() throws {
        let jar = NotedCookies()
        let seen = Notes<Int>()
        let observed = RequestStep.setting(HeadObserverKey.self, to: { _, _, _, _ in seen.note(jar.stored.all.count) })
        var receiver = try receiver(.get("http://h/a") |> .cookies(jar) |> observed)
        let head = ResponseHead.answer(.ok, [("Set-Cookie", "a=1"), ("Content-Length", "2")])
        _ = try receiver.take(head)
        #expect(jar.stored.all == ["http://h/a [\"a=1\"]"] && seen.all == [1] && head.hasNewCookies)
        var plan = CallPlan(try Request(.get("http://h/a") |> .cookies(jar)))
        plan.begin()
        _ = plan.advance(after: .answered(head)) { CallRecord($0.request) }
        #expect(jar.stored.all.count == 1 && plan.hasNewCookies)
    }

    @Test func `the body of a redirect is not read if it is announced to be long`() throws {
        var receiver = try receiver()
        do throws(ResponseReceiver.Stop) {
            _ = try receiver.take(redirect(length: 65_537))
            Issue.record("it is read")
        } catch { guard case .enough = error else { throw error } }
    }

    @Test func `the body of a redirect is read to its end if that is near, and not delivered`() throws {
        var receiver = try receiver()
        #expect(try receiver.take(redirect(length: 65_536)) == nil)
        #expect(receiver.isFollowedRedirect)
    }

    @Test func `the body of a refusal has the limit of one in memory, also in a request that was built again`() throws {
        let refusal = ResponseHead.answer(.notFound, [("Content-Length", "100")])
        var observed = try receiver(.get("http://h/a") |> .downloadProgress { _ in } |> .bodyLimit(200 << 20))
        #expect(try observed.take(refusal) == 200 << 20)
        let draft = MutableRequest.get("http://h/a") |> .destination(.discard)
        for draft in [draft, draft |> .bodyLimit(200 << 20), MutableRequest(try Request(draft))] {
            var receiver = try receiver(draft)
            #expect(try receiver.take(refusal) == 64 << 20)
        }
        var small = try receiver(draft |> .bodyLimit(10))
        #expect(try small.take(refusal) == 10)
    }

    @Test func `a redirect that is not followed has a body for the caller`() throws {
        var receiver = try receiver(.get("http://h/a") |> .redirects(.never))
        #expect(try receiver.take(redirect(length: 65_537)) != nil)
    }
}

/// A storage that has no cookies, and to which each is new.
private final class NotedCookies: CookieStorage {
    let stored = Notes<String>()

    func cookieField(for url: HTTPURL) -> String? { nil }

    func store(_ fields: [String], from url: HTTPURL) -> Bool {
        stored.note("\(url.string) \(fields)")
        return true
    }
}
