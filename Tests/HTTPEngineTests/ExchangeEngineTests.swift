import TestSupport
import HTTPEngine
import HTTPSupport
import HTTPCore
import HTTPFoundation
import Testing

/// What an exchange does, in order.
private enum Move: Sendable {
    case enter(CallActivity)
    /// A head as it is on the wire. Whether it is an interim one is expected.
    case head(String, isInterim: Bool = false)
    case fields(HTTPStatus, HTTPHeaders = [:])
    case body(String)
    /// As they are on the wire, in pieces of one byte; so much is expected to be left behind the body.
    case chunks(String, left: String = "")
    case trailers(HTTPHeaders)
    /// Reads the request's body in pieces of this size.
    case read(Int)
    case cancel(CancellationToken)
    case check
    /// Checks until that ends the exchange.
    case wait
    case closedWhileIdle, unprocessed, notSent

    static func answer(_ text: String) -> [Move] {
        [.enter(.waiting), .head("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n"), .body(text)]
    }
}

/// An engine without a network.
private final class ScriptedEngine: ExchangeEngine {
    private let exchanges: Locked<[[Move]]>
    private let seen = Locked<[(request: Request, isFresh: Bool)]>([])
    private let read = Locked("")

    init(_ exchanges: [Move]...) { self.exchanges = Locked(exchanges) }

    var targets: [String] { seen.withLock { $0.map { "\($0.request.method) \($0.request.url.path)" } } }
    var freshness: [Bool] { seen.withLock { $0.map(\.isFresh) } }
    /// The pieces of the body that it read.
    var pieces: String { read.withLock { $0 } }

    func send(_ draft: MutableRequest) throws -> Result<Response, HTTPError> { executeRequest(try Request(draft)) }

    func perform(_ exchange: inout Exchange) throws(ExchangeEnd) {
        let (request, isFresh) = (exchange.request, exchange.needsNewConnection)
        seen.withLock { $0.append((request, isFresh)) }
        for move in exchanges.withLock({ $0.isEmpty ? [] : $0.removeFirst() }) { try perform(move, &exchange) }
    }

    private func perform(_ move: Move, _ exchange: inout Exchange) throws(ExchangeEnd) {
        switch move {
        case .enter(let activity): exchange.enter(activity)
        case .head(let head, let isInterim):
            let framing = try exchange.receive(head: head.utf8)
            #expect((framing == nil) == isInterim)
        case .fields(let status, let fields):
            let framing = try exchange.receive(version: .http2, status: status, headers: fields)
            #expect(framing != nil)
        case .body(let text): try exchange.receive(text.utf8)
        case .chunks(let text, let left): try takeChunks(text, &exchange, left: left)
        case .trailers(let fields): try exchange.receive(trailers: fields)
        case .read(let count): try readAll(&exchange, by: count)
        case .cancel(let token): token.cancel()
        case .check: try exchange.check()
        case .wait: while true { try exchange.check() }
        case .closedWhileIdle: throw .closedWhileIdle(broken(exchange.record))
        case .unprocessed: throw .unprocessed(broken(exchange.record))
        case .notSent: throw .notSent
        }
    }

    private func readAll(_ exchange: inout Exchange, by count: Int) throws(ExchangeEnd) {
        while true {
            let bytes = try exchange.readBody(atMost: count)
            guard !bytes.isEmpty else { return }
            read.withLock { $0 += String(decoding: bytes, as: UTF8.self) + "|" }
        }
    }

    private func takeChunks(_ text: String, _ exchange: inout Exchange, left: String) throws(ExchangeEnd) {
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            var piece = [byte][...]
            guard try !exchange.receive(chunks: &piece) else { continue }
            rest = piece + rest
            #expect(String(decoding: rest, as: UTF8.self) == left)
            // All at once, the end is found alike.
            var next = Array("0\r\n\r\n".utf8)[...]
            #expect(try !exchange.receive(chunks: &next) && next.count == 5)
            return
        }
    }

    private func broken(_ record: CallRecord) -> HTTPError {
        .connection(ConnectionFailure(.broken, mayHaveBeenProcessed: true, record: record))
    }
}

