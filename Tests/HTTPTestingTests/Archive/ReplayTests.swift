import HTTPCore
import HTTPTesting
import Testing

/// Recorded calls under other policies.
@Suite struct ReplayTests {
    /// A call every 100 ms. Of each ten, the third is refused and the seventh is slow.
    private func archive(_ count: Int = 200) -> HTTPArchive {
        HTTPArchive(
            entries: (0..<count).map { index in
                let wait = index % 10 == 7 ? 4000.0 : 50.0
                let milliseconds = String(index * 100 % 1000 + 1000).dropFirst()
                let second = String(index / 10 % 60 + 100).dropFirst(), minute = String(index / 600 + 100).dropFirst()
                return HTTPArchive.Entry(
                    startedDateTime: "2026-03-01T09:\(minute):\(second).\(milliseconds)Z",
                    request: HTTPArchive.Request(method: "GET", url: "https://api.example.com/orders?page=\(index)"),
                    response: HTTPArchive.Response(status: index % 10 == 3 ? 503 : 200),
                    timings: HTTPArchive.Timings(wait: wait))
            })
    }

    @Test func `with unchanged policies the calls are the same`() {
        let report = Replay(archive()).under { $0 }
        #expect(report.calls.count == 200 && report.failures == 20 && report.attempts == 200)
        #expect(report.latency(0.5) == .milliseconds(50) && report.latency(0.99) == .seconds(4))
        #expect(report.mostPerSecond == 10)
        // During a slow call those of the next four seconds begin, three slow ones among them.
        #expect(report.mostAtOnce == 5)
    }

    @Test func `retries cost requests and save calls`() {
        let report = Replay(archive()).under { $0.retry(budget: RetryBudget(capacity: 1_000_000)) }
        #expect(report.failures < 5)
        #expect(report.attempts > 200 && report.attempts < 260)
        #expect(report.calls.allSatisfy { $0.attempts >= 1 && $0.attempts <= 3 })
    }

    @Test func `a timeout cuts slow calls off`() {
        let report = Replay(archive()).under { $0.timeout(.seconds(1)) }
        #expect(report.latency(1) == .seconds(1) && report.failures == 40)
    }

    @Test func `calls share a rate limit`() {
        let report = Replay(archive(50)).under { $0.timeout(.seconds(600)).rateLimit(RateLimit(5, per: .seconds(1))) }
        #expect(report.mostPerSecond <= 6)
        #expect(report.latency(1) > .seconds(4))
    }

    @Test func `the same seed gives the same report, and another a different one`() {
        let run = { (seed: UInt64) in Replay(archive(), seed: seed).under { $0.retry().timeout(.seconds(3)) } }
        #expect(run(7) == run(7))
        #expect(run(7) != run(8))
    }

    @Test func `a redirect belongs to the next call`() {
        var moved = HTTPArchive.Response(status: 302)
        moved.redirectURL = "https://api.example.com/b"
        let archive = HTTPArchive(entries: [
            .init(
                startedDateTime: "2026-03-01T09:00:00.000Z",
                request: .init(method: "GET", url: "https://api.example.com/a"),
                response: moved, timings: .init(wait: 20)),
            .init(
                startedDateTime: "2026-03-01T09:00:00.020Z",
                request: .init(method: "GET", url: "https://api.example.com/b"),
                response: .init(status: 200), timings: .init(wait: 30)),
        ])
        let report = Replay(archive).under { $0 }
        #expect(report.calls.map(\.latency) == [.milliseconds(50)])
        #expect(report.calls.first?.request == "GET https://api.example.com/a")
    }

    @Test func `an empty archive gives an empty report`() {
        let report = Replay(HTTPArchive()).under { $0.retry() }
        #expect(report.calls.isEmpty && report.attempts == 0 && report.latency(0.5) == .zero)
        #expect(report.description.hasPrefix("0 calls"))
    }
}
