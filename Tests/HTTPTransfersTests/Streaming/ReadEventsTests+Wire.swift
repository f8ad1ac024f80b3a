import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Streams of events across connections.
@Suite struct ReadEventsTests {
    private struct Enough: Error {}

    private let clock = TestClock()
    private let seen = Locked<[ServerSentEvent]>([])

    private func read(
        _ draft: MutableRequest, from client: any HTTPClient = CurlTransport(), failureLimit: Int = 3,
        connectionLimit: Int? = nil, minimumDelay: Duration = .milliseconds(500),
        _ take: @escaping @Sendable (ServerSentEvent) throws -> Void = { _ in }
    ) -> Result<Void, HTTPError> {
        Result(
            try client.readEvents(
                of: draft,
                EventStreamOptions(
                    connectionLimit: connectionLimit, failureLimit: failureLimit, limit: 1000,
                    minimumDelay: minimumDelay), clock: clock.callClock
            ) { [seen] event in
                seen.withLock { $0.append(event) }
                try take(event)
            }
        ).map { _ in }
    }

    private static func events(_ text: String) -> MockResponse {
        .data(Array(text.utf8), contentType: "text/event-stream")
    }

    @Test func `it reconnects when the stream ends, with the last id and after the requested delay`() throws {
        let server = try MockServer()
        server.enqueue(
            Self.events("retry: 1500\nid: 1\ndata: a\n\n"), Self.events("data: b\n\nid: x y \ndata: c\n\n"),
            Self.events("id\ndata: d\n\n"), .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url) |> .header("X-App", "1")).get() }
        #expect(seen.withLock { $0.map(\.data) } == ["a", "b", "c", "d"])
        #expect(seen.withLock { $0.map(\.id) } == ["1", "1", "x y ", ""])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "x y", nil])
        #expect(server.requests.allSatisfy { $0.headers["Accept"] == "text/event-stream" })
        #expect(server.requests.allSatisfy { $0.headers["X-App"] == "1" && $0.headers["Cache-Control"] == "no-store" })
        #expect(clock.slept == Array(repeating: .milliseconds(1500), count: 3))
    }

    @Test func `an id that the caller sends is the first, and the stream may change it or take it back`() throws {
        let server = try MockServer()
        server.enqueue(
            Self.events("data: a\n\n"), Self.events("id: 7\ndata: b\n\n"), Self.events("id\ndata: c\n\n"),
            .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url) |> .header("Last-Event-ID", "5")).get() }
        #expect(seen.withLock { $0.map(\.id) } == ["5", "7", ""])
        #expect(server.requests.map { $0.headers.values(for: "Last-Event-ID") } == [["5"], ["5"], ["7"], []])
        let invalid = read(.get(server.url) |> .header("Last-Event-ID", "a\nb"))
        guard case .failure(.invalidRequest) = invalid else { return unexpected("\(invalid)") }
    }

    @Test func `the last id goes along with a redirect to another origin`() throws {
        let (server, other) = (try MockServer(), try MockServer())
        server.handler = { _ in .redirect(to: other.url("/events"), status: .temporaryRedirect) }
        other.enqueue(Self.events("id: 1\ndata: a\n\n"), .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url) |> .header("X-App", "1")).get() }
        #expect(other.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1"])
        #expect(other.requests.allSatisfy { !$0.headers.contains("X-App") })
    }

    @Test func `a connection that breaks inside an event loses only that event`() throws {
        let server = try MockServer()
        let text = "id: 1\ndata: a\n\ndata: half"
        server.enqueue(
            Self.events(text + String(repeating: "x", count: 50)).failing(.close(.midBody(after: text.utf8.count))),
            Self.events("data: b\n\n"), .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url)).get() }
        #expect(seen.withLock { $0.map(\.data) } == ["a", "b"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1"])
        #expect(clock.slept == [.seconds(3), .seconds(3)])
    }

    @Test func `the receiver can stop, and that is not a failure`() throws {
        let server = try MockServer { _ in Self.events("data: a\n\ndata: b\n\ndata: c\n\n") }
        let result = read(.get(server.url)) { event in if event.data == "b" { throw StopReading() } }
        #expect(throws: Never.self) { try result.get() }
        #expect(seen.withLock { $0.map(\.data) } == ["a", "b"])
        #expect(server.requestCount == 1)
    }

    @Test func `an error of the receiver is the result`() throws {
        let server = try MockServer { _ in Self.events("data: a\n\n") }
        guard case .failure(.body(let failure)) = read(.get(server.url), { _ in throw Enough() }) else {
            throw Refusal("no failure of the sink")
        }
        #expect(failure.underlying is Enough)
        #expect(server.requestCount == 1)
    }

    @Test(arguments: [HTTPStatus.notFound, .serviceUnavailable, 201])
    func `another status ends it, as browsers do`(status: HTTPStatus) throws {
        let server = try MockServer { _ in .text("no", status: status) }
        let result = read(.get(server.url))
        if status == 201 {
            guard case .failure(.decoding(let failure)) = result else { throw Refusal("\(result)") }
            #expect(failure.response.status == status && failure.response.body == Data("no".utf8))
        } else {
            guard case .failure(.unacceptableStatus(let response)) = result else { throw Refusal("\(result)") }
            #expect(response.status == status)
        }
        #expect(server.requestCount == 1)
    }

    @Test(arguments: [HTTPStatus.created, 206])
    func `the events of another status are not delivered`(status: HTTPStatus) throws {
        let server = try MockServer { _ in
            .data(Array("data: a\n\n".utf8), contentType: "text/event-stream", status: status)
        }
        guard case .failure(.unacceptableStatus(let response)) = read(.get(server.url)) else { throw Refusal("read") }
        #expect(response.status == status && response.headers.contains("Content-Type"))
        #expect(seen.withLock { $0.isEmpty } && server.requestCount == 1)
    }

    @Test(arguments: ["application/json", "text/html; charset=utf-8", "text/plain", nil])
    func `a body of another type is kept as that of the error's response`(type: String?) throws {
        let page = "{\"error\": \"" + String(repeating: "no ", count: 30_000) + "\"}"
        for body in [page, "{\"error\": \"no\"}", ""] {
            let server = try MockServer { _ in .data(Array(body.utf8), contentType: type).header("X-Why", "quota") }
            guard case .failure(.decoding(let failure)) = read(.get(server.url)) else { throw Refusal("read") }
            #expect(failure.response.status == .ok && failure.response.headers["X-Why"] == "quota")
            #expect(failure.response.body == Data(body.utf8.prefix(64 << 10)))
            #expect(failure.reason.contains(type ?? "without a Content-Type"), "\(failure.reason)")
            #expect(server.requestCount == 1)
        }
    }

    @Test func `another type is read where it is accepted`() throws {
        let server = try MockServer { _ in .data(Array("data: a\n\n".utf8), contentType: "Application/X-Events") }
        let seen = Locked<[String]>([])
        let options = EventStreamOptions(connectionLimit: 1, accepting: ["application/x-events"])
        try CurlTransport().stream(.get(server.url), as: .serverSentEvents(options)) { event in
            seen.withLock { $0.append(event.data) }
        }
        #expect(seen.withLock { $0 } == ["a"] && server.requestCount == 1)
    }

    @Test func `connections without events are given up after a few, with growing delays`() throws {
        let server = try MockServer { _ in Self.events(": nothing\n\n") }
        guard case .failure(.connection(let fruitless)) = read(.get(server.url), failureLimit: 4) else {
            throw Refusal("it ended as if the server had ended it")
        }
        #expect(fruitless.reason == .other && fruitless.record.metrics.attemptCount == 4)
        #expect("\(fruitless)".contains("ended the stream 4 times in a row without an event"))
        #expect(server.requestCount == 4)
        #expect(clock.slept == [.seconds(3), .seconds(6), .seconds(12)])
        server.handler = nil
        // The second one twice: a kept connection that is lost before its answer is replaced once.
        server.enqueue(Self.events(": nothing\n\n"), .fault(.close(.beforeHead)), .fault(.close(.beforeHead)))
        guard case .failure(.connection) = read(.get(server.url), failureLimit: 2) else {
            throw Refusal("no failure of the connection")
        }
    }

    @Test func `a stream that asks for no delay gets half a second`() throws {
        let server = try MockServer { _ in Self.events("retry: 0\ndata: a\n\n") }
        let result = read(.get(server.url) |> .timeout(.seconds(10)))
        guard case .failure(.timedOut(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.limit == .total)
        #expect(server.requestCount == 20, "in ten seconds")
        #expect(Set(clock.slept) == [.milliseconds(500)])
        #expect(seen.withLock { $0.count } == 20)
    }

    @Test func `the caller may allow a shorter delay, below which the stream cannot go`() throws {
        let server = try MockServer()
        server.enqueue(
            Self.events("retry: 0\ndata: a\n\n"), Self.events("retry: 30\ndata: b\n\n"), .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url), minimumDelay: .milliseconds(20)).get() }
        #expect(clock.slept == [.milliseconds(20), .milliseconds(30)])
    }

    @Test func `delays grow after failures and empty streams even if stream and caller want none`() throws {
        let server = try MockServer { _ in Self.events("retry: 0\n\n") }
        guard case .failure(.connection) = read(.get(server.url), failureLimit: 11, minimumDelay: .zero) else {
            throw Refusal("no failure")
        }
        #expect(server.requestCount == 11)
        let seconds = clock.slept.map { $0 / .seconds(1) }
        #expect(seconds == [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60])
        server.handler = nil
        server.enqueue(Self.events("data: a\n\n"))
        for _ in 0..<5 { server.enqueue(.fault(.close(.beforeHead))) }
        _ = read(.get(server.url), failureLimit: 4, minimumDelay: .zero)
        #expect(clock.slept.suffix(3) == [.seconds(3), .seconds(6), .seconds(12)])
    }

    @Test(arguments: [false, true])
    func `a stream requested by POST is not requested again, unless it has a key`(hasKey: Bool) throws {
        let server = try MockServer()
        server.enqueue(Self.events("data: a\n\n"), .status(.noContent))
        let draft = MutableRequest.post(server.url) |> .text("prompt")
        #expect(throws: Never.self) { try read(draft |> .when(hasKey, .idempotencyKey("k-1"))).get() }
        #expect(server.requests.map(\.text) == Array(repeating: "prompt", count: hasKey ? 2 : 1))
        #expect(seen.withLock { $0.map(\.data) } == ["a"])
    }

    @Test func `a POST whose stream breaks fails, and is not repeated`() throws {
        let server = try MockServer { _ in
            Self.events("data: a\n\n" + String(repeating: "x", count: 50)).failing(.close(.midBody(after: 9)))
        }
        guard case .failure(.truncatedBody) = read(.post(server.url)) else { throw Refusal("no failure") }
        #expect(server.requestCount == 1)
        #expect(clock.slept.isEmpty)
    }

    @Test func `the connection limit counts all connections, with or without events`() throws {
        let server = try MockServer { _ in Self.events("data: a\n\n") }
        #expect(throws: Never.self) { try read(.get(server.url), connectionLimit: 3).get() }
        #expect(server.requestCount == 3)
        #expect(throws: Never.self) { try read(.get(server.url), connectionLimit: 1).get() }
        #expect(server.requestCount == 4)
        #expect(clock.slept == [.seconds(3), .seconds(3)])
    }

    @Test func `a connection that breaks between head and event is followed by another`() throws {
        let server = try MockServer()
        let beats = ": beat\n\n"
        server.enqueue(
            Self.events(beats + String(repeating: "x", count: 50)).failing(.reset(.midBody(after: beats.utf8.count))),
            Self.events("data: a\n\n"), .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url)).get() }
        #expect(seen.withLock { $0.map(\.data) } == ["a"] && server.requestCount == 3)
    }

    @Test func `a port where nothing listens is reported at once, unless a connection succeeded before`() throws {
        let port = try MockServer.unusedPort()
        guard case .failure(.connection(let failure)) = read(.get("http://127.0.0.1:\(port)/")) else {
            throw Refusal("no failure of the connection")
        }
        #expect(failure.reason == .refused)
        #expect(clock.slept.isEmpty)
        let server = try MockServer { _ in Self.events("data: a\n\n") }
        let result = read(.get(server.url), failureLimit: 2) { _ in server.stop() }
        guard case .failure(.connection) = result else { throw Refusal("\(result)") }
        #expect(clock.slept == [.seconds(3), .seconds(3)])
    }

    @Test func `an event resets the growth of the delays`() throws {
        let server = try MockServer()
        let (empty, event) = (Self.events("retry: 0\n\n"), Self.events("data: a\n\n"))
        server.enqueue(empty, empty, event, empty, empty, .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url)).get() }
        #expect(clock.slept.map { $0 / .milliseconds(1) } == [500, 1000, 500, 500, 1000])
    }

    @Test func `cancelling ends the wait for the next connection`() throws {
        let server = try MockServer { _ in Self.events("data: a\n\n") }
        let manual = TestClock(manual: true)
        let token = CancellationToken()
        let canceller = TestThread {
            manual.asleep.wait(for: 1)
            token.cancel()
        }
        let result = try token.run {
            Result(
                try CurlTransport().readEvents(
                    of: .get(server.url), EventStreamOptions(failureLimit: 3), clock: manual.callClock
                ) { _ in })
        }
        canceller.join()
        guard case .failure(.cancelled) = result else { throw Refusal("\(result)") }
        #expect(server.requestCount == 1)
    }

    @Test func `a total timeout covers all connections and the delays`() throws {
        let server = try MockServer { _ in Self.events("data: a\n\n") }
        let result = read(.get(server.url) |> .timeout(.seconds(7)))
        guard case .failure(.timedOut(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.limit == .total && failure.duration == .seconds(7))
        #expect(
            "\(failure)".hasPrefix(
                "GET \(server.url("/")) was not sent again: the next connection of its stream is due in 3 s,"
                    + " and the whole call may take 7 s"))
        #expect(server.requestCount == 3 && failure.record?.metrics.attemptCount == 3)
    }

    @Test func `a request that cannot be built sends nothing`() {
        guard case .failure(.invalidRequest) = read(.get("ftp://a/")) else { return unexpected("sent") }
    }

    @Test func `an id that is invalid in a field is not sent, and the stream continues`() throws {
        let server = try MockServer()
        server.enqueue(
            Self.events("id: \u{1}\ndata: a\n\n"), Self.events("id: é\ndata: b\n\n"), .status(.noContent))
        #expect(throws: Never.self) { try read(.get(server.url)).get() }
        #expect(seen.withLock { $0.map(\.id) } == ["\u{1}", "é"])
        #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, "é"])
    }
}
