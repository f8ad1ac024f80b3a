import HTTPObservability
import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

/// Simulated time, which no thread waits for.
@Suite struct StubTimeTests {
    private static let url = "https://api.example.com/a"

    private func failure(_ result: Result<Response, HTTPError>) throws -> TimeoutFailure {
        let error = try #require(throws: HTTPError.self) { try result.get() }
        guard case .timedOut(let failure) = error else { throw error }
        return failure
    }

    @Test func `an answer that takes an hour arrives at once`() throws {
        let clock = ContinuousClock.now
        let stub = StubClient().on(.get, "/a", answer: .text("late").taking(.seconds(3600)))
        let response = try stub.get(Self.url, .timeout(nil) |> .idleTimeout(nil))
        #expect(try response.text() == "late")
        #expect(response.metrics.total == .seconds(3600))
        #expect(stub.time.elapsed == .seconds(3600))
        #expect(stub.time.waits.isEmpty)
        #expect(clock.duration(to: .now) < .seconds(60))
    }

    @Test(
        arguments: [
            (.ok.taking(.seconds(2)), .timeout(.seconds(1)), .total, .waiting, 1),
            (.ok.taking(.seconds(2)), .idleTimeout(.seconds(1)), .idle, .waiting, 1),
            (.ok.taking(.seconds(2), in: .receiving), .idleTimeout(.seconds(1)), .idle, .receiving, 1),
            (.ok.taking(.seconds(2), in: .connecting), .connectTimeout(.seconds(1)), .connect, .connecting, 1),
            (
                .ok.taking(.seconds(1), in: .resolving).taking(.seconds(1), in: .securing),
                .connectTimeout(.milliseconds(1500)), .connect, .securing, 1.5
            ),
            (.ok.taking(.seconds(2), in: .connecting), .timeout(.seconds(1)), .total, .connecting, 1),
            (.ok.taking(.seconds(1)).taking(.seconds(1)), .timeout(.milliseconds(1500)), .total, .waiting, 1.5),
            (.ok.taking(.seconds(31)), .none, .idle, .waiting, 30),
            (.ok.taking(.seconds(11), in: .connecting), .none, .connect, .connecting, 10),
            (
                .ok.taking(.seconds(20)).taking(.seconds(25), in: .receiving), .timeout(.seconds(40)), .total,
                .receiving, 40
            ),
        ] as [(StubAnswer, RequestStep, TimeoutFailure.Limit, CallActivity, Double)])
    func `a request with a shorter timeout fails in the phase in which it expires`(
        answer: StubAnswer, limits: RequestStep, limit: TimeoutFailure.Limit, phase: CallActivity, seconds: Double
    ) throws {
        let stub = StubClient().on(.get, "/a", answer: answer)
        let failure = try failure(stub.executeRequest(.get(Self.url) |> limits))
        #expect(failure.limit == limit)
        #expect(failure.phase == phase)
        #expect(failure.duration == .seconds(seconds))
        #expect(failure.record?.metrics.total == .seconds(seconds))
        #expect(stub.time.elapsed == .seconds(seconds))
    }

    @Test func `an error that the closure of an answer throws takes the time of that answer`() throws {
        let failing = StubAnswer.made { throw HTTPError.unsupported(Unsupported("\($0.method)", "a test")) }
        let stub = StubClient().on(.get, "/a", answer: failing.taking(.seconds(2)))
        let error = try #require(throws: HTTPError.self) { try stub.get(Self.url) }
        guard case .unsupported(let failure) = error else { throw error }
        #expect(failure.feature == "GET")
        #expect(stub.time.elapsed == .seconds(2))
        let late = stub.executeRequest(.get(Self.url) |> .timeout(.seconds(1)))
        #expect(try self.failure(late).limit == .total)
    }

