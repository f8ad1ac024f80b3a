import TestSupport
import HTTPPolicies
import Foundation
import HTTPTesting
import Testing

import HTTPCore

/// Interceptors that change requests and validate responses.
@Suite struct StepInterceptorTests {
    private let script = ScriptedClient(ScriptedClient.status(200))

    @Test func `a step is applied to every request, and the rest is kept`() throws {
        let client = script.intercepted(by: .applying(.header("API-Version", "2") |> .query("device", "linux")))
        let draft =
            MutableRequest.put("http://u:p@h:81/a%2Fb/ü?x=1&y=%20#frag") |> .header("A", "1") |> .json(["k": 1])
            |> .timeout(.seconds(3)) |> .connectTimeout(nil) |> .idleTimeout(.seconds(2)) |> .bodyLimit(7)
            |> .headerLimit(8) |> .redirects(.never) |> .version(.http1)
        let plain = try Request(draft)
        _ = try client.send(plain)
        let sent = try #require(script.requests.first)
        #expect(sent.url.string == plain.url.string + "&device=linux" && sent.url.fragment == "frag")
        #expect(sent.headers["API-Version"] == "2")
        var headers = sent.headers
        headers.removeAll(named: "API-Version")
        #expect(Set(headers) == Set(plain.headers) && headers.count == plain.headers.count)
        #expect(sent.method == plain.method && sent.body == plain.body && sent.timeouts == plain.timeouts)
        #expect(sent.limits == plain.limits && sent.redirects == plain.redirects && sent.version == plain.version)
    }

    private struct Stamping: PassingPolicy {
        let stamp: String
        func before(_ moment: PolicyMoment) -> PolicyStep { .send(moment.request |> .header("Stamp", stamp)) }
    }

    @Test func `a policy and a closure apply steps to the request that they were given`() throws {
        let closure = Interceptor { request, next in
            Result { () throws(HTTPError) in try next.send(request |> .header("B", "2") |> .query("q", 3)) }
        }
        _ = try script.intercepted(by: Interceptor(Stamping(stamp: "1")), closure)
            .send(.get("http://h/?a=b") |> .bodyLimit(7))
        let sent = try #require(script.requests.first)
        #expect(sent.headers == ["Stamp": "1", "B": "2"] && sent.url.string == "http://h/?a=b&q=3")
        #expect(sent.limits.bodyBytes == 7)
        let invalid = script.intercepted(by: Interceptor(Stamping(stamp: "\n"))).executeRequest(.get("http://h/"))
        guard case .invalidRequest = invalid.failure else { return unexpected(invalid) }
        #expect(script.requests.count == 1)
    }

    @Test func `the defaults of a request with a step depend on the bodies, as those of its draft do`() throws {
        let request = try Request(.get("http://h/"))
        #expect(try Request(request |> .header("A", "1")) == Request(request.asDraft() |> .header("A", "1")))
        #expect(try Request(request |> .header("A", "1")).timeouts.total == .seconds(60))
        let discarded = try Request(request |> .header("A", "1") |> .destination(.discard))
        #expect(discarded.timeouts.total == nil && discarded.limits.bodyBytes == .max)
        let kept = try Request(MutableRequest(request) |> .destination(.discard))
        #expect(kept.timeouts.total == .seconds(60) && kept.limits.bodyBytes == 64 << 20)
        let chosen = try Request(.get("http://h/") |> .timeout(.seconds(3)) |> .bodyLimit(7))
        let moved = try Request(chosen |> .destination(.discard))
        #expect(moved.timeouts.total == .seconds(3) && moved.limits.bodyBytes == 7)
    }

    @Test func `a step takes no time from a request without a timeout, also if it replaces the stream`() throws {
        let streamed = try Request(.put("http://h/") |> .body(RequestBody.stream { .data(Data("x".utf8)) }))
        #expect(try Request(streamed |> .body(RequestBody.empty)).timeouts.total == nil)
        // Nor if a redirect has dropped it.
        let led = streamed.redirected(to: try HTTPURL("http://h/b"), by: .seeOther)
        #expect(led.body.isEmpty && led.timeouts.total == nil)
        #expect(try Request(led |> .header("A", "1")).timeouts.total == nil)
    }

