import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPCore
import HTTPTesting
import Testing

@Suite struct RetryTests {
    private let clock = TestClock()

    private func client(
        _ script: ScriptedClient, _ policy: RetryPolicy = RetryPolicy(backoff: Backoff(jitter: { 1 })),
        budget: RetryBudget = RetryBudget()
    ) -> any HTTPClient {
        clock.around(script).intercepted(by: .retry(policy, budget: budget))
    }

    @Test func `a call is retried twice, after growing waits, and the last response is the result`() throws {
        let script = ScriptedClient(ScriptedClient.status(503))
        let response = try client(script).send(.get("http://h/a") |> .header("A", "1"))
        #expect(response.status == 503)
        #expect(script.requests.map(\.url.string) == ["http://h/a", "http://h/a", "http://h/a"])
        #expect(script.requests.allSatisfy { $0.headers == ["A": "1"] })
        #expect(clock.slept == [.milliseconds(500), .seconds(1)])
    }

    @Test func `the first good response is the result, and attempts and time add up`() throws {
        let script = ScriptedClient(
            ScriptedClient.broken(),
            { request in
                var metrics = Metrics()
                metrics.attemptCount = 3  // two redirects
                return .success(Response(request: request, status: 502, metrics: metrics))
            }, ScriptedClient.status(200))
        let response = try client(script).send(.get("http://h"))
        #expect(response.status == .ok)
        #expect(response.metrics.attemptCount == 5)
        #expect(response.metrics.total == .milliseconds(1500))
    }

    @Test func `an error has the count of all attempts`() {
        let script = ScriptedClient(ScriptedClient.broken())
        let error = client(script).executeRequest(.get("http://h")).failure
        guard case .connection(let failure) = error else { return unexpected(error as Any) }
        #expect(failure.record.metrics.attemptCount == 3)
        #expect(script.requests.count == 3)
    }

    @Test func `a condition decides instead of the statuses and errors, and the other rules hold`() throws {
        let script = ScriptedClient(
            ScriptedClient.status(404), ScriptedClient.broken(), ScriptedClient.status(503), ScriptedClient.status(200))
        let asked = Tally()
        let retry = Interceptor.retry(RetryPolicy(limit: 5, backoff: Backoff(jitter: { 1 }))) { outcome in
            asked.add()
            return (try? outcome.get().status == .notFound) ?? true
        }
        let client = clock.around(script).intercepted(by: retry)
        #expect(try client.send(.get("http://h")).status == 503)
        #expect(script.requests.count == 3 && clock.slept == [.milliseconds(500), .seconds(1)])
        #expect(asked.count == 3, "once for each outcome")
        let posted = ScriptedClient(ScriptedClient.status(404))
        let other = clock.around(posted).intercepted(by: retry)
        #expect(try other.send(.post("http://h") |> .text("x")).status == .notFound)
        #expect(posted.requests.count == 1)
    }

    @Test func `a wait in a field of the server's own is waited for, and its cause says so`() throws {
        var policy = RetryPolicy(statuses: [403], backoff: Backoff(base: .zero))
        policy.askedWait = { response, _ in response.headers["X-Wait"].flatMap(Double.init).map { .seconds($0) } }
        let stub = StubClient().on(
            .get, "/a", answer: .status(403).header("X-Wait", "20").then(.status(403)).then(.text("x")))
        let response = try stub.intercepted(by: .retry(policy)).get("https://a.example/a")
        #expect(response.status == .ok && stub.requestCount == 3)
        #expect(stub.time.waits == [.seconds(20), .zero])
        #expect(response.history.waits.map(\.reason) == ["the server's wait before attempt 2 of 3"])
    }

    @Test(arguments: [("8.0", "Retry-After", 8.0), ("soon", "back-off", 1)])
    func `the cause of a wait names a Retry-After only if it is valid`(field: String, cause: String, wait: Double)
        throws
    {
        let stub = StubClient(strict: true)
            .on(.get, "/a", answer: .status(503).header("Retry-After", field).then(.text("x")))
        let policy = RetryPolicy(backoff: Backoff(base: .seconds(1), jitter: { 1 }))
        let response = try stub.intercepted(by: .retry(policy)).get("https://a.example/a")
        #expect(response.status == .ok && stub.requestCount == 2 && stub.time.waits == [.seconds(wait)])
        #expect(response.history.waits.map(\.reason) == ["\(cause) before attempt 2 of 3"])
    }