    @Test func `concurrent calls do not use each other's time`() throws {
        let stub = StubClient(strict: true).on(.get, "/a", answer: .ok.taking(.seconds(2)))
        let late = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<100 {
                let response = try? stub.get(Self.url, .timeout(.seconds(3)))
                if response?.metrics.total != .seconds(2) { late.withLock { $0 += 1 } }
            }
        }
        #expect(late.withLock(\.self) == 0)
        #expect(stub.time.elapsed >= .seconds(200))
        #expect(stub.time.elapsed <= .seconds(1600))
    }

    @Test func `a deadline around several calls gives each the rest`() throws {
        let stub = StubClient().on(.get, "/a", answer: .ok.taking(.seconds(20)))
        let results = CallDeadline(.seconds(10)).run {
            [stub.executeRequest(.get(Self.url)), stub.executeRequest(.get(Self.url))]
        }
        #expect(try failure(results[0]).limit == .total)
        #expect(try failure(results[0]).duration == .seconds(10))
    }

    @Test func `retries wait in simulated time, and their waits are recorded`() throws {
        let stub = StubClient(strict: true).on(.get, "/a", answer: .status(503).times(2).then(.text("calm")))
        let policy = RetryPolicy(backoff: Backoff(base: .seconds(1), jitter: { 1 }))
        let client = stub.intercepted(by: .log { _ in }, .retry(policy))
        let response = try client.get(Self.url)
        #expect(try response.text() == "calm")
        #expect(response.metrics.attemptCount == 3)
        #expect(response.metrics.total == .seconds(3))
        #expect(stub.time.waits == [.seconds(1), .seconds(2)])
        try stub.verify()
    }

    @Test func `a Retry-After is obeyed, in seconds and as a date`() throws {
        let busy = StubAnswer.status(429).header("Retry-After", "7")
        let dated = StubAnswer.status(503).header("Retry-After", "Sun, 06 Nov 1994 08:49:54 GMT")
        let stub = StubClient().on(.get, "/a", answer: busy.then(dated).then(.ok))
        let policy = RetryPolicy(backoff: Backoff(base: .zero))
        #expect(try stub.intercepted(by: .retry(policy)).get(Self.url).status == .ok)
        // The clock starts at 08:49:37, and seven seconds have passed.
        #expect(stub.time.waits == [.seconds(7), .seconds(10)])
    }

    @Test func `attempts and waits share the time of the call`() throws {
        let stub = StubClient().on(
            .get, "/a", answer: .status(503).taking(.seconds(2)).times(2).then(.ok.taking(.seconds(2))))
        let policy = RetryPolicy(backoff: Backoff(base: .seconds(1), jitter: { 1 }))
        let client = stub.intercepted(by: .retry(policy))
        // 2 s, a wait of 1 s, 2 s, a wait of 2 s that would end in time, and half a second left.
        let failure = try failure(client.executeRequest(.get(Self.url) |> .timeout(.milliseconds(7500))))
        #expect(failure.limit == .total)
        #expect(failure.duration == .milliseconds(7500))
        #expect(stub.time.elapsed == .milliseconds(7500))
        #expect(stub.requestCount == 3)
    }

    @Test func `a deadline of the system's clock applies in simulated time`() throws {
        let stub = StubClient().on(.get, "/a", answer: .status(503).taking(.seconds(4)))
        stub.time.advance(by: .seconds(3600))
        let policy = RetryPolicy(backoff: Backoff(base: .seconds(4), jitter: { 1 }))
        let result = CallDeadline(.seconds(10)).run {
            stub.intercepted(by: .retry(policy)).executeRequest(.get(Self.url))
        }
        // 4 s, a wait of 4 s, and then less than 2 s.
        let failure = try failure(result)
        #expect(failure.duration == .seconds(10))
        #expect(stub.requestCount == 2)
        #expect(stub.time.elapsed > .seconds(3609))
        #expect(stub.time.elapsed <= .seconds(3610))
    }

    @Test func `a rate limit delays in simulated time`() throws {
        let stub = StubClient().on(.get, "/a", answer: .ok)
        let client = stub.intercepted(by: .rateLimit(2, per: .seconds(60)))
        for _ in 0..<4 { _ = try client.get(Self.url, .timeout(nil)) }
        #expect(stub.time.waits == [.seconds(30), .seconds(30), .seconds(30)])
        stub.time.advance(by: .seconds(30))
        _ = try client.get(Self.url)
        #expect(stub.time.waits.count == 3)
    }

    @Test func `a stream of events reconnects in simulated time`() throws {
        let stream = StubAnswer.chunks([Data("id: 7\ndata: sea\n\n".utf8)], contentType: "text/event-stream")
        let stub = StubClient(strict: true).on(.get, "/a", answer: stream.then(.status(204)))
        let events = Mutex<[String]>([])
        try stub.stream(.get(Self.url), as: .serverSentEvents) { event in events.withLock { $0.append(event.data) } }
        #expect(events.withLock(\.self) == ["sea"])
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, "7"])
        #expect(stub.time.waits == [.seconds(3)])
        try stub.verify()
    }

    @Test func `stubs can share a clock`() throws {
        let time = SimulatedTime()
        let stub = StubClient(time: time).on(.get, "/a", answer: .ok.taking(.seconds(1)))
        let other = StubClient(time: time).on(.get, "/a", answer: .ok.taking(.seconds(2)))
        _ = try stub.get(Self.url)
        _ = try other.get(Self.url)
        #expect(time.elapsed == .seconds(3))
    }

    @Test func `a stub from a closure over the request does not change time`() throws {
        let stub = StubClient { .success(Response(request: $0, status: .ok)) }
        #expect(try stub.intercepted(by: .rateLimit(1, per: .milliseconds(1))).get(Self.url).status == .ok)
        #expect(stub.time.elapsed == .zero)
        #expect(stub.requests.map(\.url.string) == [Self.url])
        for _ in 0..<2500 { _ = stub.executeRequest(.get(Self.url)) }
        #expect(stub.requestCount == 2501)
        #expect(stub.requests.count == 1000)
    }
}
