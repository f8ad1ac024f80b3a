import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import TestSupport
import Testing

import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPPolicies

/// Responses to iterate over.
@Suite struct ResponseElementsTests {
    private struct Row: Decodable, Sendable, Hashable { let id: Int }
    private struct Enough: Error {}

    private let client = CurlTransport()
    private static let thousand = (1...1000).map { "line \($0)\n" }.joined()

    @Test func `a task receives the lines in order`() async throws {
        let server = try MockServer { _ in .text(Self.thousand) }
        var lines: [String] = []
        for try await line in client.stream(.get(server.url), as: .lines) { lines.append(line) }
        #expect(lines == (1...1000).map { "line \($0)" })
        #expect(server.requestCount == 1)
    }

    @Test func `a thread receives the lines in order`() async throws {
        let server = try MockServer { _ in .text(Self.thousand) }
        let lines = await onThread { [client] in
            client.stream(.get(server.url), as: .lines, buffering: 2).blocking.map { try? $0.get() }
        }
        #expect(lines == (1...1000).map { "line \($0)" })
    }

    @Test func `records, events and bytes arrive in the same way`() async throws {
        let server = try MockServer { request in
            switch request.path {
            case "/rows": .text("{\"id\":1}\n{\"id\":2}\n")
            case "/events":
                request.headers["Last-Event-ID"] == nil
                    ? .data(Array("retry: 0\nid: 7\ndata: a\n\n".utf8), contentType: "text/event-stream")
                    : .status(.noContent)
            default: .data([UInt8](repeating: 3, count: 100_000))
            }
        }
        var rows: [Row] = []
        for try await row in client.stream(.get(server.url("/rows")), as: .jsonLines(of: Row.self)) { rows.append(row) }
        #expect(rows == [Row(id: 1), Row(id: 2)])
        var events: [ServerSentEvent] = []
        for try await event in client.stream(.get(server.url("/events")), as: .serverSentEvents) {
            events.append(event)
        }
        #expect(events == [ServerSentEvent(data: "a", id: "7")])
        var bytes = 0
        for try await chunk in client.stream(.get(server.url("/bytes")), as: .chunks) { bytes += chunk.count }
        #expect(bytes == 100_000)
    }

    @Test func `a format that takes refusals gives head and elements of one, and ends`() async throws {
        let server = try MockServer()
        server.on(.get, "/404", answer: .text("not here", status: .notFound))
        server.on(.get, "/empty", answer: .status(.gone))
        let own = StreamFormat<String> { take in BodyDestination.lines { try take($0) }.includingRefusals() }
        for format in [own, .lines.includingRefusals()] {
            for (path, status, body) in [("/404", HTTPStatus.notFound, ["not here"]), ("/empty", .gone, [])] {
                let response = try await client.stream(.get(server.url(path)), as: format).response()
                #expect(response.status == status)
                var lines: [String] = []
                for try await line in response { lines.append(line) }
                #expect(lines == body)
            }
        }
        #expect(server.requests.map(\.path) == ["/404", "/empty", "/404", "/empty"])
    }

    @Test func `of a 401 that a reader has had something, no second response follows`() async throws {
        let server = try MockServer { request in
            request.headers["Authorization"] == "Bearer new" ? .text("yours") : .text("no", status: .unauthorized)
        }
        for (path, givesHead) in [("/head", true), ("/body", false)] {
            let tokens = BearerTokens("old") { _ in "new" }
            let stream = client.intercepted(by: .bearer(tokens)).stream(
                .get(server.url(path)), as: .lines.includingRefusals())
            var lines: [String] = []
            if givesHead {
                let response = try await stream.response()
                #expect(response.status == .unauthorized)
                for try await line in response { lines.append(line) }
            } else {
                for try await line in stream { lines.append(line) }
            }
            #expect(lines == ["no"])
        }
        #expect(server.requests.map(\.path) == ["/head", "/body"])
    }

    @Test func `a stream of events that brings none fails for tasks and for threads`() async throws {
        let server = try MockServer { _ in .data(Array(": nothing\n\n".utf8), contentType: "text/event-stream") }
        let events = client.stream(
            .get(server.url), as: .serverSentEvents(EventStreamOptions(failureLimit: 1)))
        let awaited = await #expect(throws: HTTPError.self) { for try await _ in events {} }
        let waited = await onThread { Array(events.blocking) }
        for error in [awaited, waited.first?.failure] {
            guard case .connection(let failure)? = error else { throw Unexpected(error as Any) }
            #expect("\(failure)".contains("ended the stream without an event"))
        }
        #expect(waited.count == 1 && server.requestCount == 2)
    }

