import HTTPLogging
import HTTPMockServer
import HTTPTesting
import InMemoryLogging
import Logging
import Straightline
import Testing

@Suite struct LoggingTests {
    private let log = InMemoryLogHandler()

    private let soon = RetryPolicy(backoff: Backoff(base: .milliseconds(1)))

    private func logger(_ level: Logger.Level = .info) -> Logger {
        var logger = Logger(label: "http", factory: { _ in log })
        logger.logLevel = level
        return logger
    }

    @Test func `a call is one message with the metadata of OpenTelemetry's conventions`() async throws {
        let server = try MockServer { _ in .text("hello") }
        let client = CurlTransport().intercepted(by: .log(to: logger()))
        try await client.get(server.url("/users?token=secret"))
        let entry = try #require(log.entries.first)
        #expect(log.entries.count == 1 && entry.level == .info)
        #expect("\(entry.message)".hasSuffix("→ 200") && !"\(entry)".contains("secret"))
        #expect(entry.metadata["http.request.method"] == "GET")
        #expect(entry.metadata["http.response.status_code"] == "200")
        #expect(entry.metadata["server.address"] == "127.0.0.1")
        #expect(entry.metadata["http.attempts"] == "1")
        #expect(entry.metadata["http.bytes_received"].flatMap { Int("\($0)") } ?? 0 >= 5)
        #expect(entry.metadata["error.type"] == nil)
        #expect(server.requests.map(\.target) == ["/users?token=secret"])
    }

    @Test func `an address has no brackets`() async throws {
        let stub = StubClient().on(.get, "/", answer: .ok)
        try await stub.intercepted(by: .log(to: logger())).get("https://[2001:db8::1]:8443/")
        #expect(log.entries.map { $0.metadata["server.address"] } == ["2001:db8::1"])
        #expect(stub.requestCount == 1)
    }

    @Test func `before the retries a call is logged, behind them each attempt`() async throws {
        let server = try MockServer { request in request.index == 0 ? .status(503) : .text("hello") }
        let calls = CurlTransport().intercepted(by: .log(to: logger()), .retry(soon))
        try await calls.get(server.url("/"))
        #expect(log.entries.map { $0.metadata["http.attempts"] } == ["2"])
        log.clear()
        let again = try MockServer { request in request.index == 0 ? .status(503) : .text("hello") }
        let attempts = CurlTransport().intercepted(by: .retry(soon), .log(to: logger()))
        try await attempts.get(again.url("/"))
        #expect(log.entries.map { $0.metadata["http.response.status_code"] } == ["503", "200"])
        #expect(server.requests.count == 2 && again.requests.count == 2)
    }

    @Test func `a failure has the error's sentence and type, at a level of its own`() async throws {
        let port = try MockServer.unusedPort()
        let client = CurlTransport().intercepted(by: .log(to: logger(), failures: .error))
        await #expect(throws: HTTPError.self) { try await client.get("http://127.0.0.1:\(port)/") }
        let entry = try #require(log.entries.first)
        #expect(entry.level == .error && "\(entry.message)".contains("nothing accepts connections"))
        #expect(entry.metadata["error.type"] == "connection")
    }

    @Test func `a call that was cancelled is no failure`() async throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let client = CurlTransport().intercepted(by: .log(to: logger()))
        let task = Task { try await client.get(server.url("/")) }
        try await server.wait(for: .requests(1))
        task.cancel()
        await #expect(throws: HTTPError.self) { try await task.value }
        #expect(log.entries.map(\.level) == [.info])
    }

    /// The second attempt begins on the thread of a timer, where the caller's values are not bound.
    @Test func `the caller's values are read where the call begins`() async throws {
        enum Order { @TaskLocal static var number = "none" }
        let server = try MockServer { request in request.index == 0 ? .status(503) : .text("hello") }
        let provider = Logger.MetadataProvider { ["order": "\(Order.number)"] }
        var handler = log
        handler.metadataProvider = provider
        let client = CurlTransport().intercepted(
            by: .retry(soon), .log(to: Logger(label: "http", factory: { [handler] _ in handler })))
        try await Order.$number.withValue("17") { _ = try await client.get(server.url("/")) }
        #expect(log.entries.map { $0.metadata["order"] } == ["17", "17"])
        #expect(server.requests.count == 2)
    }

    @Test func `nothing is logged below the logger's level`() async throws {
        let server = try MockServer { _ in .text("hello") }
        try await CurlTransport().intercepted(by: .log(to: logger(.critical))).get(server.url("/"))
        #expect(log.entries.isEmpty)
    }
}