    private struct Discarding: PassingPolicy {
        func before(_ moment: PolicyMoment) -> PolicyStep { .send(moment.request |> .destination(.discard)) }
    }

    @Test(arguments: [
        Interceptor(Discarding()), Interceptor { $1.executeRequest($0 |> .destination(.discard)) },
    ])
    func `an interceptor that moves a body has the time of the call, and not more`(_ interceptor: Interceptor) throws {
        let stub = StubClient().on("**", answer: .text("late").taking(.seconds(61)))
        let client = stub.intercepted(by: interceptor)
        let error = client.executeRequest(.get("http://h/") |> .idleTimeout(nil)).failure
        guard case .timedOut(let failure) = error else { return unexpected(error as Any) }
        #expect(failure.limit == .total && failure.duration == .seconds(60))
        #expect(try client.send(.get("http://h/") |> .idleTimeout(nil) |> .timeout(nil)).status == .ok)
        #expect(stub.requestCount == 2)
    }

    @Test(arguments: [
        Interceptor.applying(.header("A", "1")), .applying { .header("A", "1") },
        .applying { request in .header("A", request.method.rawValue) }, .bearer(BearerTokens("t")),
    ])
    func `limits that nobody has set stay so in a request that a step of the package has changed`(
        _ interceptor: Interceptor
    ) throws {
        let answered = try script.intercepted(by: interceptor).send(.get("http://h/")).request
        #expect(answered.headers.count == 1 && script.requests == [answered])
        let moved = try Request(answered |> .destination(.discard))
        #expect(moved.timeouts.total == nil && moved.limits.bodyBytes == .max)
    }

    @Test func `the error of a late call names the limit of the request or the deadline around it`() {
        let stub = StubClient().on("**", answer: .text("late").taking(.seconds(63)))
        let draft = MutableRequest.get("http://h/") |> .idleTimeout(nil)
        let own = "the whole call took longer than 60 s; .timeout(_:) on the request raises the limit"
        let around = "the deadline around the call, of 60 s, has passed; give it more time"
        let spent = CallDeadline(.seconds(60), from: ContinuousClock.now - .seconds(50))
        for client in [stub as any HTTPClient, stub.intercepted(by: .applying(.timeout(nil)))] {
            #expect("\(client.executeRequest(draft).failure as Any)".contains(own))
            #expect("\(spent.run { client.executeRequest(draft) }.failure as Any)".contains(around))
        }
        #expect(stub.requestCount == 4)
    }

    private enum Local { @TaskLocal static var name = "none" }

    @Test func `a step is made once for each call, where the call is made, and applies to each attempt`() throws {
        let script = ScriptedClient(ScriptedClient.status(503), ScriptedClient.status(200))
        let made = Tally()
        let client = TestClock().around(script).intercepted(
            by: .retry(),
            .applying {
                made.add()
                return .header("Name", Local.name)
            })
        _ = try Local.$name.withValue("ada") { try client.send(.get("http://h/")) }
        #expect(script.requests.map { $0.headers["Name"] } == ["ada", "ada"])
        #expect(made.count == 1)
    }

    @Test func `a step may be made from the request, for each attempt, and its error is the result`() throws {
        let script = ScriptedClient(ScriptedClient.status(503), ScriptedClient.status(200))
        let made = Tally()
        let client = TestClock().around(script).intercepted(
            by: .retry(),
            .applying { request throws(HTTPError) in
                made.add()
                guard request.method == .get else { throw .cancelled(nil) }
                return .header("Signature", "\(request.url.path) \(made.count)")
            })
        _ = try client.send(.get("http://h/a"))
        #expect(script.requests.map { $0.headers["Signature"] } == ["/a 1", "/a 2"])
        guard case .failure(.cancelled) = client.executeRequest(.delete("http://h/a")) else {
            return #expect(Bool(false))
        }
        #expect(script.requests.count == 2)
    }