    /// What `ConnectionFailure.mayHaveBeenProcessed` says behind each earlier attempt.
    @Test(
        arguments: [
            (ScriptedClient.broken(), true),
            (ScriptedClient.status(503), true),
            (ScriptedClient.status(401), false),
            (
                { .failure(.timedOut(TimeoutFailure(.idle, after: .zero, record: CallRecord($0, phase: .waiting)))) },
                true
            ),
            (
                {
                    .failure(
                        .timedOut(TimeoutFailure(.connect, after: .zero, record: CallRecord($0, phase: .securing))))
                }, false
            ),
            ({ .failure(.timedOut(nil, CallRecord(unsent: $0, phase: .betweenAttempts))) }, false),
            ({ .failure(.timedOut(nil, CallRecord($0, phase: .betweenAttempts))) }, true),
            (
                {
                    let failure = InterceptorFailure(.interceptor, CancellationError(), record: CallRecord($0))
                    return .failure(.interceptor(failure))
                }, true
            ),
            (
                {
                    let response = Response(request: $0, status: 200)
                    return .failure(.decoding(DecodingFailure(response: response, expectedType: "x", reason: "y")))
                }, true
            ),
            (RetryTests.refused, false),
        ] as [(ScriptedClient.Answer, Bool)])
    func `a refused connection does not undo what an earlier attempt may have done`(
        first: @escaping ScriptedClient.Answer, isProcessed: Bool
    ) throws {
        let script = ScriptedClient(first, Self.refused)
        let retry = Interceptor.retry(RetryPolicy(limit: 1, backoff: Backoff(base: .zero))) { _ in true }
        let draft = MutableRequest.post("http://h/orders") |> .text("x") |> .header("Idempotency-Key", "1")
        let error = clock.around(script).intercepted(by: retry).executeRequest(draft).failure
        guard case .connection(let failure) = error else { return unexpected(error as Any) }
        #expect(script.requests.count == 2 && failure.reason == .refused)
        #expect(failure.mayHaveBeenProcessed == isProcessed)
        #expect("\(failure)".hasSuffix(" may have taken effect: check before sending it again") == isProcessed)
    }

    private static let refused: ScriptedClient.Answer = {
        .failure(.connection(ConnectionFailure(.refused, mayHaveBeenProcessed: false, record: CallRecord($0))))
    }

    @Test func `a POST is sent once, even if its connection is lost`() {
        let script = ScriptedClient(ScriptedClient.broken())
        _ = client(script).executeRequest(.post("http://h") |> .text("x"))
        #expect(script.requests.count == 1)
    }

    @Test func `a single-use body is sent once`() {
        let script = ScriptedClient(ScriptedClient.status(503))
        let once = RequestBody.stream(replayable: false) { .data(Data("x".utf8)) }
        _ = client(script).executeRequest(.put("http://h") |> .body(once))
        _ = client(script).executeRequest(.put("http://h") |> .body(.stream { .data(Data("x".utf8)) }))
        #expect(script.requests.map(\.body.isReplayable) == [false, true, true, true])
    }

    @Test func `the body is sent each time`() throws {
        let script = ScriptedClient(ScriptedClient.status(503), ScriptedClient.status(200))
        _ = try client(script).send(.put("http://h") |> .text("x"))
        #expect(script.requests.map(\.body) == [.text("x"), .text("x")])
    }

    @Test func `a wait that exceeds the total timeout is not started`() throws {
        let script = ScriptedClient(ScriptedClient.status(503, ["Retry-After": "30"]))
        let response = try client(script).send(.get("http://h") |> .timeout(.seconds(20)))
        #expect(response.status == 503)
        #expect(script.requests.count == 1 && clock.slept.isEmpty)
    }

    @Test func `the timeout counts from the start, over all attempts`() throws {
        let script = ScriptedClient(ScriptedClient.status(503, ["Retry-After": "7"]))
        let start = clock.now
        _ = try client(script).send(.get("http://h") |> .timeout(.seconds(10)))
        #expect(clock.slept == [.seconds(7)])
        // The first attempt has the whole time of the request.
        #expect(script.deadlines.map { $0?.point } == [nil, start + .seconds(10)])
        #expect(script.deadlines.map { $0?.allowance } == [nil, .seconds(10)])
    }

    @Test func `a deadline around the call applies, too`() throws {
        let script = ScriptedClient(ScriptedClient.status(503, ["Retry-After": "7"]))
        _ = try CallDeadline(.seconds(5), from: clock.now).run { try client(script).send(.get("http://h")) }
        #expect(script.requests.count == 1)
    }