@Suite struct ExchangeEngineTests {
    private let url = "http://api.test/one"

    @Test func `an engine that passes on more than a server may send fails as the server would`() throws {
        let head = Move.head("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
        for (moves, words) in [
            ([head, .body("abc")], "its body has 3 bytes, and its Content-Length is 1"),
            ([head, .body("a"), head], "a second head follows the final one"),
        ] {
            guard case .failure(.protocolViolation(let violation)) = try ScriptedEngine(moves).send(.get(url)) else {
                Issue.record("no violation: \(words)")
                continue
            }
            #expect("\(HTTPError.protocolViolation(violation))".contains(words))
        }
    }

    @Test(arguments: [0, -1]) func `a body is read by one byte at least`(count: Int) throws {
        let engine = ScriptedEngine([.read(count)] + Move.answer("ok"))
        #expect(try engine.send(.post(url) |> .text("abc")).get().status == .ok)
        #expect(engine.pieces == "a|b|c|")
    }

    @Test func `a response is what the engine received, and says how long it took and by how many exchanges`() throws {
        let engine = ScriptedEngine(Move.answer("hello"))
        let response = try engine.send(.get(url)).get()
        #expect(try response.text() == "hello" && response.status == 200 && response.reasonPhrase == "OK")
        #expect(response.metrics.attemptCount == 1 && response.metrics.total > .zero)
        #expect(response.metrics.timings.firstByte > .zero && engine.targets == ["GET /one"])
    }

    @Test func `a redirect is followed by another exchange`() throws {
        let engine = ScriptedEngine([.fields(302, ["Location": "/two"])], Move.answer("there"))
        let response = try engine.send(.post(url) |> .text("body")).get()
        #expect(try response.text() == "there" && response.redirects.map(\.location.path) == ["/two"])
        #expect(engine.targets == ["POST /one", "GET /two"])
    }

    @Test(arguments: [(HTTPMethod.get, 2), (.post, 1)])
    func `a request is repeated once on a new connection, if it may be, where a kept one was closed`(
        method: HTTPMethod, count: Int
    ) throws {
        let engine = ScriptedEngine([.closedWhileIdle], [.closedWhileIdle])
        let result = try engine.send(MutableRequest(method, url))
        guard case .failure(.connection) = result else { return #expect(Bool(false), "\(result)") }
        #expect(engine.freshness == Array([false, true].prefix(count)))
    }

    @Test func `a request that was not processed is repeated whatever its method`() throws {
        let engine = ScriptedEngine([.unprocessed], Move.answer("done"))
        let response = try engine.send(.post(url) |> .text("body")).get()
        #expect(try response.text() == "done" && response.metrics.attemptCount == 2)
        #expect(engine.targets == ["POST /one", "POST /one"])
    }

    @Test func `a request that was not sent is sent on another connection, which is no second attempt`() throws {
        let engine = ScriptedEngine([.notSent], Move.answer("done"))
        let response = try engine.send(.post(url) |> .text("body")).get()
        #expect(try response.text() == "done" && response.metrics.attemptCount == 1)
        #expect(engine.freshness == [false, true])
    }

    @Test func `the body of a request that was not sent is made once, and sent on the other connection`() throws {
        let engine = ScriptedEngine([.notSent], [.read(3)] + Move.answer("done"))
        let made = Locked(0)
        let body = RequestBody.stream(replayable: false) {
            made.withLock { $0 += 1 }
            return .data(Data("body".utf8))
        }
        #expect(try engine.send(.post(url) |> .body(body)).get().text() == "done")
        #expect(engine.pieces == "bod|y|" && made.withLock(\.self) == 1)
    }

    @Test func `an engine that has read of a single-use body cannot have it again`() throws {
        let engine = ScriptedEngine([.read(3), .notSent], Move.answer("done"))
        let body = RequestBody.stream(replayable: false) { .data(Data("body".utf8)) }
        guard case .failure(.body(let failure)) = try engine.send(.post(url) |> .body(body)) else {
            return unexpected("sent")
        }
        #expect(failure.reason == .notReplayable)
    }

    @Test(arguments: [Move.closedWhileIdle, .unprocessed, .notSent])
    private func `nothing is sent once more behind a head`(ending: Move) throws {
        let engine = ScriptedEngine([.fields(200), .body("delivered"), ending], Move.answer("again"))
        let result = try engine.send(.get(url))
        guard case .failure(.connection) = result else { return #expect(Bool(false), "\(result)") }
        #expect(engine.targets == ["GET /one"])
    }

    @Test(arguments: [["Content-Length": "5"], ["Content-Length": "5", "Content-Encoding": "gzip"]] as [HTTPHeaders])
    func `a body that is shorter than announced is never a response`(headers: HTTPHeaders) throws {
        let engine = ScriptedEngine([.fields(200, headers), .body("hel")])
        let result = try engine.send(.get(url))
        guard case .failure(.truncatedBody(let failure)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(failure.reason == .contentLength(expected: 5) && failure.received == 3)
    }

    private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test func `chunks are undone with their trailer fields, and what follows them is left`() throws {
        let engine = ScriptedEngine([
            .head(Self.chunkedHead),
            .chunks("2;a\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 42\r\n\r\nHTTP/1.1", left: "HTTP/1.1"),
        ])
        let response = try engine.send(.get(url)).get()
        #expect(try response.text() == "hello" && response.trailers == ["X-Sum": "42"])
    }

    @Test func `a body without its last chunk, with a size that is none, or with endless trailers is never a response`()
        throws
    {
        func send(_ text: String) throws -> HTTPError? {
            let engine = ScriptedEngine([.head(Self.chunkedHead), .chunks(text)])
            return try engine.send(.get(url)).failure
        }
        let cut = try send("5\r\nhello\r\n")
        guard case .truncatedBody(let body) = cut else { throw Refusal("\(String(describing: cut))") }
        #expect(body.reason == .chunked && body.received == 5)
        guard case .protocolViolation(let violation) = try send("5x\r\nhello\r\n") else {
            throw Refusal("no violation")
        }
        #expect(violation.kind == .framing && "\(violation)".contains("its chunk size begins with"))
        guard case .protocolViolation = try send("0\r\nno colon\r\n\r\n") else { throw Refusal("no violation") }
        let long = try send("0\r\n" + String(repeating: "X: 1\r\n", count: 12_000) + "\r\n")
        guard case .limitExceeded(let limit) = long else { throw Refusal("\(String(describing: long))") }
        #expect(limit.limit == .header)
    }

    @Test func `an exchange without a final head is a connection that was closed`() throws {
        let engine = ScriptedEngine([.head("HTTP/1.1 103 Early Hints\r\n\r\n", isInterim: true)])
        let result = try engine.send(.get(url))
        guard case .failure(.connection(let failure)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(failure.reason == .closedBeforeResponse && failure.mayHaveBeenProcessed)
    }

    @Test(arguments: ["HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n"])
    func `a head against the rules is a violation`(head: String) throws {
        let result = try ScriptedEngine([.head(head)]).send(.get(url))
        guard case .failure(.protocolViolation) = result else { return #expect(Bool(false), "\(result)") }
    }

    @Test func `limits of head, trailer fields and body hold`() throws {
        let long = String(repeating: "a", count: 70_000)
        let engine = ScriptedEngine(Move.answer("hello"), [.head(long)], [.fields(200), .trailers(["X-Long": long])])
        let drafts: [MutableRequest] = [.get(url) |> .bodyLimit(4), .get(url), .get(url)]
        let limits = try drafts.map { draft -> LimitExceeded.Limit? in
            if case .failure(.limitExceeded(let failure)) = try engine.send(draft) { failure.limit } else { nil }
        }
        #expect(limits == [.body, .header, .header])
    }

    @Test func `an engine that asks is ended by the deadline`() throws {
        let engine = ScriptedEngine([.enter(.waiting), .wait])
        let result = try engine.send(.get(url) |> .timeout(.milliseconds(20)))
        guard case .failure(.timedOut(let failure)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(failure.limit == .total && failure.duration == .milliseconds(20) && failure.phase == .waiting)
    }

    @Test(arguments: [true, false])
    func `the time that a destination takes is no silence of the server`(isSlowToOpen: Bool) throws {
        let engine = ScriptedEngine([
            .enter(.waiting), .head("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .check, .body("ab"), .check,
            .body("cd"),
        ])
        let pause: @Sendable () -> Void = { _ = Signal().wait(until: .now + .milliseconds(2_200)) }
        let taken = Locked("")
        let destination = BodyDestination.stream { _ in
            if isSlowToOpen { pause() }
            return BodySink { bytes in
                if !isSlowToOpen, taken.withLock(\.isEmpty) { pause() }
                taken.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
            }
        }
        let draft = MutableRequest.get(url) |> .destination(destination) |> .idleTimeout(.seconds(2))
        #expect(try engine.send(draft).get().status == 200 && taken.withLock(\.self) == "abcd")
    }

    @Test func `an engine that asks is ended by a cancellation`() throws {
        let token = CancellationToken()
        let engine = ScriptedEngine([.cancel(token), .check])
        let result = try token.run { try engine.send(.get(url)) }
        guard case .failure(.cancelled) = result else { return #expect(Bool(false), "\(result)") }
    }

    @Test func `a call that is cancelled between two exchanges tells of the first`() throws {
        let token = CancellationToken()
        let engine = ScriptedEngine([.cancel(token), .fields(302, ["Location": "/two"])])
        let result = try token.run { try engine.send(.get(url)) }
        guard case .failure(.cancelled(let record?)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(record.metrics.attemptCount == 1 && record.metrics.total > .zero && record.redirects.count == 1)
        #expect(record.url.hasSuffix("/two") && engine.targets == ["GET /one"])
    }

    @Test func `an exchange that was begun is reported as finished, also if it is the last one`() throws {
        let token = CancellationToken()
        let engine = ScriptedEngine([.cancel(token), .notSent])
        let events = Locked<[String]>([])
        let observer = CallObserver(outer: nil) { event in
            if case .attemptStarted = event { events.withLock { $0.append("started") } }
            if case .attemptFinished(let attempt, _) = event { events.withLock { $0.append("\(attempt.outcome)") } }
        }
        let request = try Request(.get(url)).observed(by: observer)
        let result = token.run { engine.executeRequest(request) }
        guard case .failure(.cancelled) = result else { return #expect(Bool(false), "\(result)") }
        #expect(events.withLock { $0.count == 2 && $0.first == "started" && $0.last?.hasPrefix("failed") == true })
    }

    @Test func `the body is read in pieces, and its failure ends the call`() throws {
        let engine = ScriptedEngine([.read(3)] + Move.answer("ok"))
        #expect(try engine.send(.post(url) |> .text("sevenby")).get().text() == "ok")
        #expect(engine.pieces == "sev|enb|y|")
        let short = RequestBody.stream(length: 9) { .data(Data("six by".utf8)) }
        let result = try ScriptedEngine([.read(64)]).send(.post(url) |> .body(short))
        guard case .failure(.body(let failure)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(failure.reason == .sourceTooShort(expected: 9, actual: 6))
    }

    @Test func `what an engine of one's own does not do is refused before anything is sent`() throws {
        let engine = ScriptedEngine()
        let drafts: [MutableRequest] = [
            .post(url) |> .text("body") |> .trailers("X-Sum") { ["X-Sum": "1"] },
            .post(url) |> .text("body") |> .expectContinue(),
        ]
        for draft in drafts {
            let result = try engine.send(draft)
            guard case .failure(.unsupported(let problem)) = result else { return #expect(Bool(false), "\(result)") }
            #expect(problem.reason.contains("ScriptedEngine"))
        }
        #expect(engine.targets.isEmpty)
    }

    private struct Payments: RequestGenerator {
        let baseURL = "https://pay.example"
        var tls: TLSConfiguration {
            var tls = TLSConfiguration(environment: [:])
            tls.minimumVersion = .tls1_3
            return tls
        }
    }

    @Test func `a service that states TLS settings which the engine does not apply gets no request`() throws {
        let engine = ScriptedEngine(Move.answer("paid"))
        let result = try engine.send(Payments().get("a"))
        guard case .failure(.unsupported(let problem)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(problem.feature.contains("TLS 1.3") && engine.targets.isEmpty)
    }
}
