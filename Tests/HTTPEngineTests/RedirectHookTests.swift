import TestSupport
import HTTPEngine
import Synchronization
import Testing

import HTTPCore

/// The hook of a redirect policy.
@Suite struct RedirectHookTests {
    private final class Hops: Sendable {
        private let hops = Mutex<[RedirectHop]>([])

        var all: [RedirectHop] { hops.withLock { $0 } }

        func take(_ hop: RedirectHop) -> RedirectPolicy.Verdict {
            hops.withLock { $0.append(hop) }
            return .follow
        }
    }

    private func step(
        _ draft: MutableRequest, _ answers: [(HTTPStatus, String)]
    ) throws -> (plan: CallPlan, step: CallPlan.Step?) {
        var plan = CallPlan(try Request(draft))
        var step: CallPlan.Step?
        for (status, location) in answers {
            plan.begin()
            let head = ResponseHead.redirect(status, to: location)
            #expect(plan.isFollowedRedirect(head))
            step = plan.advance(after: .answered(head)) { CallRecord($0.request, redirects: $0.redirects) }
        }
        return (plan, step)
    }

    @Test func `it sees each redirect once, and allowed ones are followed`() throws {
        let seen = Hops()
        let draft = MutableRequest.post("http://a/1") |> .redirects { seen.take($0) }
        let (plan, _) = try step(draft, [(302, "/2"), (307, "http://b/3")])
        #expect(plan.request.url.string == "http://b/3")
        #expect(seen.all == plan.redirects)
        #expect(seen.all.map(\.url.string) == ["http://a/1", "http://a/2"])
        #expect(seen.all.map(\.location.string) == ["http://a/2", "http://b/3"])
        #expect(seen.all.map(\.method) == [.post, .get] && seen.all.map(\.status) == [302, 307])
    }

    @Test func `a redirect that it refuses ends the call with its reason`() throws {
        let draft =
            MutableRequest.get("http://a/1")
            |> .redirects { $0.location.host == "a" ? .follow : .refuse("it leads to \($0.location.host)") }
        let (plan, step) = try step(draft, [(302, "/2"), (301, "http://b/3?token=secret")])
        guard case .fail(.redirect(let failure)) = step else {
            Issue.record("expected a redirect failure, got \(String(describing: step))")
            return
        }
        #expect(failure.reason == .refusedByPolicy("it leads to b") && failure.status == 301)
        #expect(failure.location?.description == "http://b/3?token=<redacted>")
        #expect(failure.record.redirects == plan.redirects && plan.redirects.count == 1)
    }

    @Test func `it is not called for a redirect that is refused in any case`() throws {
        let seen = Hops()
        for location in ["ftp://a/", "http://a/"] {
            let draft = MutableRequest.get("https://a/1") |> .redirects { seen.take($0) }
            guard case .fail = try step(draft, [(302, location)]).step else {
                Issue.record("\(location) was followed")
                continue
            }
        }
        #expect(seen.all.isEmpty)
    }

    @Test func `it keeps the rest of the policy, and equals only its copies`() throws {
        let policy = RedirectPolicy(limit: 3, allowsInsecureHop: true, crossOriginHeaders: ["x"])
        let hooked = policy.deciding { _ in .follow }
        let request = try Request(.get("http://a/") |> .redirects(policy) |> .redirects { _ in .follow })
        #expect(request.redirects.limit == 3 && request.redirects.allowsInsecureHop)
        #expect(request.redirects.crossOriginHeaders == ["x"])
        let copy = hooked
        #expect(copy == hooked && hooked != policy && hooked != policy.deciding { _ in .follow })
    }
}