    @Test func `cancelling ends the wait at once`() throws {
        let clock = TestClock(manual: true)
        let script = ScriptedClient(ScriptedClient.status(503, ["Retry-After": "50"]))
        let client = clock.around(script).intercepted(by: .retry())
        let token = CancellationToken()
        let outcome = Notes<HTTPError?>()
        let thread = TestThread { token.run { outcome.note(client.executeRequest(.get("http://h")).failure) } }
        clock.asleep.wait(for: 1)
        token.cancel()
        thread.join()
        guard case .cancelled(let record?) = outcome.all.first else { return unexpected(outcome.all) }
        #expect(record.phase == .betweenAttempts && record.metrics.attemptCount == 1)
        #expect("\(HTTPError.cancelled(record))" == "GET http://h/ was cancelled while waiting to be tried again")
        #expect(script.requests.count == 1)
    }

    @Test func `a real wait ends at once when its call is cancelled`() {
        let token = CancellationToken()
        let start = TimePoint.now
        let ending = Notes<CallClock.WaitEnding>()
        let waits = Tally()
        let thread = TestThread {
            token.run {
                waits.add()
                ending.note(CallClock.system.wait(until: .now + .seconds(60)))
            }
        }
        waits.wait(for: 1)
        token.cancel()
        thread.join()
        #expect(ending.all == [.cancelled])
        #expect(start.duration(to: .now) < .seconds(30))
        #expect(token.run { CallClock.system.wait(until: nil) } == .cancelled)
        #expect(CallClock.system.wait(until: .now - .seconds(1)) == .elapsed)
        let short = TimePoint.now + .milliseconds(20)
        #expect(CallClock.system.wait(until: short) == .elapsed && TimePoint.now >= short)
    }

    @Test func `a failing server is not flooded`() {
        let script = ScriptedClient(ScriptedClient.status(503))
        let client = client(script, budget: RetryBudget(capacity: 5))
        for _ in 0..<100 { _ = client.executeRequest(.get("http://h")) }
        #expect(script.requests.count == 105)
    }

    @Test func `a limit is the only setting needed`() {
        let script = ScriptedClient(ScriptedClient.status(503))
        _ = clock.around(script).intercepted(by: .retry(limit: 6)).executeRequest(.get("http://h"))
        #expect(script.requests.count == 7)
        _ = clock.around(script).intercepted(by: .retry(limit: 6, budget: RetryBudget(capacity: 1))).executeRequest(
            .get("http://h"))
        #expect(script.requests.count == 9)
    }

    @Test func `the largest limit is a limit`() {
        let script = ScriptedClient(ScriptedClient.status(503))
        let retry = Interceptor.retry(limit: .max, budget: RetryBudget(capacity: 3))
        _ = clock.around(script).intercepted(by: retry).executeRequest(.get("http://h"))
        #expect(script.requests.count == 4)
    }

    @Test func `a retry whose request cannot be made costs no budget`() throws {
        let budget = RetryBudget(capacity: 3)
        var draft = MutableRequest.get("http://h")
        draft[RenewalKey.self] = { .failure(.unsupported(Unsupported("a", "b"))) }
        guard
            case .unsupported = client(ScriptedClient(ScriptedClient.status(503)), budget: budget)
                .executeRequest(draft).failure
        else { return unexpected("sent") }
        #expect(budget.available == 3)
    }

    @Test func `what would fill a budget beyond its capacity is lost`() {
        let budget = RetryBudget(capacity: 1, refill: 0.6)
        let rounds = 4
        let served = Locked(0)
        let script = ScriptedClient { request in
            let number = served.withLock { count in
                count += 1
                return count
            }
            return ScriptedClient.status([503, 503, 200, 503, 200][(number - 1) % 5])(request)
        }
        let client = client(script, budget: budget)
        // In each round: one retry, a success, no retry since 0.6 is not enough, and a success that fills the budget.
        for _ in 0..<(4 * rounds) { _ = client.executeRequest(.get("http://h")) }
        #expect(script.requests.count == 5 * rounds && budget.available == 1)
    }

    @Test func `the token of a successful retry is returned, and a call that succeeds at once adds its part`() {
        let budget = RetryBudget(capacity: 2, refill: 0.5)
        let script = ScriptedClient(
            ScriptedClient.status(503), ScriptedClient.status(503), ScriptedClient.status(200),
            ScriptedClient.status(503), ScriptedClient.status(200))
        let client = client(script, budget: budget)
        // Two retries, one of which succeeded and is returned.
        #expect(client.executeRequest(.get("http://h")).failure == nil && budget.available == 1)
        #expect(client.executeRequest(.get("http://h")).failure == nil && budget.available == 1)
        #expect(client.executeRequest(.get("http://h")).failure == nil && budget.available == 1)
        #expect(client.executeRequest(.get("http://h")).failure == nil && budget.available == 2)
    }

