import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import TestSupport
import Testing

import HTTPAsync

/// Deadlines of calls that wait for a slot.
@Suite(.timeLimit(.minutes(5))) struct QueuedDeadlineTests {
    /// A way to make a call that can wait for a slot.
    enum Verb: String, CaseIterable, Sendable {
        case send, run, lines, jsonLines, chunks, events, head, blockingLines, download, downloadInto, downloadIfNewer
        case uploadFile, uploadElements

        func run(_ draft: MutableRequest, _ directory: String, _ client: any HTTPClient, on dispatcher: Dispatcher)
            async throws
        {
            switch self {
            case .send: try await client.send(draft, on: dispatcher)
            case .run:
                _ = try await dispatcher.run(timeout: draft.timeouts.total) { client.executeRequest(draft) }
            case .lines: for try await _ in client.stream(draft, as: .lines, on: dispatcher) {}
            case .jsonLines: for try await _ in client.stream(draft, as: .jsonLines(of: Int.self), on: dispatcher) {}
            case .chunks: for try await _ in client.stream(draft, as: .chunks, on: dispatcher) {}
            case .events: for try await _ in client.stream(draft, as: .serverSentEvents, on: dispatcher) {}
            case .head: _ = try await client.stream(draft, as: .lines, on: dispatcher).response()
            case .blockingLines:
                let results = await onThread { Array(client.stream(draft, as: .lines, on: dispatcher).blocking) }
                for result in results { _ = try result.get() }
            case .download: _ = try await client.download(draft, to: directory + "/file", on: dispatcher)
            case .downloadInto: _ = try await client.download(draft, to: .directory(directory), on: dispatcher)
            case .downloadIfNewer: _ = try await client.downloadIfNewer(draft, to: directory + "/new", on: dispatcher)
            case .uploadFile:
                let path = directory + "/sent"
                try Data("x".utf8).write(to: URL(filePath: path))
                try await client.upload(draft, from: path, on: dispatcher)
            case .uploadElements:
                try await client.upload(
                    draft, from: AsyncStream<Data> { $0.finish() }, on: dispatcher)
            }
        }
    }

    @Test func `a call of a suspending closure that waits for its host names the limit`() async throws {
        let (gated, dispatcher) = (GatedClient(), Dispatcher.limited(to: 2, perHost: 1))
        let passing = gated.intercepted(by: Interceptor { request, next in try await next.send(request) })
        let first = Task { try await gated.send(.get("http://h/"), on: dispatcher) }
        await gated.arrived.happened()
        let error = await #expect(throws: HTTPError.self) {
            try await passing.send(.get("http://h/") |> .timeout(.milliseconds(100)), on: dispatcher)
        }
        gated.gate.signal()
        _ = try await first.value
        guard case .timedOut(let failure)? = error else { return unexpected(error as Any) }
        #expect(failure.blockedBy?.contains("runningPerHost") == true)
    }

    @Test func `an attempt that had no turn is not counted`() async throws {
        let (gated, dispatcher) = (GatedClient(), Dispatcher.limited(to: 1))
        let first = Task { try await gated.send(.get("http://h/"), on: dispatcher) }
        await gated.arrived.happened()
        let late = await #expect(throws: HTTPError.self) {
            try await gated.send(.get("http://h/") |> .timeout(.milliseconds(100)), on: dispatcher)
        }
        let waiting = Task { try await gated.send(.get("http://h/"), on: dispatcher) }
        waiting.cancel()
        let cancelled = await #expect(throws: HTTPError.self) { try await waiting.value }
        gated.gate.signal()
        _ = try await first.value
        for error in [late, cancelled] {
            let history = try #require(error?.history)
            #expect(history.attemptCount == 0 && history.attempts.isEmpty, "\(history)")
        }
    }

    @Test(arguments: Verb.allCases)
    func `a call that waits for a slot ends at its timeout, unsent, and names the limit`(verb: Verb) async throws {
        let server = try MockServer { _ in .text("1\n") }
        let client = CurlTransport()
        let dispatcher = Dispatcher.limited(to: 1)
        let gate = Event()
        defer { gate.signal() }
        await dispatcher.occupySlot(until: gate)
        let scratch = try ScratchDirectory()
        let isUpload = verb == .uploadFile || verb == .uploadElements
        let draft = MutableRequest(isUpload ? .post : .get, server.url("/x")) |> .timeout(.milliseconds(100))
        let start = ContinuousClock.now
        let error = await #expect(throws: HTTPError.self) {
            try await verb.run(draft, scratch.path, client, on: dispatcher)
        }
        let time = start.duration(to: .now)
        guard case .timedOut(let failure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.limit == .total && failure.duration == .milliseconds(100) && failure.phase == .queued)
        #expect(failure.blockedBy?.contains("Dispatcher.Configuration.running ") == true)
        let text = "\(failure)" + "\(error.map { "\($0)" } ?? "")"
        #expect(text.contains("raise Dispatcher.Configuration.running,") && !text.contains(".timeout("))
        #expect(time >= .milliseconds(100) && time < .seconds(30))
        #expect(server.requestCount == 0)
    }

    @Test(arguments: Verb.allCases.filter { $0 != .run })
    func `what a call waited for its slot counts in its timeout`(verb: Verb) async throws {
        let server = try MockServer { _ in .text("1\n") }
        let seen = Locked<CallDeadline?>(nil)
        let client = CurlTransport().intercepted(
            by: Interceptor { request, next in
                seen.withLock { $0 = $0 ?? .current }
                return next.executeRequest(request)
            })
        let dispatcher = Dispatcher.limited(to: 1)
        let gate = Event()
        await dispatcher.occupySlot(until: gate)
        let scratch = try ScratchDirectory()
        let isUpload = verb == .uploadFile || verb == .uploadElements
        let draft = MutableRequest(isUpload ? .post : .get, server.url("/x")) |> .timeout(.seconds(600))
        async let call = Result(catchingAsync: { try await verb.run(draft, scratch.path, client, on: dispatcher) })
        #expect(await suspended { dispatcher.calls.queued == 1 })
        let opened = ContinuousClock.now
        gate.signal()
        // A stream of events of this type fails, and the others succeed.
        _ = await call
        let last = seen.withLock { $0 }
        let deadline = try #require(last)
        #expect(deadline.allowance == .seconds(600) && deadline.instant < opened + .seconds(600))
    }

    @Test func `a call that was sent late, and timed out, names the limit that it waited for`() throws {
        let request = try Request(.get("http://a.example/x") |> .timeout(.seconds(5)))
        let error = HTTPError.timedOut(
            TimeoutFailure(.total, after: .seconds(5), record: CallRecord(request, phase: .waiting)))
        #expect("\(error)".contains(".timeout(_:) on the request raises the limit"))
        let waited = error.inserting(Dispatcher.waitAtHost(.seconds(4)))
        #expect(
            "\(waited)".contains(
                "5 s, of which it waited 4 s for its turn; raise Dispatcher.Configuration.runningPerHost,"))
        #expect(
            "\(error.inserting(Dispatcher.waitInAll(.seconds(1))))".contains("raise Dispatcher.Configuration.running,"))
        // Another wait, or a short one, is not the cause.
        #expect("\(error.inserting(Dispatcher.waitAtHost(.milliseconds(20))))" == "\(error)")
        #expect("\(error.inserting(CallWait(.rateLimit, start: .zero, duration: .seconds(4))))" == "\(error)")
    }

    @Test func `a stream without a timeout waits for its slot as long as it takes`() async throws {
        let server = try MockServer { _ in .text("a\n") }
        let dispatcher = Dispatcher.limited(to: 1)
        let gate = Event()
        await dispatcher.occupySlot(until: gate)
        let client = CurlTransport()
        let first = Task {
            try await client.stream(.get(server.url) |> .connectTimeout(.seconds(2)), as: .lines, on: dispatcher)
                .reduce(into: []) { $0.append($1) }
        }
        #expect(await suspended { dispatcher.calls.queued == 1 })
        // Longer than its limit for connecting.
        try await Task.sleep(for: .milliseconds(2_100))
        gate.signal()
        #expect(try await first.value == ["a"])
    }

    @Test func `of many calls to a slow host those that had no turn name the limit of calls to one host`() async throws
    {
        let (arrived, gate) = (Event(), Event())
        let server = try MockServer { _ in
            arrived.signal()
            gate.block()
            return .text("ok")
        }
        let (client, dispatcher) = (CurlTransport(), Dispatcher())
        let first = (0..<8).map { _ in Task { try await client.send(.get(server.url("/x")), on: dispatcher) } }
        await arrived.happened(8)
        let late = await withTaskGroup(of: HTTPError?.self) { group in
            for _ in 0..<52 {
                group.addTask {
                    await client.failure(.get(server.url("/x")) |> .timeout(.milliseconds(100)), on: dispatcher)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for error in late {
            let text = "\(error as Any)"
            #expect(text.contains("runningPerHost") && !text.contains(".timeout("), "\(text)")
        }
        gate.signal()
        for call in first { #expect(try await call.value.status == .ok) }
        #expect(server.requestCount == 8)
    }
}

extension Result where Failure == any Error {
    fileprivate init(catchingAsync body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
