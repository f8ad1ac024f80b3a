import HTTPArchiving
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPPolicies
import HTTPTesting
import Synchronization
import TestSupport
import Testing

/// A world made of a recorded archive.
@Suite struct SimulatedArchiveTests {
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    private static let calls = 30

    /// Each waits as long after a failed attempt.
    private static var policy: Interceptor {
        .retry(RetryPolicy(limit: 3, backoff: Backoff(base: .milliseconds(20), jitter: { 1 })))
    }

    /// 100 to 160 ms, and every seventh answer is a 503. Without durations to compare a tenth of it will do.
    private static func delay(_ number: Int) -> Duration {
        .milliseconds(100 + number * 7 % 61) / (Soak.isFull ? 1 : 10)
    }
    private static func status(_ number: Int) -> HTTPStatus { number % 7 == 3 ? .serviceUnavailable : .ok }

    @Test func `A recorded time of any size is a latency`() throws {
        var entry = HTTPArchive.Entry.of(url: "https://shop.example/1")
        entry.time = 1e300
        let latency = SimulationLatency.recorded(HTTPArchive(entries: [entry]))
        try Simulation(seeds: 0..<1, faults: [], latency: latency) { world in
            guard case .failure(.timedOut) = world.client().executeRequest(.get("https://shop.example/1")) else {
                Issue.record("it was answered")
                return
            }
        }.check()
    }

    @Test func `What it predicts is what a server shows: attempts, and in full how long calls take`() throws {
        let count = Atomic(0)
        let server = try MockServer { _ in
            let number = count.add(1, ordering: .relaxed).newValue
            return .status(Self.status(number)).taking(Self.delay(number))
        }
        let path = directory.file("real.har")
        let recording = try RecordingClient(CurlTransport(), file: path)
        let client = recording.intercepted(by: Self.policy)
        var real: [Duration] = []
        var attempts = 0
        for call in 0..<Self.calls {
            let metrics = try client.get(server.url("/\(call)")).metrics
            attempts += metrics.attemptCount
            real.append(metrics.total)
        }
        try recording.save()

        let archive = try HTTPArchive(contentsOf: path)
        #expect(archive.entries.count == attempts)
        let statuses = archive.entries.map { StubAnswer.status(HTTPStatus($0.response.status)) }
        let simulation = Simulation(seeds: 0..<1, faults: [], latency: .recorded(archive, inOrder: true)) { world in
            world.serve(StubClient().on("**", answer: .sequence(statuses)))
            let client = world.client(Self.policy)
            for call in 0..<Self.calls { try client.get("https://shop.example/\(call)") }
        }
        let report = try simulation.check()
        #expect(report.exchanges == attempts)
        #expect(report.calls == Self.calls)
        // On a busy machine the server is late.
        guard Soak.isFull else { return }
        real.sort()
        for share in [0.5, 0.99] {
            let shown = real[Int((share * Double(real.count)).rounded(.up)) - 1]
            let error = (report.duration(ofShare: share) - shown) / shown
            #expect(abs(error) < 0.05)
        }
    }
}
