import CoreMetrics
import HTTPMetrics
import HTTPMockServer
import HTTPTesting
import MetricsTestKit
import Straightline
import Synchronization
import Testing

@Suite struct MetricsTests {
    private let metrics = TestMetrics()

    private func values(_ label: String, _ dimension: String) -> [String] {
        metrics.timers(label: "http_client_" + label).map { timer in
            "\(timer.dimensions.first { $0.0 == dimension }?.1 ?? "") \(timer.values.count)"
        }.sorted()
    }

    @Test func `calls, exchanges, waits and bytes are measured`() async throws {
        let server = try MockServer { request in
            request.index == 0 ? .status(503) : .text(String(repeating: "x", count: 1000))
        }
        let client = CurlTransport().intercepted(
            by: .metrics(factory: metrics),
            .retry(RetryPolicy(backoff: Backoff(base: .milliseconds(1)))))
        try await client.post(server.url("/orders/1"), .header("Idempotency-Key", "1") |> .text("hello"))
        try await client.post(server.url("/orders/2"), .text("hello"))
        #expect(values("call_duration", "status") == ["200 2"] && values("call_duration", "error") == ["none 2"])
        #expect(values("exchange_duration", "status") == ["200 2", "503 1"])
        #expect(values("exchange_duration", "method") == ["POST 1", "POST 2"])
        #expect(values("wait_duration", "cause").count == 1)
        #expect(metrics.counters(label: "http_client_bytes_received").map(\.values.count) == [3])
        #expect(metrics.counterTotal(label: "http_client_bytes_received") > 2000)
        #expect(metrics.counterTotal(label: "http_client_bytes_sent") > 15)
        let meter = try metrics.expectMeter("http_client_calls_in_flight")
        #expect(meter.values == [1, 0, 1, 0])
        #expect(server.requests.map(\.path) == ["/orders/1", "/orders/1", "/orders/2"])
    }

    @Test func `a failure is counted by its type, and the host names the port that was asked`() async throws {
        let port = try MockServer.unusedPort()
        let client = CurlTransport().intercepted(by: .metrics(prefix: "orders", factory: metrics))
        await #expect(throws: HTTPError.self) { try await client.get("http://127.0.0.1:\(port)/") }
        let timer = try #require(metrics.timers(label: "orders_call_duration").first)
        let dimensions = Dictionary(uniqueKeysWithValues: timer.dimensions)
        #expect(dimensions == ["method": "GET", "host": "127.0.0.1:\(port)", "status": "none", "error": "connection"])
        #expect(timer.values.count == 1)
    }

    @Test func `any number of hosts makes a bounded number of series`() async throws {
        let stub = StubClient().on(.get, "/", answer: .text("ok"))
        let client = stub.intercepted(by: .metrics(factory: metrics))
        for number in 0..<1000 { try await client.get("https://host-\(number).example/") }
        #expect(stub.requestCount == 1000)
        for label in ["call_duration", "exchange_duration"] {
            #expect(values(label, "host").count == 201 && values(label, "host").contains("other 800"))
            #expect(values(label, "host").contains("host-199.example 1"))
        }
        #expect(metrics.counters(label: "http_client_bytes_received").count == 201)
    }

    @Test func `a method of one's own is another`() async throws {
        let stub = StubClient().on("/", answer: .ok)
        let client = stub.intercepted(by: .metrics(factory: metrics))
        for number in 0..<20 {
            _ = try await client.send(MutableRequest(HTTPMethod("M\(number)"), "https://a.example/"))
        }
        #expect(stub.requestCount == 20 && values("call_duration", "method") == ["_OTHER 20"])
        #expect(values("exchange_duration", "method") == ["_OTHER 20"])
    }

    /// As a backend that registers what it is to measure.
    private final class Registering: MetricsFactory {
        let metrics = TestMetrics()
        let client = Mutex<(any HTTPClient)?>(nil)
        private let labels = Mutex<Set<String>>([])

        private func register(_ label: String) {
            guard labels.withLock({ $0.insert(label).inserted }) else { return }
            _ = client.withLock { $0 }?.executeRequest(.post("https://metrics.example/\(label)"))
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            register(label)
            return metrics.makeCounter(label: label, dimensions: dimensions)
        }
        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
            register(label)
            return metrics.makeMeter(label: label, dimensions: dimensions)
        }
        func makeRecorder(
            label: String, dimensions: [(String, String)], aggregate: Bool
        ) -> any RecorderHandler {
            metrics.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
        }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            register(label)
            return metrics.makeTimer(label: label, dimensions: dimensions)
        }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyMeter(_ handler: any MeterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }

    @Test(.timeLimit(.minutes(1))) func `a factory may call through the client that is measured`() async throws {
        let factory = Registering()
        let stub = StubClient().on("**", answer: .ok)
        let client = stub.intercepted(by: .metrics(factory: factory))
        factory.client.withLock { $0 = client }
        try await client.get("https://a.example/")
        factory.client.withLock { $0 = nil }
        let seen = Set(stub.requests.map(\.url.path))
        #expect(seen.contains("/http_client_calls_in_flight") && seen.contains("/http_client_call_duration"))
        #expect(try factory.metrics.expectMeter("http_client_calls_in_flight").values.last == 0)
    }

    @Test func `calls at the same time count up and down to zero`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let client = CurlTransport().intercepted(by: .metrics(factory: metrics))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await client.get(server.url("/")) } }
            try await group.waitForAll()
        }
        let values = try metrics.expectMeter("http_client_calls_in_flight").values
        #expect(values.count == 100 && values.last == 0 && values.allSatisfy { $0 >= 0 })
        #expect(server.requests.count == 50)
    }
}
