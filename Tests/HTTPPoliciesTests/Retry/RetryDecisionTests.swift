import TestSupport
@testable import HTTPPolicies
import Dispatch
import Foundation
import Synchronization
import Testing

import HTTPCore

/// Which attempt is followed by another, and after how long, as tables without a clock.
@Suite struct RetryDecisionTests {
    private func request(_ method: HTTPMethod = .get, _ step: RequestStep = .none) throws -> Request {
        try Request(.request(method, "http://h/") |> step)
    }

    private func decide(
        _ status: HTTPStatus, _ request: Request, headers: HTTPHeaders = [:], policy: RetryPolicy = RetryPolicy(),
        _ situation: RetryPolicy.Situation = .init()
    ) -> Duration? {
        let answer = Response(request: request, status: status, headers: headers)
        guard policy.isTransient(.success(answer)) else { return nil }
        return policy.wait(after: .success(answer), of: request, in: situation)
    }

    @Test func `exactly the transient statuses are retried`() throws {
        let request = try request()
        let retried = (100...599).filter { decide(HTTPStatus($0), request) != nil }
        #expect(retried == [408, 429, 500, 502, 503, 504])
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("OPTIONS", true), ("TRACE", true), ("PUT", true), ("DELETE", true),
        ("POST", false), ("PATCH", false), ("get", false), ("LOCK", false),
    ])
    func `only an idempotent method is repeated`(_ method: String, _ isRepeated: Bool) throws {
        let request = try request(HTTPMethod(method))
        #expect((decide(503, request) != nil) == isRepeated)
    }

    @Test func `a key or the caller's setting makes any method repeatable`() throws {
        #expect(decide(503, try request(.post, .header("idempotency-key", "1"))) != nil)
        #expect(decide(503, try request(.post), policy: RetryPolicy(repeatsAnyMethod: true)) != nil)
    }

    @Test func `the limit counts the attempts after the first`() throws {
        let request = try request()
        for (retries, limit, isRetried) in [(0, 2, true), (1, 2, true), (2, 2, false), (0, 0, false)] {
            let decision = decide(503, request, policy: RetryPolicy(limit: limit), .init(retries: retries))
            #expect((decision != nil) == isRetried, "\(retries) of \(limit)")
        }
    }

    @Test func `a wait that the policy reads is behind Retry-After, and at most the longest`() throws {
        let request = try request()
        var policy = RetryPolicy(statuses: [403], backoff: Backoff(base: .zero), longestRetryAfter: .seconds(50))
        policy.askedWait = { response, now in
            response.headers["X-Reset"].flatMap(Double.init).map { .seconds(max(0, $0 - now)) }
        }
        let table: [(reset: String?, after: String?, wait: Duration?)] = [
            ("1020", nil, .seconds(20)), ("1020", "7", .seconds(7)), ("1051", nil, nil), ("990", nil, .zero),
            (nil, nil, .zero),
        ]
        for (reset, after, wait) in table {
            var headers = HTTPHeaders()
            (headers["X-Reset"], headers["Retry-After"]) = (reset, after)
            #expect(decide(403, request, headers: headers, policy: policy, .init(unixTime: 1000)) == wait)
        }
    }

    @Test func `errors are retried if the next attempt may succeed`() throws {
        let request = try request()
        let record = CallRecord(request)
        func connection(_ reason: ConnectionFailure.Reason) -> HTTPError {
            .connection(ConnectionFailure(reason, mayHaveBeenProcessed: true, record: record))
        }
        let table: [(HTTPError, Bool)] = [
            (connection(.refused), true), (connection(.unreachable), true), (connection(.broken), true),
            (connection(.closedBeforeResponse), true), (connection(.other), true), (connection(.proxy), false),
            (.resolution(ResolutionFailure(host: "h", record: record)), true),
            (.timedOut(TimeoutFailure(.connect, after: .seconds(1), record: record)), true),
            (.timedOut(TimeoutFailure(.idle, after: .seconds(1), record: record)), true),
            (.timedOut(TimeoutFailure(.total, after: .seconds(1), record: record)), false),
            (.truncatedBody(TruncatedBody(.chunked, received: 1, record: record)), true),
            (.cancelled(record), false),
            (.protocolViolation(ProtocolViolation("x", record: record)), false),
            (.limitExceeded(LimitExceeded(.body, value: 1, record: record)), false),
            (.redirect(RedirectFailure(.cycle(visits: 3), status: 302, record: record)), false),
            (.destinationRefused(DestinationFailure(.loopback, host: "h", port: 80, record: record)), false),
            (.other(CircuitOpen(record: record)), false),
            (.other(CircuitOpen(record: record, isTransient: true)), true),
            (.unsupported(Unsupported("x", "y")), false),
            (.unacceptableStatus(Response(request: request, status: 503)), true),
            (.unacceptableStatus(Response(request: request, status: 404)), false),
        ]
        let handshakes = TLSFailure.Reason.allCases.map { reason in
            (HTTPError.tls(TLSFailure(reason, record: record)), reason == .handshake)
        }
        for (error, isRetried) in table + handshakes {
            #expect(RetryPolicy().isTransient(.failure(error)) == isRetried, "\(error)")
        }
    }

    @Test func `a POST is repeated if the server has certainly processed nothing`() throws {
        let request = try request(.post, .text("x"))
        func connection(_ reason: ConnectionFailure.Reason, _ isProcessed: Bool) -> HTTPError {
            .connection(ConnectionFailure(reason, mayHaveBeenProcessed: isProcessed, record: CallRecord(request)))
        }
        func record(_ phase: CallActivity, behind hops: [RedirectHop] = []) -> CallRecord {
            CallRecord(request, phase: phase, redirects: hops)
        }
        let hop = RedirectHop(status: .temporaryRedirect, url: request.url, location: request.url)
        let table: [(HTTPError, Bool)] = [
            (connection(.refused, false), true), (connection(.unprocessed, false), true),
            (connection(.refused, true), false), (connection(.broken, true), false),
            (.resolution(ResolutionFailure(host: "h", record: record(.resolving))), true),
            (.resolution(ResolutionFailure(host: "h", record: record(.resolving, behind: [hop]))), false),
            (.timedOut(TimeoutFailure(.connect, after: .seconds(1), record: record(.connecting))), true),
            (.timedOut(TimeoutFailure(.connect, after: .seconds(1), record: record(.securing, behind: [hop]))), false),
            (.timedOut(TimeoutFailure(.idle, after: .seconds(1), record: record(.starting))), false),
            (.timedOut(TimeoutFailure(.idle, after: .seconds(1), record: record(.waiting))), false),
            (.timedOut(TimeoutFailure(after: .seconds(1))), false),
            (.tls(TLSFailure(.handshake, record: record(.securing))), true),
            (.truncatedBody(TruncatedBody(.chunked, received: 1, record: record(.receiving))), false),
            (.interceptor(InterceptorFailure(.interceptor, CancellationError(), record: record(.starting))), false),
            (.other(CircuitOpen(record: record(.starting), isTransient: true)), true),
            (.other(CircuitOpen(record: nil, isTransient: true)), true), (.cancelled(nil), false),
            (.other(CircuitOpen(record: nil, wasSent: true, isTransient: true)), false),
            (.unacceptableStatus(Response(request: request, status: 503)), false),
        ]
        var policy = RetryPolicy()
        policy.condition = { _ in true }
        let once = try self.request(.post, .body(.stream(replayable: false) { .data(Data("x".utf8)) }))
        for (error, isRepeated) in table {
            #expect((policy.wait(after: .failure(error), of: request, in: .init()) != nil) == isRepeated, "\(error)")
            #expect(policy.wait(after: .failure(error), of: once, in: .init()) == nil, "\(error)")
        }
    }

    @Test func `only a busy proxy is asked again, for any method if the server has received nothing`() throws {
        func wait(_ status: HTTPStatus?, _ method: HTTPMethod, isProcessed: Bool = false) throws -> Duration? {
            let request = try request(method)
            let outcome = Result<Response, HTTPError>.failure(
                .connection(
                    ConnectionFailure(
                        .proxy, mayHaveBeenProcessed: isProcessed, proxyStatus: status, record: CallRecord(request))))
            guard RetryPolicy().isTransient(outcome) else { return nil }
            return RetryPolicy().wait(after: outcome, of: request, in: .init())
        }
        let repeated = try (100...599).filter { try wait(HTTPStatus($0), .post) != nil }
        #expect(repeated == [502, 503, 504])
        #expect(try wait(nil, .get) == nil)
        #expect(try wait(503, .post, isProcessed: true) == nil && wait(503, .get, isProcessed: true) != nil)
    }

    @Test func `the wait is drawn from a range that doubles up to its cap`() throws {
        let backoff = Backoff(base: .milliseconds(500), cap: .seconds(3))
        #expect((0...4).map(backoff.bound) == [0.5, 1, 2, 3, 3].map { Duration.seconds($0) })
        #expect(backoff.delay(after: 1, drawn: 0) == .zero)
        #expect(backoff.delay(after: 1, drawn: 0.25) == .milliseconds(250))
        #expect(backoff.delay(after: 1_000, drawn: 1) == .seconds(3))
        // A number out of range counts as the end of the range.
        #expect(backoff.delay(after: 0, drawn: 1.5) == .milliseconds(500))
        #expect(backoff.delay(after: 0, drawn: -1) == .zero)
        #expect(Backoff(base: .seconds(-1), cap: .seconds(-1)).delay(after: 3, drawn: .nan) == .zero)
        let steady = Backoff(base: .milliseconds(500), cap: .seconds(3), jitter: { 0.5 })
        #expect((0...4).map { steady.delay(after: $0) } == [0.25, 0.5, 1, 1.5, 1.5].map { Duration.seconds($0) })
        let numbers = (0..<200).map { _ in Backoff().jitter() }
        #expect(numbers.allSatisfy { (0..<1).contains($0) } && Set(numbers).count > 100)
    }

    @Test(arguments: [
        ("7", 7.0), ("0", 0.5), (" 7\t", 7), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
        ("Sunday, 06-Nov-94 08:49:47 GMT", 10), ("Sun Nov  6 08:49:47 1994", 10),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.5), ("soon", 0.5), ("-7", 0.5), ("7.5", 8), ("", 0.5),
        ("2.0", 2), ("2.128", 3), ("0.493", 1), ("0.0", 0.5), ("2.", 0.5), (".5", 0.5), ("1e3", 0.5), ("2.5.1", 0.5),
        ("2,5", 0.5), ("2. 5", 0.5),
    ])
    func `a server's Retry-After is used if it is valid and longer`(_ value: String, _ wait: Double) throws {
        let decision = decide(
            503, try request(), headers: ["Retry-After": value], .init(unixTime: 784_111_777, jitter: 1))
        #expect(decision == .seconds(wait))
    }

    @Test func `a date in the past means no wait`() {
        let headers: HTTPHeaders = ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(RetryAfter.wait(headers, unixTime: 784_111_777) == .zero)
        #expect(RetryAfter.wait(headers, unixTime: 784_111_778) == .zero)
        #expect(RetryAfter.wait(headers, unixTime: 784_111_776) == .seconds(1))
    }

    @Test func `a date is as long away as the server's own clock says`() {
        let headers: HTTPHeaders = [
            "Date": "Sun, 06 Nov 1994 09:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 09:49:38 GMT",
        ]
        for now in [784_111_777, 784_111_777 + 7_200] as [Double] {
            #expect(RetryAfter.wait(headers, unixTime: now) == .seconds(1))
        }
        let kept: HTTPHeaders = [
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Age": "3480", "Retry-After": "Sun, 06 Nov 1994 09:49:37 GMT",
        ]
        #expect(RetryAfter.wait(kept, unixTime: 784_111_777) == .seconds(120))
        let broken: HTTPHeaders = ["Date": "soon", "Retry-After": "Sun, 06 Nov 1994 08:49:38 GMT"]
        #expect(RetryAfter.wait(broken, unixTime: 784_111_777) == .seconds(1))
    }

    @Test(arguments: [
        ("60", true), ("60.0", true), ("60.1", false), ("61", false), ("99999999999999999999", false),
        ("99999999999999999999.9", false),
    ])
    func `a Retry-After beyond the longest is not waited for`(_ value: String, _ isRetried: Bool) throws {
        let decision = decide(503, try request(), headers: ["Retry-After": value])
        #expect((decision != nil) == isRetried)
    }

    @Test func `a wait beyond the deadline is not started`() throws {
        let request = try request()
        for (left, isRetried) in [(0.4, false), (0.5, false), (0.6, true)] {
            let decision = decide(503, request, .init(timeLeft: .seconds(left), jitter: 1))
            #expect((decision != nil) == isRetried, "\(left)")
        }
        #expect(decide(503, request, .init(timeLeft: .seconds(-1), jitter: 0)) == nil)
    }

    @Test func `a negative budget is empty`() {
        let budget = RetryBudget(capacity: -1)
        #expect(budget.available == 0 && !budget.withdraw())
        budget.noteSuccess(after: 1)
        #expect(budget.available == 0 && !budget.withdraw())
    }

    @Test func `each origin has its own budget, and more than a thousand of them are not remembered`() {
        let budgets = RetryBudgets(nil)
        let down = Origin(scheme: .https, host: "down")
        #expect((0..<21).map { _ in budgets.withdraw(for: down) } == Array(repeating: true, count: 20) + [false])
        #expect(budgets.withdraw(for: Origin(scheme: .http, host: "down")))
        budgets.deposit(for: down)
        #expect(budgets.withdraw(for: down) && !budgets.withdraw(for: down))
        for _ in 0..<10 { budgets.noteSuccess(after: 0, for: down) }
        #expect(budgets.withdraw(for: down) && !budgets.withdraw(for: down))
        for number in 2..<RetryBudgets.mostOrigins {
            _ = budgets.withdraw(for: Origin(scheme: .https, host: "h\(number)"))
        }
        #expect(!budgets.withdraw(for: down))
        #expect(budgets.withdraw(for: Origin(scheme: .https, host: "one-more")) && budgets.withdraw(for: down))
    }

    @Test func `threads share a budget to the last retry`() {
        let budget = RetryBudget(capacity: 500, refill: 0)
        let withdrawn = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<200 where budget.withdraw() { withdrawn.add(1, ordering: .relaxed) }
        }
        #expect(withdrawn.load(ordering: .relaxed) == 500 && budget.available == 0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in for _ in 0..<100 { budget.deposit() } }
        #expect(budget.available == 400)
    }

    @Test func `retries use the budget, and successes refill it`() {
        let budget = RetryBudget(capacity: 2, refill: 0.1)
        func withdrawals(_ count: Int) -> [Bool] { (0..<count).map { _ in budget.withdraw() } }
        #expect(withdrawals(3) == [true, true, false])
        for _ in 0..<9 { budget.noteSuccess(after: 0) }
        #expect(withdrawals(1) == [false])
        budget.noteSuccess(after: 0)
        #expect(withdrawals(2) == [true, false])
        budget.noteSuccess(after: 1)
        #expect(budget.available == 1)
        for _ in 0..<100 { budget.noteSuccess(after: 1) }
        #expect(budget.available == 2)
        for (capacity, refill) in [(-1, -1.0), (.max, .infinity), (0, .nan)] {
            let odd = RetryBudget(capacity: capacity, refill: refill)
            odd.noteSuccess(after: 0)
            let isThere = odd.withdraw()
            #expect(isThere == (capacity > 0))
        }
    }
}
