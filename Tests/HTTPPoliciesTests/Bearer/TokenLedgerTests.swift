import TestSupport
@testable import HTTPPolicies
import HTTPSupport
import Testing

import HTTPCore

/// Which token is current when tokens are set and refreshed concurrently.
@Suite struct TokenLedgerTests {
    private let start = TimePoint.now

    private func ledger(_ token: String?, limit: Int = 5) -> TokenLedger {
        TokenLedger(token, window: BearerTokens.RefreshWindow(limit: limit, interval: .seconds(30)))
    }

    /// A flight for the currently refused token.
    private func lead(_ ledger: inout TokenLedger, at time: Duration = .zero) throws -> TokenFlight {
        let step = ledger.step(after: ledger.current, at: start + time)
        guard case .lead(let flight, _) = step else { throw Unexpected(step) }
        return flight
    }

    @Test func `setting a token during a refresh ends the wait for the old one's`() throws {
        var ledger = ledger("a")
        let old = try lead(&ledger)
        ledger.set("b")
        #expect(ledger.waiting == 0)
        let new = try lead(&ledger)
        #expect(new !== old)
        guard case .follow(let followed) = ledger.step(after: ledger.current, at: start) else {
            return unexpected("nothing is under way")
        }
        #expect(followed === new)
    }

    @Test func `later calls do not wait for an overdue refresh`() throws {
        var ledger = ledger("a")
        let hanging = try lead(&ledger)
        guard case .follow = ledger.step(after: ledger.current, at: start + .seconds(29)) else {
            return unexpected("too early")
        }
        let second = try lead(&ledger, at: .seconds(30))
        #expect(second !== hanging)
        // The hanging refresh may still end.
        #expect(ledger.finish(hanging, with: "b").token == "b" && ledger.current?.token == "b")
    }

    @Test func `a new token ends the wait for every refresh, a removed one for none`() throws {
        var ledger = ledger("a")
        let overdue = try lead(&ledger)
        let second = try lead(&ledger, at: .seconds(30))
        ledger.set(nil)
        #expect(ledger.flights.map(ObjectIdentifier.init) == [overdue, second].map(ObjectIdentifier.init))
        let third = try lead(&ledger)
        ledger.fail(second, with: .unsupported(Unsupported("a", "b")), at: start)
        guard case .follow(let followed) = ledger.step(after: nil, at: start) else { return unexpected("a fourth") }
        #expect(followed === third && ledger.flights.count == 2)
        #expect(ledger.finish(third, with: "b") == ledger.current)
        #expect(ledger.flights.isEmpty)
    }

    @Test func `the failure of an old refresh does not refuse a new token`() throws {
        var ledger = ledger("a", limit: 1)
        let old = try lead(&ledger)
        ledger.set("b")
        ledger.fail(old, with: .unsupported(Unsupported("a", "b")), at: start)
        _ = try lead(&ledger)
        ledger.set("c")
        _ = try lead(&ledger)
    }

    @Test func `the result of an old refresh is for its own callers, and never the current token`() throws {
        var ledger = ledger("a")
        let old = try lead(&ledger)
        ledger.set("b")
        let entry = ledger.finish(old, with: "of the old user")
        #expect(ledger.current?.token == "b")
        // A refusal of it says nothing about the current one.
        #expect(entry.generation != ledger.current?.generation)
        guard case .use(let entry) = ledger.step(after: entry, at: start) else { return unexpected("a refresh") }
        #expect(entry.token == "b")
    }

    @Test(arguments: [true, false])
    func `the end of an old refresh does not affect the new one`(succeeds: Bool) throws {
        var ledger = ledger("a")
        let old = try lead(&ledger)
        ledger.set("b")
        let new = try lead(&ledger)
        if succeeds {
            _ = ledger.finish(old, with: "late")
        } else {
            ledger.fail(old, with: .unsupported(Unsupported("the old refresh", "it failed")), at: start)
        }
        guard case .follow(let flight) = ledger.step(after: ledger.current, at: start) else {
            return unexpected("a second refresh beside the new one")
        }
        #expect(flight === new)
        let entry = ledger.finish(new, with: "c")
        #expect(entry == ledger.current && entry.token == "c")
    }

    @Test func `a call that was sent before a refresh failed gets its error, a later one another refresh`() throws {
        var ledger = ledger("a")
        ledger.fail(
            try lead(&ledger), with: .unsupported(Unsupported("the refresh", "it failed")), at: start + .seconds(2))
        let late = start + .seconds(3)
        let before = ledger.step(after: ledger.current, sentAt: start + .seconds(1), at: late)
        guard case .fail(.unsupported(let error)) = before else { return unexpected(before) }
        #expect(error.feature == "the refresh")
        let after = ledger.step(after: ledger.current, sentAt: start + .seconds(2), at: late)
        guard case .lead(let flight, old: "a") = after else { return unexpected(after) }
        // What is under way may still succeed.
        let during = ledger.step(after: ledger.current, sentAt: start + .seconds(1), at: late)
        guard case .follow(let followed) = during, followed === flight else { return unexpected(during) }
        ledger.fail(flight, with: .unsupported(Unsupported("the refresh", "it failed again")), at: late)
        let muchLater = ledger.step(after: ledger.current, sentAt: start + .seconds(1), at: late + .seconds(5))
        guard case .lead = muchLater else { return unexpected(muchLater) }
        ledger.set("b")
        let set = ledger.step(after: ledger.current, sentAt: start + .seconds(1), at: late)
        guard case .lead = set else { return unexpected(set) }
    }

    @Test func `setting a token starts a new window`() throws {
        var ledger = ledger("a", limit: 1)
        ledger.fail(try lead(&ledger), with: .unsupported(Unsupported("the refresh", "it failed")), at: start)
        guard case .stop(let failure) = ledger.step(after: ledger.current, at: start) else {
            return unexpected("a refresh")
        }
        #expect(failure != nil)
        ledger.set("b")
        _ = try lead(&ledger)
    }

    @Test func `a window of no refresh is one of one`() throws {
        var ledger = ledger(nil, limit: 0)
        _ = try lead(&ledger)
    }

    @Test func `a new token clears the failures of the one before`() throws {
        var ledger = ledger("a", limit: 2)
        ledger.fail(try lead(&ledger), with: .unsupported(Unsupported("the refresh", "it failed")), at: start)
        _ = ledger.finish(try lead(&ledger), with: "b")
        guard case .stop(nil) = ledger.step(after: ledger.current, at: start) else { return unexpected("a failure") }
    }

    @Test func `a refresh leaves the window when the interval is over`() throws {
        var ledger = ledger("a", limit: 1)
        _ = ledger.finish(try lead(&ledger), with: "b")
        let late = start + .seconds(30) - .nanoseconds(1)
        guard case .stop = ledger.step(after: ledger.current, at: late) else { return unexpected("too early") }
        _ = try lead(&ledger, at: .seconds(30))
    }

    @Test func `a late refusal of an older token uses the current one`() throws {
        var ledger = ledger("a")
        let refused = ledger.current
        _ = ledger.finish(try lead(&ledger), with: "b")
        _ = ledger.finish(try lead(&ledger), with: "a")
        // The same text is another token.
        guard case .use(let entry) = ledger.step(after: refused, at: start) else { return unexpected("a refresh") }
        #expect(entry.token == "a" && entry.generation == 2)
    }
}

extension TokenLedger {
    /// The next step of a call that has not been sent.
    fileprivate mutating func step(after refused: Entry?, at now: TimePoint) -> Step {
        step(after: refused, sentAt: nil, at: now)
    }
}
