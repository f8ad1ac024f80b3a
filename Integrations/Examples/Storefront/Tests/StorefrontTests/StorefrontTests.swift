import HTTPMockServer
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import InMemoryTracing
import Logging
import Storefront
import Testing
import Tracing

private let tracer = W3CTracer()
private let bootstrapped: Void = InstrumentationSystem.bootstrap(tracer)

@Suite(.serialized) struct StorefrontTests {
    private let log = InMemoryLogHandler()

    /// Runs `test` with the shop before real services.
    private func withShop(
        _ test: @escaping @Sendable (_ shop: any TestClientProtocol) async throws -> Void
    ) async throws {
        _ = bootstrapped
        tracer.memory.clearFinishedSpans()
        let logger = Logger(label: "shop", factory: { [log] _ in log })
        try await services(port: 0).test(.live) { services in
            let url = "http://127.0.0.1:\(try #require(services.port))"
            let catalog = Catalog(stock: url, prices: url, logger: logger)
            try await shop(catalog, port: 0).test(.live) { try await test($0) }
        }
    }

    @Test func `a page is one trace, and a call of it is one line`() async throws {
        try await withShop { shop in
            let page = try await shop.execute(uri: "/pages/7", method: .get)
            #expect(page.status == .ok && String(buffer: page.body) == "7 at 700 cents")
        }
        let spans = tracer.spans
        #expect(spans.map(\.operationName).sorted() == ["/pages/{id}", "/prices/{id}", "/stock/{id}", "GET", "GET"])
        #expect(Set(spans.map(\.traceID)).count == 1)
        let names = Dictionary(uniqueKeysWithValues: spans.map { ($0.spanID, $0.operationName) })
        let parents = spans.map { "\($0.operationName) in \($0.parentSpanID.flatMap { names[$0] } ?? "nothing")" }
        #expect(
            parents.sorted() == [
                "/pages/{id} in nothing", "/prices/{id} in GET", "/stock/{id} in GET", "GET in /pages/{id}",
                "GET in /pages/{id}",
            ])
        #expect(log.entries.map { $0.metadata["http.response.status_code"] } == ["200", "200"])
    }

    @Test func `what may be cached is not asked for again`() async throws {
        try await withShop { shop in
            for _ in 0..<3 { _ = try await shop.execute(uri: "/pages/7", method: .get) }
        }
        let asked = tracer.spans.map(\.operationName)
        #expect(asked.filter { $0 == "/prices/{id}" }.count == 1 && asked.filter { $0 == "/stock/{id}" }.count == 3)
        #expect(log.entries.count == 6)
    }

    @Test func `the deadline of the request ends its calls, and travels with them`() async throws {
        try await withShop { shop in
            let start = ContinuousClock.now
            let page = try await shop.execute(
                uri: "/pages/0", method: .get, headers: [HTTPField.Name("grpc-timeout")!: "200m"])
            #expect(page.status == .gatewayTimeout && start.duration(to: .now) < .seconds(1.5))
        }
        let server = try MockServer { request in .json(text: #"{"count": 1, "cents": 1}"#) }
        let catalog = Catalog(
            stock: server.url, prices: server.url, logger: Logger(label: "shop", factory: { [log] _ in log }))
        _ = await catalog.page(7, deadline: "200m")
        let sent = server.requests.compactMap { $0.headers["grpc-timeout"] }
        #expect(sent.count == 2 && sent.allSatisfy { Int($0.dropLast()) ?? 0 > 0 })
    }
}
