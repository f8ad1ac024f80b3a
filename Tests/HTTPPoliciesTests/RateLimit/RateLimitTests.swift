import HTTPCore
import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

@testable import HTTPPolicies

@Suite struct RateLimitTests {
    private typealias Instant = TimePoint

    /// When each of `count` requests is sent, if all arrive as early as possible.
    private func turns(_ limit: RateLimit, _ count: Int) -> [Duration] {
        let start = Instant.now
        var bucket = TokenBucket(limit)
        var now = start
        return (0..<count).map { _ in
            now = bucket.readiness(at: now)
            bucket.take(at: now)
            return start.duration(to: now)
        }
    }

    @Test func `without a burst requests are spread evenly`() {
        #expect(turns(RateLimit(5, per: .seconds(1)), 7) == (0..<7).map { .milliseconds(200 * $0) })
    }

    @Test func `a burst is sent at once, and the rest at the pace`() {
        let milliseconds = [0, 0, 0, 200, 400, 600]
        #expect(turns(RateLimit(5, per: .seconds(1), burst: 3), 6) == milliseconds.map { .milliseconds($0) })
    }

    @Test(arguments: [(5, 1), (5, 5), (3, 2), (7, 1)])
    func `no interval sees more than its count and the burst`(_ count: Int, _ burst: Int) {
        let turns = turns(RateLimit(count, per: .seconds(1), burst: burst), 100)
        for start in turns {
            #expect(turns.count { $0 >= start && $0 < start + .seconds(1) } <= count + burst - 1)
        }
    }

    @Test func `a pace that is no whole number of nanoseconds is rounded up`() {
        #expect(turns(RateLimit(3, per: .nanoseconds(10)), 4) == (0..<4).map { .nanoseconds(4 * $0) })
        #expect(turns(RateLimit(3, per: .nanoseconds(1)), 4) == (0..<4).map { .nanoseconds($0) })
    }

    @Test func `a pause fills the bucket and no more`() {
        let start = Instant.now
        var bucket = TokenBucket(RateLimit(10, per: .seconds(1), burst: 2))
        bucket.take(at: start)
        bucket.take(at: start)
        #expect(!bucket.isFull(at: start + .milliseconds(199)) && bucket.isFull(at: start + .milliseconds(200)))
        let later = start + .seconds(60)
        bucket.take(at: later)
        bucket.take(at: later)
        #expect(bucket.readiness(at: later) == later + .milliseconds(100))
        #expect(bucket.readiness(at: later, after: 3) == later + .milliseconds(400))
    }

    @Test func `the queue is served in order, and an abandoned place goes to the next`() {
        let start = Instant.now
        var queue = RateQueue<String>(RateLimit(1, per: .seconds(1)))
        func arrive(_ name: String, deadline: Instant? = nil) -> UInt64? {
            if case .wait(let id) = queue.arrive(name, at: start, deadline: deadline) { id } else { nil }
        }
        guard case .go = queue.arrive("now", at: start, deadline: nil) else { return unexpected("no token") }
        let ids = ["a", "b", "c"].map { arrive($0) }
        guard case .tooLate(.seconds(4)) = queue.arrive("d", at: start, deadline: start + .seconds(4)) else {
            return unexpected("a wait in vain")
        }
        var first = queue.leave(ids[1] ?? 0)
        #expect(first == nil)
        let place = arrive("d", deadline: start + .seconds(4))
        #expect(place != nil)
        guard case .wait(until: start + .seconds(1)) = queue.proceed(ids[0] ?? 0, at: start) else {
            return unexpected("too early")
        }
        guard case .go(next: "c") = queue.proceed(ids[0] ?? 0, at: start + .seconds(1)) else {
            return unexpected("not next")
        }
        first = queue.leave(ids[2] ?? 0)
        #expect(first == "d")
        first = queue.leave(ids[2] ?? 0)
        #expect(first == nil)
    }