    @Test func `the error, its record and the log show an attempt that the budget refused`() throws {
        let lines = Notes<String>()
        func calls(_ script: ScriptedClient, _ budget: RetryBudget) -> any HTTPClient {
            client(script, budget: budget).intercepted(by: .log { lines.note($0) })
        }
        let broken = calls(ScriptedClient(ScriptedClient.broken()), RetryBudget(capacity: 1))
        let error = try #require(broken.executeRequest(.get("http://h")).failure)
        #expect(error.record?.metrics.isRetryRefused == true && error.record?.metrics.attemptCount == 2)
        #expect(
            "\(error)".hasSuffix("not tried again, because the RetryBudget has no retry left"))
        #expect(lines.all[0].contains(", 2 attempts: ") && lines.all[0].hasSuffix("has no retry left"))
        let busy = calls(ScriptedClient(ScriptedClient.status(503)), RetryBudget(capacity: 0))
        let response = try busy.get("http://h")
        #expect(response.metrics.isRetryRefused)
        #expect(lines.all[1].hasSuffix(", retry refused by the budget"))
        let refused = #expect(throws: HTTPError.self) { try response.validated() }
        #expect(refused.map { "\($0)" }?.contains("503; it was not tried again") == true)
    }

    private func calls(toHosts interceptor: Interceptor) throws -> (refused: [Bool], sent: Int) {
        let stub = StubClient().on(.get, "http://down/{n}", answer: .status(503))
            .on(.get, "http://up/a", answer: .status(503).then(.ok))
        let client = stub.intercepted(by: interceptor)
        var refused = try (0..<11).map { try client.get("http://down/\($0)").metrics.isRetryRefused }
        refused.append(try client.get("http://up/a").metrics.isRetryRefused)
        return (refused, stub.requestCount)
    }

    @Test func `a host that is down uses up its own retries, and not those of another`() throws {
        let (refused, sent) = try calls(toHosts: .retry())
        #expect(refused == Array(repeating: false, count: 10) + [true, false])
        #expect(sent == 10 * 3 + 1 + 2)
    }

    @Test func `a budget that is passed is one for all hosts`() throws {
        let (refused, sent) = try calls(toHosts: .retry(budget: RetryBudget()))
        #expect(refused == Array(repeating: false, count: 10) + [true, true])
        #expect(sent == 10 * 3 + 1 + 1)
    }

    @Test func `an end for another reason is not attributed to the budget`() throws {
        let all = client(ScriptedClient(ScriptedClient.broken()), budget: RetryBudget(capacity: 2))
        let error = try #require(all.executeRequest(.get("http://h")).failure)
        #expect(error.record?.metrics.isRetryRefused == false && !"\(error)".contains("RetryBudget"))
        let post = client(ScriptedClient(ScriptedClient.status(503)), budget: RetryBudget(capacity: 0))
        #expect(try post.post("http://h", .text("x")).metrics.isRetryRefused == false)
    }

    @Test func `a failure that is not retried adds nothing to the budget`() {
        let budget = RetryBudget(capacity: 1, refill: 1)
        let script = ScriptedClient(
            ScriptedClient.status(503), ScriptedClient.status(503),
            { _ in .failure(.unsupported(Unsupported("a", "b"))) })
        let client = client(script, budget: budget)
        _ = client.executeRequest(.get("http://h"))
        #expect(script.requests.count == 2 && budget.available == 0)
        let result = client.executeRequest(.get("http://h"))
        guard case .failure(.unsupported) = result else { return unexpected(result) }
        #expect(script.requests.count == 3 && budget.available == 0)
    }

    @Test func `a budget holds for 64 concurrent threads`() {
        let script = ScriptedClient(ScriptedClient.status(503))
        let client = client(script, budget: RetryBudget(capacity: 10))
        let threads = (0..<64).map { _ in TestThread { for _ in 0..<20 { _ = client.executeRequest(.get("http://h")) } }
        }
        for thread in threads { thread.join() }
        #expect(script.requests.count == 64 * 20 + 10)
    }

    @Test func `a retry that was cancelled before it began costs no budget`() throws {
        let budget = RetryBudget(capacity: 3)
        let token = CancellationToken()
        let stub = StubClient { request in
            token.cancel()
            return .success(Response(request: request, status: .serviceUnavailable))
        }
        let client = stub.intercepted(by: .retry(budget: budget))
        guard case .failure(.cancelled) = token.run({ client.executeRequest(.get("http://h/")) }) else {
            return #expect(Bool(false))
        }
        #expect(budget.available == 3)
    }
}