    @Test func `before a retry, a step made from the request is made once, and never for a redirect`() throws {
        for (isBehind, signatures) in [(false, ["/a 1", "/a 1", "/a 1"]), (true, ["/a 1", "/a 2", "/a 2"])] {
            let stub = StubClient()
                .on(.get, "/a", answer: .status(503).then(.redirect(to: "/b")))
                .on(.get, "/b", answer: .ok)
            let made = Tally()
            let signing = Interceptor.applying { request in .header("Signature", "\(request.url.path) \(made.add())") }
            let interceptors: [Interceptor] = isBehind ? [.retry(), signing] : [signing, .retry()]
            _ = try TestClock().around(stub).intercepted(by: Interceptor(interceptors)).send(.get("http://h/a"))
            #expect(stub.requests.map { $0.headers["Signature"] } == signatures)
        }
    }

    private struct Torn: Error {}

    @Test func `whatever making a step throws is the failure of the call, and nothing is sent`() throws {
        let client = script.intercepted(
            by: .applying { request in
                switch request.url.path {
                case "/torn": throw Torn()
                case "/cancelled": throw CancellationError()
                default: return .header("A", "1")
                }
            })
        guard case .interceptor(let failure) = client.executeRequest(.get("http://h/torn")).failure else {
            return unexpected("no error")
        }
        #expect(failure.underlying is Torn && "\(failure)".contains("http://h/torn"))
        #expect(failure.record.metrics.attemptCount == 0)
        guard case .cancelled(let record?) = client.executeRequest(.get("http://h/cancelled")).failure else {
            return unexpected("no error")
        }
        #expect("\(HTTPError.cancelled(record))".contains("http://h/cancelled") && script.requests.isEmpty)
        _ = try client.send(.get("http://h/"))
        #expect(script.requests.map { $0.headers["A"] } == ["1"])
    }

    @Test func `an unchanged request stays the same`() throws {
        let plain = try Request(.post("http://h/?a#b") |> .text("x") |> .contentType("text/css"))
        _ = try script.intercepted(by: .applying(.none)).send(plain)
        let sent = try #require(script.requests.first)
        #expect(sent.url == plain.url && sent.headers == plain.headers && sent.body == plain.body)
    }

    @Test func `a streamed request stays streamed`() throws {
        let stream = RequestBody.stream { .data(Data("x".utf8)) }
        let plain = try Request(
            .put("http://h") |> .body(stream) |> .destination(.discard) |> .expectContinue(wait: .seconds(2)))
        _ = try script.intercepted(by: .applying(.none)).send(plain)
        let sent = try #require(script.requests.first)
        #expect(sent.timeouts == plain.timeouts && sent.timeouts.total == nil && sent.limits == plain.limits)
        #expect(sent.continueWait == .seconds(2) && !sent.destination.isMemory && sent.body == stream)
    }

    @Test func `another body brings its own media type`() throws {
        _ = try script.intercepted(by: .applying(.json(["a": 1]))).send(.post("http://h") |> .text("x"))
        #expect(script.requests.first?.headers.values(for: "Content-Type") == ["application/json"])
    }

    @Test func `a change can depend on the request`() throws {
        let client = script.intercepted(
            by: .applying(
                RequestStep { draft in
                    if draft.method == .post { draft.headers["Idempotency-Key"] = "k" }
                }))
        _ = try client.send(.get("http://h"))
        _ = try client.send(.post("http://h"))
        #expect(script.requests.map { $0.headers["Idempotency-Key"] } == [nil, "k"])
    }

    @Test func `an invalid change is an invalid request, and nothing is sent`() {
        let client = script.intercepted(by: .applying(.header("A", "1\r\nB: 2")))
        guard case .invalidRequest(let error) = client.executeRequest(.get("http://h")).failure else {
            return unexpected("sent")
        }
        #expect(error.reason.contains("the header A"))
        #expect(script.requests.isEmpty)
    }

