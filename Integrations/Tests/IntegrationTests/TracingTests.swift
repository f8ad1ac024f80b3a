import HTTPMockServer
import HTTPTesting
import HTTPTracing
import InMemoryTracing
import Straightline
import Testing
import Tracing

/// A service that joins the trace of its caller, and whose handler runs within its span.
private func service(
    _ name: String, _ tracer: W3CTracer, _ handler: @escaping @Sendable () throws -> MockResponse
) throws -> MockServer {
    try MockServer { request in
        var context = ServiceContext.topLevel
        tracer.extract(request.headers, into: &context, using: HTTPHeadersExtractor())
        return (try? tracer.withSpan(name, context: context, ofKind: .server) { _ in try handler() })
            ?? .status(.internalServerError)
    }
}

@Suite struct TracingTests {
    private let tracer = W3CTracer()

    @Test func `the spans of two services and of their callers are one tree`() async throws {
        let tracer = tracer
        let client = CurlTransport().intercepted(by: .traced(by: tracer))
        let stock = try service("stock", tracer) { .text("7") }
        let orders = try service("orders", tracer) { .text(try client.send(.get(stock.url("/stock"))).text()) }
        try await tracer.withSpan("page") { _ in _ = try await client.get(orders.url("/orders")) }

        let spans = tracer.spans
        #expect(Set(spans.map(\.traceID)).count == 1 && spans.count == 5)
        var path: [String] = []
        var span = spans.first { $0.operationName == "stock" }
        while let current = span {
            path.append("\(current.operationName) \(current.kind)")
            span = spans.first { $0.spanID == current.parentSpanID }
        }
        // The server's spans have the client's as their parents by what was read from the wire alone.
        #expect(path.first == "stock server")
        let parents = [stock, orders].map { $0.requests.first?.headers["traceparent"] }
        let sent = spans.filter { $0.kind == .client }.map { "00-\($0.traceID)-\($0.spanID)-01" as String? }
        #expect(parents == sent)
    }

    @Test func `a span has the attributes of OpenTelemetry's conventions`() async throws {
        let server = try MockServer { _ in .status(404) }
        let client = CurlTransport().intercepted(by: .traced(by: tracer))
        try await client.get(server.url("/users?token=secret"))
        let span = try #require(tracer.spans.first)
        #expect(span.operationName == "GET" && span.kind == .client && span.status?.code == .error)
        #expect(span.attributes.get("http.request.method") == "GET")
        #expect(span.attributes.get("http.response.status_code") == 404)
        #expect(span.attributes.get("error.type") == "404")
        #expect(span.attributes.get("network.protocol.version") == "1.1")
        #expect(span.attributes.get("url.full").map { !"\($0)".contains("secret") } == true)
        #expect(server.requests.map(\.target) == ["/users?token=secret"])
    }

    @Test func `a version has no minor number that it does not have, and an address no brackets`() async throws {
        let stub = StubClient { .success(Response(request: $0, status: .ok, version: .http2)) }
        try await stub.intercepted(by: .traced(by: tracer)).get("https://[2001:db8::1]:8443/")
        let span = try #require(tracer.spans.first)
        #expect(span.attributes.get("network.protocol.version") == "2")
        #expect(span.attributes.get("server.address") == "2001:db8::1" && span.attributes.get("server.port") == 8443)
        #expect(stub.requests.map { "\($0.url)" } == ["https://[2001:db8::1]:8443/"])
    }

    @Test func `a method of one's own is another, and is told`() async throws {
        let stub = StubClient().on("/", answer: .ok)
        let client = stub.intercepted(by: .traced(by: tracer))
        _ = try await client.send(MutableRequest("PURGE", "https://a.example/"))
        _ = try await client.get("https://a.example/")
        #expect(tracer.spans.map(\.operationName) == ["HTTP", "GET"])
        #expect(tracer.spans.map { $0.attributes.get("http.request.method") } == ["_OTHER", "GET"])
        #expect(tracer.spans.map { $0.attributes.get("http.request.method_original") } == ["PURGE", nil])
        #expect(stub.requests.map(\.method) == ["PURGE", .get])
    }

    @Test func `a refused status is the type of the error`() async throws {
        let stub = StubClient().on(.get, "/", answer: .status(404))
        let client = stub.intercepted(by: .traced(by: tracer), .validate())
        await #expect(throws: HTTPError.self) { try await client.get("https://a.example/") }
        let span = try #require(tracer.spans.first)
        #expect(span.attributes.get("error.type") == "404")
        #expect(span.attributes.get("http.response.status_code") == 404 && span.status?.code == .error)
        #expect(stub.requestCount == 1)
    }

    @Test func `behind the retries each attempt has a span, and sends it`() async throws {
        let server = try MockServer { request in request.index == 0 ? .status(503) : .text("ok") }
        let retry = RetryPolicy(backoff: Backoff(base: .milliseconds(1)))
        let client = CurlTransport().intercepted(by: .retry(retry), .traced(by: tracer))
        try await tracer.withSpan("page") { _ in _ = try await client.get(server.url("/")) }
        let exchanges = tracer.spans.filter { $0.kind == .client }
        #expect(exchanges.map { $0.attributes.get("http.response.status_code") } == [503, 200])
        #expect(Set(exchanges.map(\.parentSpanID)).count == 1 && exchanges.first?.parentSpanID != nil)
        let sent = exchanges.map { "00-\($0.traceID)-\($0.spanID)-01" as String? }
        #expect(server.requests.map { $0.headers["traceparent"] } == sent)
    }

    @Test func `a failure is the span's`() async throws {
        let port = try MockServer.unusedPort()
        let client = CurlTransport().intercepted(by: .traced(by: tracer))
        await #expect(throws: HTTPError.self) { try await client.get("http://127.0.0.1:\(port)/") }
        let span = try #require(tracer.spans.first)
        #expect(span.status?.code == .error && span.errors.count == 1)
        #expect(span.attributes.get("error.type") == "connection")
    }

    @Test func `without a tracer the caller's trace is passed on unchanged`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let instrument = TraceContextInstrument()
        let incoming: HTTPHeaders = [
            "Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Tracestate": "vendor=1",
        ]
        var context = ServiceContext.topLevel
        instrument.extract(incoming, into: &context, using: HTTPHeadersExtractor())
        let client = CurlTransport().intercepted(by: .traced(by: instrument))
        try await ServiceContext.$current.withValue(context) { _ = try await client.get(server.url("/a")) }
        _ = try ServiceContext.$current.withValue(context) { try client.send(.get(server.url("/b"))) }
        try await client.get(server.url("/c"))
        let received = server.requests
        #expect(received.map { $0.headers["traceparent"] } == [incoming["Traceparent"], incoming["Traceparent"], nil])
        #expect(received.map { $0.headers["tracestate"] } == ["vendor=1", "vendor=1", nil])
    }

    @Test func `a redirect to another origin does not carry the trace on`() async throws {
        let other = try MockServer { _ in .text("ok") }
        let server = try MockServer { _ in .redirect(to: other.url("/")) }
        let client = CurlTransport().intercepted(by: .traced(by: tracer))
        try await client.get(server.url("/"))
        #expect(server.requests.first?.headers["traceparent"] != nil)
        #expect(other.requests.map { $0.headers["traceparent"] } == [nil])
    }
}
