import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import Testing
import HTTPCore
import HTTPFoundation

/// What servers and exporters receive of a call's trace.
@Suite struct TraceTests {
    private static let outer = TraceContext(
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "rojo=1")

    private func spans(
        _ client: some HTTPClient, within outer: TraceContext? = outer, _ interceptors: Interceptor..., get url: String
    ) -> [TraceSpan] {
        let spans = Notes<[TraceSpan]>()
        let client = client.intercepted(by: Interceptor([.trace { spans.note($0) }] + interceptors))
        _ = TraceContext.$current.withValue(outer) { client.executeRequest(.get(url)) }
        return spans.all.flatMap(\.self)
    }

    @Test func `each attempt carries its own span, within one for the call, within the caller's`() throws {
        let stub = StubClient().on(.get, "/a", answer: .status(503).then(.text("x").taking(.milliseconds(20))))
        let spans = spans(stub, .retry(), get: "https://user:pw@api.example.com/a?token=t0p")
        #expect(spans.map(\.kind) == [.internal, .client, .client])
        #expect(spans.allSatisfy { "\($0.traceID)" == "0af7651916cd43dd8448eb211c80319c" && $0.traceState == "rojo=1" })
        #expect(spans[0].parentID == Self.outer?.spanID)
        #expect(spans[1].parentID == spans[0].spanID && spans[2].parentID == spans[0].spanID)
        #expect(Set(spans.map(\.spanID)).count == 3)
        let sent = stub.requests.map { $0.request.headers }
        #expect(
            sent.map { $0["traceparent"] }
                == spans.dropFirst().map { "00-\($0.traceID)-\($0.spanID)-01" })
        #expect(sent.allSatisfy { $0["tracestate"] == "rojo=1" })
        #expect(spans[1].attributes["http.response.status_code"] == .int(503) && spans[1].error != nil)
        #expect(spans[2].attributes["http.request.resend_count"] == .int(1) && spans[2].error == nil)
        #expect(spans[2].attributes["server.address"] == .string("api.example.com"))
        #expect(spans[2].end - spans[2].start == 20_000_000)
        #expect(spans[0].start <= spans[1].start && spans[1].end < spans[2].start && spans[2].end == spans[0].end)
        #expect(!"\(spans)".contains("t0p") && !"\(spans)".contains("pw@"))
        // As the conventions spell it.
        let url = "https://api.example.com/a?token=REDACTED"
        #expect(spans.allSatisfy { $0.attributes["url.full"] == .string(url) })
    }

    @Test func `of two nested traces, the inner call is a span of the outer one, and has the exchanges`()
        throws
    {
        let stub = StubClient().on(.get, "/", answer: .status(503).then(.text("x")))
        let (outside, within) = (Locked<[TraceSpan]>([]), Locked<[[TraceSpan]]>([]))
        let client = stub.intercepted(
            by: .trace { spans in outside.withLock { $0 += spans } }, .retry(),
            .trace { spans in within.withLock { $0.append(spans) } }, .trace())
        _ = try #require(Self.outer).run { client.executeRequest(.get("https://a.example/")) }
        let (outer, inner) = (outside.withLock { $0 }, within.withLock { $0 })
        #expect(outer.map(\.parentID) == [Self.outer?.spanID])
        #expect(inner.map(\.count) == [2, 2])
        for spans in inner {
            #expect(spans[0].parentID == outer[0].spanID && spans[1].parentID == spans[0].spanID)
            #expect(spans.allSatisfy { $0.traceID == outer[0].traceID })
        }
        #expect(
            stub.requests.map { $0.request.headers["traceparent"] }
                == inner.map { "00-\($0[1].traceID)-\($0[1].spanID)-01" })
    }

    @Test func `after a redirect to another origin no context is sent`() {
        let stub = StubClient()
            .on(.get, "https://a.example/", answer: .status(302).header("Location", "https://a.example/2"))
            .on(.get, "https://a.example/2", answer: .status(302).header("Location", "https://b.example/"))
            .on(.get, "https://b.example/", answer: .text("x"))
        #expect(spans(stub, get: "https://a.example/").count == 4)
        #expect(stub.requests.map { $0.request.headers.contains("traceparent") } == [true, true, false])
        #expect(stub.requests.map { $0.request.headers.contains("tracestate") } == [true, true, false])
    }

    @Test func `without a context a trace begins, and an unsampled one is passed on and not recorded`() {
        let stub = StubClient().on(.get, "/", answer: .text("x"))
        let begun = spans(stub, within: nil, get: "https://a.example/")
        #expect(begun.count == 2 && begun[0].parentID == nil)
        let unsampled = TraceContext.root(isSampled: false)
        #expect(spans(stub, within: unsampled, get: "https://a.example/").isEmpty)
        #expect(stub.requests.last?.request.headers["traceparent"]?.hasPrefix("00-\(unsampled.traceID)-") == true)
        #expect(stub.requests.last?.request.headers["traceparent"]?.hasSuffix("-00") == true)
    }

    @Test func `without an exporter the caller's context is passed on, and outside of a trace nothing`() {
        let stub = StubClient().on(.get, "/", answer: .text("x"))
        let client = stub.intercepted(by: .trace())
        _ = client.executeRequest(.get("https://a.example/"))
        _ = TraceContext.$current.withValue(Self.outer) { client.executeRequest(.get("https://a.example/")) }
        #expect(stub.requests.map { $0.request.headers["traceparent"] } == [nil, Self.outer?.traceparent])
    }

    @Test func `an address has no brackets, and a call may be at any time of a simulation`() {
        let stub = StubClient(time: SimulatedTime(startingAt: Date(timeIntervalSince1970: 5e10))).on(
            .get, "/", answer: .text("x"))
        let spans = spans(stub, get: "https://[2001:db8::1]:8443/")
        #expect(spans.map { $0.attributes["server.address"] } == [.string("2001:db8::1"), .string("2001:db8::1")])
        #expect(spans.allSatisfy { $0.start <= $0.end })
    }

    @Test(arguments: StubFailure.all)
    func `an exchange and its call fail of the same type`(_ failure: StubFailure) {
        let spans = spans(StubClient.failing(failure), get: "https://a.example/")
        #expect(spans.count == 2)
        // What a call does not follow is an answer to its exchange.
        guard spans.last?.attributes["http.response.status_code"] != .int(302) else { return }
        #expect(spans.last?.attributes["error.type"] == spans[0].attributes["error.type"])
        #expect(spans[0].attributes["error.type"] != nil)
    }

    @Test func `a status that a policy refuses fails the call, and not the exchange`() {
        let stub = StubClient().on(.get, "/", answer: .text("x"))
        let spans = spans(stub, .validate { $0.status == 201 }, get: "https://a.example/")
        #expect(spans.map { $0.attributes["http.response.status_code"] } == [.int(200), .int(200)])
        #expect(spans.map { $0.attributes["error.type"] } == [.string("200"), nil])
        #expect(spans[0].error?.isEmpty == false && spans[1].error == nil)
    }

    /// A client with several exchanges, behind which it has an answer.
    private struct BusyClient: HTTPClient {
        let outcomes: [CallAttempt.Outcome]

        @available(*, noasync)
        func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
            for outcome in outcomes {
                let observer = request.observer?.beginAttempt()
                observer?.started(request)
                observer?.finished(CallAttempt(CallRecord(request, metrics: Metrics()), outcome: outcome))
            }
            return .success(Response(request: request, status: .ok))
        }
    }

    @Test func `the version of an answer is that of the exchange that brought it`() {
        func versions(_ outcomes: [CallAttempt.Outcome]) -> [TraceSpan.Value] {
            spans(BusyClient(outcomes: outcomes), get: "https://a.example/")
                .compactMap { $0.attributes["network.protocol.version"] }
        }
        #expect(versions([.answered(503), .answered(.ok)]) == [.string("1.1")])
        #expect(versions([.failed(.connecting, reason: "connection failed")]).isEmpty, "it was stored")
        #expect(versions(Array(repeating: .answered(.ok), count: 256)) == [.string("1.1")])
        #expect(versions(Array(repeating: .answered(.ok), count: 257)).isEmpty, "the last span is of another exchange")
    }

    /// An engine whose exchange begins before it asks for its context.
    private struct LateClient: ClockedClient {
        private let time: Locked<TimePoint>
        let clock: CallClock

        init() {
            let time = Locked(TimePoint.now)
            clock = CallClock(
                now: { time.withLock { $0 } }, unixTime: { 1e9 }, sleep: { _, _, _ in false }, isSimulated: true)
            self.time = time
        }

        @available(*, noasync)
        func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
            time.withLock { $0 = $0 + .milliseconds(2) }
            let observer = request.observer?.beginAttempt()
            observer?.started(request)
            time.withLock { $0 = $0 + .milliseconds(10) }
            var metrics = Metrics()
            metrics.timings.complete = .milliseconds(12)
            observer?.finished(CallAttempt(CallRecord(request, metrics: metrics), outcome: .answered(.ok)))
            return .success(Response(request: request, status: .ok))
        }
    }

    @Test func `an exchange ends no later than its call, also if it began before its span did`() throws {
        let spans = Notes<[TraceSpan]>()
        let client = LateClient().intercepted(by: .trace { spans.note($0) })
        _ = try client.send(.get("https://a.example/"))
        let (call, exchange) = (try #require(spans.all.first?.first), try #require(spans.all.first?.last))
        #expect(exchange.end - exchange.start == 12_000_000)
        #expect(exchange.start == call.start && exchange.end == call.end)
    }

    @Test func `a failure has one of a few types, and its text contains no secret`() {
        let spans = spans(StubClient.failing(.connection(.refused)), get: "https://a.example/?token=t0p")
        #expect(spans[0].attributes["error.type"] == .string("connection"))
        #expect(spans[1].attributes["error.type"] == .string("connection"))
        #expect(spans[0].error?.isEmpty == false && !"\(spans)".contains("t0p"))
    }
}