    @Test func `an error of a change is the result`() {
        let client = script.intercepted(
            by: .applying(
                RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
                    throw .invalidRequest(InvalidRequest(draft, "nobody is logged in"))
                }))
        guard case .invalidRequest(let error) = client.executeRequest(.get("http://h")).failure else {
            return unexpected("sent")
        }
        #expect(error.reason == "nobody is logged in")
        #expect(script.requests.isEmpty)
    }

    // MARK: Validation

    private func refused(_ status: HTTPStatus, by interceptor: Interceptor) -> Bool {
        let client = ScriptedClient(ScriptedClient.status(status)).intercepted(by: interceptor)
        let error = client.executeRequest(.get("http://h")).failure
        if case .unacceptableStatus(let response) = error { return response.status == status }
        return false
    }

    @Test func `validation refuses any status but 2xx, or those the caller chooses`() {
        #expect(
            [199, 200, 204, 299, 300, 404, 500].map { refused(HTTPStatus($0), by: .validate()) }
                == [true, false, false, false, true, true, true])
        #expect(
            [200, 404].map { refused(HTTPStatus($0), by: .validate { $0.status.rawValue < 500 }) } == [false, false])
        let notModified = Interceptor.validate { $0.status.isSuccess || $0.status == .notModified }
        #expect([304, 404].map { refused(HTTPStatus($0), by: notModified) } == [false, true])
    }

    @Test func `retries behind and before validation have the same result`() {
        for interceptors in [[Interceptor.validate()], []] {
            let script = ScriptedClient(ScriptedClient.status(503), ScriptedClient.status(200))
            let client = TestClock().around(script).intercepted(by: Interceptor([.retry()] + interceptors))
            #expect((try? client.get("http://h").metrics.attemptCount) == 2)
        }
    }

    @Test func `a response that was refused or not decoded has the redirects that were followed before it`() throws {
        let response = Response(request: try Request(.get("http://h/b")), status: 500)
        let hop = RedirectHop(status: 302, url: try HTTPURL("http://h/a"), location: try HTTPURL("http://h/b"))
        for error in [
            HTTPError.unacceptableStatus(response),
            .decoding(DecodingFailure(response: response, expectedType: "x", reason: "y")),
        ] { #expect(error.behind([hop]).response?.redirects == [hop]) }
    }

    @Test func `the metrics of every error that has some can be changed`() throws {
        let request = try Request(.get("http://h"))
        let record = CallRecord(request)
        let response = Response(request: request, status: 500)
        let errors: [HTTPError] = [
            .cancelled(record), .timedOut(TimeoutFailure(.idle, after: .zero, record: record)),
            .other(CircuitOpen(record: record)),
            .resolution(ResolutionFailure(host: "h", record: record)),
            .connection(ConnectionFailure(.broken, mayHaveBeenProcessed: true, record: record)),
            .tls(TLSFailure(.untrusted, record: record)), .protocolViolation(ProtocolViolation("x", record: record)),
            .truncatedBody(TruncatedBody(.chunked, received: 0, record: record)),
            .limitExceeded(LimitExceeded(.body, value: 0, record: record)),
            .body(BodyFailure(.sink, record: record)),
            .redirect(RedirectFailure(.cycle(visits: 3), status: 302, record: record)),
            .unacceptableStatus(response),
            .decoding(DecodingFailure(response: response, expectedType: "x", reason: "y")),
        ]
        for error in errors {
            let changed = Result<Response, HTTPError>.failure(error).changingMetrics { $0.attemptCount += 6 }
            #expect(changed.attempts == 7, "\(error)")
        }
        for error in [HTTPError.unsupported(Unsupported("x", "y")), .cancelled(nil), .timedOut(.init(after: .zero))] {
            let changed = Result<Response, HTTPError>.failure(error).changingMetrics { $0.attemptCount += 6 }
            #expect(changed.attempts == 0)
        }
    }
}