    @Test func `the head arrives before the first element, and the elements follow`() async throws {
        let server = try MockServer { _ in
            MockResponse(status: 202, headers: ["X-Kind": "list"], body: Array(Self.thousand.utf8))
                .failing(.stall(.midBody(after: 0)))
        }
        do {
            let response = try await client.stream(.get(server.url), as: .lines).response()
            #expect(response.status == .accepted && response.headers["X-Kind"] == "list")
            #expect(response.start.request.url.string == server.url("/"))
        }
        let whole = try MockServer { _ in .text(Self.thousand) }
        let response = try await client.stream(.get(whole.url), as: .lines, buffering: 2).response()
        var lines: [String] = []
        for try await line in response { lines.append(line) }
        #expect(lines == (1...1000).map { "line \($0)" })
        #expect(whole.requestCount == 1)
    }

    /// Lines are read on an event loop, those of a format of one's own on a thread.
    @Test(arguments: [true, false])
    func `a response has its trailers at its end, and what nobody took is dropped`(isOnLoop: Bool) async throws {
        let server = try MockServer { _ in .text(Self.thousand).trailer("X-Lines", "1000") }
        let own = StreamFormat<String> { take in .lines { try take($0) } }
        let lines = client.stream(.get(server.url), as: isOnLoop ? .lines : own, buffering: 2)
        let response = try await lines.response()
        for try await line in response {
            #expect(line == "line 1")
            break
        }
        for _ in 1...2 {
            let whole = try await response.finish()
            #expect(whole.trailers["X-Lines"] == "1000" && whole.status == .ok && whole.body.isEmpty)
            #expect(whole.bodyByteCount == Int64(Self.thousand.utf8.count) && whole.metrics.attemptCount == 1)
        }
        for try await line in response { Issue.record("\(line) came behind the end") }
        #expect(server.requestCount == 1)
    }