    @Test(arguments: [1, 3])
    func `behind a first that does not go, each has its own turn after a while, at the pace of the limit`(
        burst: Int
    ) throws {
        let start = Instant.now
        var queue = RateQueue<Int>(RateLimit(1, per: .seconds(1), burst: burst))
        var ids: [UInt64] = []
        for index in 0..<(burst + 4) {
            let arrival = queue.arrive(index, at: start, deadline: nil)
            if case .wait(let id) = arrival { ids.append(id) } else { #expect(index < burst) }
        }
        try #require(ids.count == 4)
        func end(_ id: UInt64, at time: Duration) -> Duration? {
            let turn = queue.proceed(id, at: start + time, mayOvertake: true)
            guard case .waitBehind(let end?) = turn else { return nil }
            return start.duration(to: end)
        }
        func goes(_ id: UInt64, at time: Duration) -> Bool {
            guard case .go(next: nil) = queue.proceed(id, at: start + time, mayOvertake: true) else { return false }
            return true
        }
        // The turn of the first is after a second.
        #expect(end(ids[1], at: .zero) == .milliseconds(2_100) && end(ids[3], at: .zero) == .milliseconds(4_100))
        #expect(end(ids[1], at: .milliseconds(2_099)) == .milliseconds(2_100))
        #expect(goes(ids[1], at: .milliseconds(2_100)))
        // Of a burst there is the token of the first, too.
        #expect(end(ids[2], at: .milliseconds(2_100)) == .milliseconds(burst == 1 ? 4_200 : 3_100))
        // In simulated time it waits for the first.
        guard case .waitBehind(until: nil) = queue.proceed(ids[2], at: start + .seconds(9)) else {
            return unexpected("it overtook")
        }
        guard case .go(let next?) = queue.proceed(ids[0], at: start + .seconds(9)) else {
            return unexpected("the first has no turn")
        }
        #expect(next == burst + 2)
    }

    // MARK: The interceptor

    private func client(_ limit: RateLimit, _ clock: TestClock, _ next: any HTTPClient) -> any HTTPClient {
        clock.around(next).intercepted(by: .rateLimit(limit))
    }

    @Test func `a caller waits for its turn, and the wait counts towards its timeout`() {
        let clock = TestClock()
        let script = ScriptedClient(ScriptedClient.status(200))
        let client = client(RateLimit(5, per: .seconds(1)), clock, script)
        let start = clock.now
        let totals = (0..<3).map { _ in try? client.get("http://h", .timeout(.seconds(10))).metrics.total }
        #expect(totals == [.zero, .milliseconds(200), .milliseconds(200)])
        #expect(clock.slept == [.milliseconds(200), .milliseconds(200)])
        let ends = script.deadlines.map { $0.map { start.duration(to: $0.point) } }
        // Without a wait, the request's own timeout is enough.
        #expect(ends == [nil, .seconds(10), .milliseconds(10_200)])
    }

    @Test func `a turn that would come too late is an immediate timeout that names the limit`() {
        let clock = TestClock()
        let script = ScriptedClient(ScriptedClient.status(200))
        let client = client(RateLimit(1, per: .seconds(60)), clock, script)
        _ = client.executeRequest(.get("http://h"))
        let error = client.executeRequest(.get("http://h/b") |> .timeout(.seconds(2))).failure
        guard case .timedOut(let failure) = error else { return unexpected(error as Any) }
        #expect(failure.limit == .total && failure.phase == .queued && failure.record?.metrics.attemptCount == 0)
        #expect(
            "\(HTTPError.timedOut(failure))"
                == "GET http://h/b was not sent: the rate limit of 1 request per 60 s keeps it waiting for 60 s,"
                + " and the whole call may take 2 s; .timeout(_:) on the request raises the limit")
        #expect(script.requests.count == 1 && clock.slept.isEmpty)
    }

