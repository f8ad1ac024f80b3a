import TestSupport
import HTTPEngine
import Foundation
import Testing

import HTTPCore

/// Redirects and the one transparent retry, step by step.
@Suite struct CallPlanTests {
    private func plan(_ draft: MutableRequest = .get("http://a/")) throws -> CallPlan { CallPlan(try Request(draft)) }

    private func died(_ plan: CallPlan) -> HTTPError {
        .connection(
            ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: CallRecord(plan.request)))
    }

    private func step(_ plan: inout CallPlan, _ outcome: CallPlan.Outcome) -> CallPlan.Step {
        plan.begin()
        let request = plan.request
        return plan.advance(after: outcome) { _ in CallRecord(request, phase: .receiving) }
    }

    @Test func `a response is delivered`() throws {
        var plan = try plan()
        guard case .deliver = step(&plan, .answered(.answer(.ok))) else { return unexpected("not delivered") }
        #expect(plan.attempts == 1 && plan.redirects.isEmpty)
    }

    @Test func `redirects are followed and kept in order`() throws {
        var plan = try plan(.post("http://a/1") |> .text("x"))
        for (status, location) in [(303, "/2"), (302, "http://b/3"), (307, "4")] {
            guard case .send = step(&plan, .answered(.redirect(HTTPStatus(status), to: location))) else {
                return unexpected(location)
            }
        }
        #expect(plan.request.url.string == "http://b/4")
        #expect(plan.request.method == .get)
        #expect(plan.redirects.map(\.url.string) == ["http://a/1", "http://a/2", "http://b/3"])
        #expect(plan.redirects.map(\.location.string) == ["http://a/2", "http://b/3", "http://b/4"])
        #expect(plan.redirects.map(\.method) == [.post, .get, .get])
        #expect(plan.attempts == 3)
    }

    @Test func `a refused redirect fails the call with status and place`() throws {
        var plan = try plan(.get("http://a/1") |> .redirects(RedirectPolicy(limit: 1)))
        _ = step(&plan, .answered(.redirect(302, to: "/2")))
        guard case .fail(.redirect(let failure)) = step(&plan, .answered(.redirect(307, to: "/3?token=secret"))) else {
            return unexpected("not failed")
        }
        #expect(failure.reason == .tooMany(limit: 1))
        #expect(failure.status == 307)
        #expect(failure.location?.description == "http://a/3?token=<redacted>")
        #expect(failure.record.url == "http://a/2")
    }

    @Test func `with limit 0 the redirect itself is delivered`() throws {
        var plan = try plan(.get("http://a/") |> .redirects(.never))
        let head = ResponseHead.redirect(302, to: "/x")
        #expect(!plan.isFollowedRedirect(head))
        guard case .deliver = step(&plan, .answered(head)) else { return unexpected("not delivered") }
    }

    @Test func `only a redirect with a Location is intermediate`() throws {
        let plan = try plan()
        #expect(plan.isFollowedRedirect(.redirect(302, to: "/x")))
        #expect(plan.isFollowedRedirect(.redirect(302, to: "ftp://x")))
        #expect(!plan.isFollowedRedirect(.answer(302)))
        #expect(!plan.isFollowedRedirect(.redirect(200, to: "/x")))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"])
    func `an idempotent request whose kept connection was lost is sent again once`(method: String) throws {
        var plan = try plan(.request(HTTPMethod(method), "http://a/"))
        guard case .send = step(&plan, .failed(died(plan), isStale: true)) else { return unexpected("not sent again") }
        #expect(plan.request.url.string == "http://a/")
        #expect(plan.request.method.rawValue == method)
        guard case .fail(.connection) = step(&plan, .failed(died(plan), isStale: true)) else {
            return unexpected("sent a third time")
        }
        #expect(plan.attempts == 2)
    }

    @Test(arguments: ["POST", "PATCH", "PURGE", "get"])
    func `a request that is not idempotent is never sent again`(method: String) throws {
        var plan = try plan(.request(HTTPMethod(method), "http://a/"))
        guard case .fail(.connection) = step(&plan, .failed(died(plan), isStale: true)) else {
            return unexpected("sent again")
        }
    }

    @Test func `a failure on a new connection or after the first byte is final`() throws {
        var plan = try plan()
        guard case .fail = step(&plan, .failed(died(plan), isStale: false)) else { return unexpected("sent again") }
    }

    @Test func `each redirect of a call may be sent again once`() throws {
        var plan = try plan()
        _ = step(&plan, .failed(died(plan), isStale: true))
        _ = step(&plan, .answered(.redirect(302, to: "/2")))
        guard case .send = step(&plan, .failed(died(plan), isStale: true)) else { return unexpected("not sent again") }
        #expect(plan.request.url.string == "http://a/2")
        guard case .fail = step(&plan, .failed(died(plan), isStale: true)) else { return unexpected("sent again") }
        #expect(plan.attempts == 4)
    }

    @Test func `a POST that became a GET may be sent again`() throws {
        var plan = try plan(.post("http://a/") |> .text("x"))
        _ = step(&plan, .answered(.redirect(303, to: "/2")))
        guard case .send = step(&plan, .failed(died(plan), isStale: true)) else { return unexpected("not sent again") }
    }

    @Test(arguments: ["GET", "POST"])
    func `a request that was not sent on an unusable connection is sent on another, and counts once`(
        method: String
    ) throws {
        var plan = try plan(.request(HTTPMethod(method), "http://a/") |> .text("x"))
        guard case .send = step(&plan, .unfit) else { return unexpected("not sent") }
        #expect(plan.isSecondTry, "which asks for a new connection")
        guard case .deliver = step(&plan, .answered(.answer(.ok))) else { return unexpected("not delivered") }
        #expect(plan.attempts == 1)
    }

    @Test func `a second unusable connection ends the call`() throws {
        var plan = try plan()
        guard case .send = step(&plan, .unfit) else { return unexpected("not sent") }
        guard case .fail(.connection(let failure)) = step(&plan, .unfit) else { return unexpected("not failed") }
        #expect(failure.reason == .closedBeforeResponse && !failure.mayHaveBeenProcessed)
    }

    @Test func `an idempotent request with a single-use body is not sent again, and the failure says why`() throws {
        var plan = try plan(.put("http://a/") |> .stream(replayable: false) { .data(Data("x".utf8)) })
        guard case .fail(.body(let failure)) = step(&plan, .failed(died(plan), isStale: true)) else {
            return unexpected("not failed")
        }
        #expect(failure.reason == .notReplayable)
        guard case .connection = failure.underlying as? HTTPError else { return unexpected(failure) }
    }

    @Test func `a request that was not sent is sent on another connection with a single-use body, too`() throws {
        let draft = MutableRequest.post("http://a/") |> .stream(replayable: false) { .data(Data("x".utf8)) }
        var plan = try plan(draft)
        guard case .send = step(&plan, .unfit) else { return unexpected("not sent") }
    }

    // MARK: What the server may have processed

    private func refused(_ plan: CallPlan) -> HTTPError {
        .connection(ConnectionFailure(.refused, mayHaveBeenProcessed: false, record: CallRecord(plan.request)))
    }

    /// Whether the failure of a call that ends with `outcome` says so; nil if it does not end.
    private func saysProcessed(_ plan: inout CallPlan, _ outcome: CallPlan.Outcome) -> Bool? {
        guard case .fail(.connection(let failure)) = step(&plan, outcome) else { return nil }
        return failure.mayHaveBeenProcessed
    }

    @Test func `a connection that fails behind a redirect does not undo what was processed before it`() throws {
        var plan = try plan(.post("http://a/") |> .text("x"))
        #expect(saysProcessed(&plan, .failed(refused(plan), isStale: false)) == false)
        guard case .send = step(&plan, .answered(.redirect(303, to: "http://b/"))) else {
            return unexpected("not followed")
        }
        #expect(saysProcessed(&plan, .failed(refused(plan), isStale: false)) == true)
        guard case .send = step(&plan, .unfit) else { return unexpected("not sent") }
        #expect(saysProcessed(&plan, .unfit) == true)
    }

    @Test func `a kept connection that was lost may have brought the request, but not if the server denies it`() throws
    {
        var plan = try plan()
        guard case .send = step(&plan, .failed(died(plan), isStale: true)) else { return unexpected("not sent again") }
        #expect(saysProcessed(&plan, .failed(refused(plan), isStale: false)) == true)
        var other = try self.plan(.post("http://a/"))
        let denied = HTTPError.connection(
            ConnectionFailure(.unprocessed, mayHaveBeenProcessed: false, record: CallRecord(other.request)))
        guard case .send = step(&other, .unprocessed(denied)) else { return unexpected("not sent again") }
        #expect(saysProcessed(&other, .failed(refused(other), isStale: false)) == false)
    }
}