    @Test func `a response that breaks off has no end but the error, and in a cancelled task none at all`() async throws
    {
        let server = try MockServer { request in
            let point = MockFault.Point.midBody(after: 20)
            return .text(Self.thousand).failing(request.path == "/close" ? .close(point) : .stall(point))
        }
        let broken = try await client.stream(.get(server.url("/close")), as: .lines).response()
        let loop = await #expect(throws: HTTPError.self) { for try await _ in broken {} }
        let end = await #expect(throws: HTTPError.self) { _ = try await broken.finish() }
        guard case .truncatedBody? = loop, case .truncatedBody? = end else { throw Unexpected((loop, end)) }
        let silent = try await client.stream(.get(server.url("/stall")), as: .lines).response()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await silent.finish()
        }
        guard case .failure(HTTPError.cancelled) = await task.result else { throw Unexpected(await task.result) }
        try await server.wait(for: .openConnections(atMost: 0))
        #expect(server.requests.map(\.path) == ["/close", "/stall"])
    }

    @Test func `a response without a body has a head, and a refused or unreachable one has none`() async throws {
        let server = try MockServer { .status($0.path == "/empty" ? .noContent : .notFound) }
        let empty = try await client.stream(.get(server.url("/empty")), as: .chunks).response()
        #expect(empty.status == .noContent)
        for try await chunk in empty { #expect(chunk.isEmpty) }
        #expect(
            try await client.stream(.get(server.url("/empty")), as: .serverSentEvents).response().status == .noContent)
        let refused = await #expect(throws: HTTPError.self) {
            _ = try await client.stream(.get(server.url("/missing")), as: .lines).response()
        }
        #expect(refused?.response?.status == .notFound)
        let events = await #expect(throws: HTTPError.self) {
            _ = try await client.stream(.get(server.url("/missing")), as: .serverSentEvents).response()
        }
        #expect(events?.response?.status == .notFound)
        let port = try MockServer.unusedPort()
        let unreachable = await #expect(throws: HTTPError.self) {
            _ = try await client.stream(.get("http://127.0.0.1:\(port)/"), as: .lines).response()
        }
        guard case .connection? = unreachable else { return #expect(Bool(false)) }
    }

    @Test func `the call ends with the task that awaits its head`() async throws {
        let arrived = Event()
        let server = try MockServer { _ in
            arrived.signal()
            return MockResponse.text("late").taking(.seconds(600))
        }
        // Without limits: with many tests this task may be scheduled late.
        let request = MutableRequest.get(server.url) |> .timeout(nil) |> .idleTimeout(nil)
        let task = Task { try await client.stream(request, as: .lines).response() }
        await arrived.happened()
        task.cancel()
        let error = await #expect(throws: HTTPError.self) { _ = try await task.value }
        guard case .cancelled? = error else { return #expect(Bool(false)) }
    }

    @Test func `elements come before the body has ended, and leaving the loop ends the call`() async throws {
        let server = try MockServer { _ in .text(Self.thousand).failing(.stall(.midBody(after: 20))) }
        for try await line in client.stream(.get(server.url), as: .lines) {
            #expect(line == "line 1")
            break
        }
        // The server sees the connection end.
        try await server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `flow control stops the server for a slow consumer`() async throws {
        let line = String(repeating: "a", count: 999) + "\n"
        let server = try MockServer { _ in .text(String(repeating: line, count: 5000)) }
        let taken = Locked(0)
        let produced = Locked(0)
        let counting = client.intercepted(
            by: Interceptor { request, next in
                var draft = MutableRequest(request)
                guard case .stream(let factory) = draft.destination.kind else { return next.executeRequest(request) }
                draft.destination = .stream { start in
                    let sink = try factory.value(start)
                    return BodySink(
                        write: { bytes in
                            produced.withLock { $0 += bytes.count / 1000 }
                            try sink.write(bytes)
                        }, finish: sink.finish, abandon: sink.abandon)
                }
                return next.executeRequest(draft)
            })
        for try await _ in counting.stream(.get(server.url), as: .lines, buffering: 10) {
            let ahead =
                produced.withLock { $0 }
                - taken.withLock { count in
                    count += 1
                    return count
                }
            // No more than one piece of the engine is ahead of the consumer.
            #expect(ahead < 2 * (512 << 10) / 1000)
        }
        #expect(taken.withLock { $0 } == 5000)
    }

    @Test func `a failure is thrown after the elements before it`() async throws {
        let server = try MockServer { _ in .text(Self.thousand).failing(.close(.midBody(after: 20))) }
        var lines: [String] = []
        let error = await #expect(throws: HTTPError.self) {
            for try await line in client.stream(.get(server.url), as: .lines) { lines.append(line) }
        }
        guard case .truncatedBody? = error else { return unexpected(error as Any) }
        #expect(lines == ["line 1", "line 2"])
        let results = await onThread { [client] in Array(client.stream(.get(server.url), as: .lines).blocking) }
        guard case .failure(.truncatedBody) = results.last else { throw Enough() }
        #expect(results.dropLast().map { try? $0.get() } == ["line 1", "line 2"])
        #expect(server.requestCount == 2)
    }

    @Test func `a response with another status is thrown with its text`() async throws {
        let server = try MockServer { _ in .text("no\nway", status: .forbidden) }
        do {
            for try await line in client.stream(.get(server.url), as: .lines) { Issue.record("\(line)") }
            Issue.record("nothing thrown")
        } catch {
            guard case .unacceptableStatus(let response) = error else { throw error }
            #expect(try response.text() == "no\nway")
        }
    }

    @Test func `after the end there are no more elements`() async throws {
        let server = try MockServer { _ in .text("a\n") }
        var iterator = client.stream(.get(server.url), as: .lines).makeAsyncIterator()
        #expect(try await iterator.next() == "a")
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        server.handler = { _ in .status(.notFound) }
        iterator = client.stream(.get(server.url), as: .lines).makeAsyncIterator()
        await #expect(throws: HTTPError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil, "a failure is told once")
    }

    @Test func `cancelling the task ends a wait for an element`() async throws {
        let server = try MockServer { _ in .text(Self.thousand).failing(.stall(.midBody(after: 20))) }
        let (first, arrived) = AsyncStream<Void>.makeStream()
        let task = Task { [client] in
            // If other tests keep all threads busy, this one continues afterwards.
            let draft = MutableRequest.get(server.url) |> .idleTimeout(.seconds(900))
            for try await _ in client.stream(draft, as: .lines) { arrived.yield() }
        }
        for await _ in first { break }
        task.cancel()
        switch await task.result {
        case .failure(HTTPError.cancelled): break
        case let other: Issue.record("\(other)")
        }
        try await server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `a token around a blocking loop ends it`() async throws {
        let server = try MockServer { _ in .text(Self.thousand).failing(.stall(.midBody(after: 20))) }
        let token = CancellationToken()
        let results = await onThread { [client] in
            token.run { () -> [Result<String, HTTPError>] in
                client.stream(.get(server.url), as: .lines).blocking.map { result in
                    token.cancel()
                    return result
                }
            }
        }
        guard case .failure(.cancelled) = results.last else { throw Enough() }
        try await server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `reading within a call of the same dispatcher does not wait for itself`() async throws {
        let server = try MockServer { _ in .text(Self.thousand) }
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: 1, runningPerHost: 1))
        let count = try await dispatcher.run {
            .success(
                client.stream(.get(server.url), as: .lines, buffering: 1, on: dispatcher).blocking.reduce(0) { n, _ in
                    n + 1
                })
        }
        #expect(count == 1000)
    }
}