    @Test func `a turn that would come too late behind an attempt is one of a call that was sent`() {
        let clock = TestClock()
        let script = ScriptedClient(ScriptedClient.status(503))
        let client = clock.around(script)
            .intercepted(
                by: .retry(RetryPolicy(backoff: Backoff(base: .zero))), .rateLimit(RateLimit(1, per: .seconds(60))))
        let error = client.executeRequest(.get("http://h/b") |> .timeout(.seconds(2))).failure
        guard case .timedOut(let failure) = error else { return unexpected(error as Any) }
        #expect(script.requests.count == 1 && failure.record?.metrics.attemptCount == 1)
        #expect(
            "\(HTTPError.timedOut(failure))".hasPrefix(
                "GET http://h/b was not sent again: the rate limit of 1 request per 60 s keeps it waiting for 60 s,"))
    }

    @Test func `each host has its own limit if requested`() {
        let clock = TestClock()
        let client = client(
            RateLimit(1, per: .seconds(60), scope: .host), clock, ScriptedClient(ScriptedClient.status(200)))
        for host in 0..<600 {
            #expect(client.executeRequest(.get("http://h\(host).example") |> .timeout(.seconds(2))).failure == nil)
        }
        #expect(clock.slept.isEmpty)
        #expect(client.executeRequest(.get("http://H599.example:81/") |> .timeout(.seconds(2))).failure != nil)
    }

    @Test func `a host has one limit in any spelling`() {
        let clock = TestClock()
        let client = clock.around(StubClient { .success(Response(request: $0, status: .ok)) })
            .intercepted(by: .rateLimit(1, per: .seconds(1), scope: .host))
        for url in ["http://a.test", "http://A.test", "http://a.test."] { _ = client.executeRequest(.get(url)) }
        #expect(clock.slept == [.seconds(1), .seconds(1)])
    }

    @Test func `the ends of the range do not overflow`() {
        for limit in [
            RateLimit(1, per: .seconds(Int64.max), burst: .max), RateLimit(.max, per: .nanoseconds(1), burst: .max),
        ] {
            let client = client(limit, TestClock(), ScriptedClient(ScriptedClient.status(200)))
            for _ in 0..<10 { #expect(client.executeRequest(.get("http://h")).failure == nil) }
        }
        let client = client(
            RateLimit(1, per: .seconds(Int64.max)), TestClock(), ScriptedClient(ScriptedClient.status(200)))
        #expect(
            [client.executeRequest(.get("http://h")), client.executeRequest(.get("http://h"))].map { $0.failure == nil }
                == [true, false])
    }

    @Test(arguments: [
        RateLimit(0, per: .seconds(1)), RateLimit(1, per: .zero), RateLimit(1, per: .seconds(1), burst: 0),
    ])
    func `an invalid limit fails every call and says why`(_ limit: RateLimit) {
        let script = ScriptedClient(ScriptedClient.status(200))
        guard case .unsupported(let error) = client(limit, TestClock(), script).executeRequest(.get("http://h")).failure
        else {
            return unexpected(limit)
        }
        #expect(error.feature.contains("rate limit") && error.reason.contains("must be"))
        #expect(script.requests.isEmpty)
    }

    @Test func `64 blocked threads are served first come, first served`() {
        let clock = TestClock(manual: true)
        let served = Notes<String>()
        let done = Tally()
        let stub = StubClient { request in
            served.note(request.url.target)
            done.add()
            return .success(Response(request: request, status: .ok))
        }
        let limiter = RateLimiter(RateLimit(1, per: .seconds(1)))
        let client = clock.around(stub).intercepted(by: .rateLimit(limiter))
        _ = client.executeRequest(.get("http://h/first"))
        // One after the other, so that there is a defined order.
        var threads: [TestThread] = []
        for index in 0..<64 {
            threads.append(TestThread { _ = client.executeRequest(.get("http://h/\(index)") |> .timeout(nil)) })
            waited { limiter.waiting == index + 1 }
        }
        for count in 0..<64 {
            clock.asleep.wait(for: count + 1)
            clock.advance(by: .seconds(1))
            done.wait(for: count + 2)
        }
        for thread in threads { thread.join() }
        #expect(served.all == ["/first"] + (0..<64).map { "/\($0)" })
        #expect(clock.elapsed == .seconds(64))
    }

    @Test func `callers that give up make way for the next`() {
        let clock = TestClock(manual: true)
        let script = ScriptedClient(ScriptedClient.status(200))
        let client = client(RateLimit(1, per: .seconds(1)), clock, script)
        _ = client.executeRequest(.get("http://h/first"))
        let errors = Notes<HTTPError>()
        let tokens = (0..<50).map { _ in CancellationToken() }
        let threads = tokens.map { token in
            TestThread {
                let outcome = token.run { client.executeRequest(.get("http://h") |> .timeout(nil)) }
                if let error = outcome.failure { errors.note(error) }
            }
        }
        clock.asleep.wait(for: 1)
        for token in tokens { token.cancel() }
        for thread in threads { thread.join() }
        #expect(errors.all.count == 50)
        for error in errors.all { if case .cancelled = error {} else { unexpected(error) } }
        clock.advance(by: .seconds(1))
        #expect(client.executeRequest(.get("http://h/last") |> .timeout(.seconds(1))).failure == nil)
        #expect(script.requests.map(\.url.target) == ["/first", "/last"])
    }

    @Test func `64 threads never exceed the limit`() {
        let clock = TestClock()
        let times = Notes<Instant>()
        let stub = StubClient { request in
            times.note(clock.now)
            return .success(Response(request: request, status: .ok))
        }
        let client = client(RateLimit(100, per: .seconds(1)), clock, stub)
        let threads = (0..<64).map { _ in
            TestThread { for _ in 0..<10 { _ = client.executeRequest(.get("http://h") |> .timeout(nil)) } }
        }
        for thread in threads { thread.join() }
        #expect(times.all.count == 640)
        #expect(clock.elapsed == .milliseconds(6390))
    }
}

/// The order of a queue without overtaking.
@Suite struct RateQueueTests {
    private typealias Queue = RateQueue<String>

    private let start = TimePoint.now

    private func go(_ queue: inout Queue, _ id: UInt64, at time: Duration) -> String?? {
        if case .go(let next) = queue.proceed(id, at: start + time) { .some(next) } else { nil }
    }

    @Test func `a newcomer waits behind earlier ones even if a token is there`() {
        var queue = Queue(RateLimit(1, per: .seconds(1), burst: 2))
        for name in ["first", "second"] {
            guard case .go = queue.arrive(name, at: start, deadline: nil) else { return unexpected("no token") }
        }
        guard case .wait(let first) = queue.arrive("a", at: start, deadline: nil) else {
            return unexpected("a token too many")
        }
        // There is a token for each, but "a" has not taken its own yet.
        guard case .wait(let second) = queue.arrive("newcomer", at: start + .seconds(2), deadline: nil) else {
            return unexpected("overtaken")
        }
        #expect(queue.count == 2)
        guard case .waitBehind(until: nil) = queue.proceed(second, at: start + .seconds(2)) else {
            return unexpected("overtaken")
        }
        #expect(go(&queue, first, at: .seconds(2)) == .some("newcomer"))
        #expect(go(&queue, second, at: .seconds(2)) == .some(nil))
        #expect(queue.count == 0)
    }

    @Test func `each waiter takes its token`() {
        var queue = Queue(RateLimit(1, per: .seconds(1)))
        _ = queue.arrive("now", at: start, deadline: nil)
        for name in ["a", "b"] { _ = queue.arrive(name, at: start, deadline: nil) }
        #expect(go(&queue, 1, at: .seconds(1)) == .some("b"))
        guard case .wait(until: start + .seconds(2)) = queue.proceed(2, at: start + .seconds(1)) else {
            return unexpected("two for one token")
        }
    }

    @Test func `it equals a new queue when nobody waits and the bucket is full`() {
        var queue = Queue(RateLimit(1, per: .seconds(1)))
        #expect(queue.isIdle(at: start))
        _ = queue.arrive("now", at: start, deadline: nil)
        #expect(!queue.isIdle(at: start + .seconds(1) - .nanoseconds(1)))
        #expect(queue.isIdle(at: start + .seconds(1)))
        _ = queue.arrive("a", at: start, deadline: nil)
        #expect(!queue.isIdle(at: start + .seconds(5)))
    }
}

extension RateQueue {
    /// The turn of a waiter that overtakes nobody.
    fileprivate mutating func proceed(_ id: UInt64, at now: TimePoint) -> Turn {
        proceed(id, at: now, mayOvertake: false)
    }
}
