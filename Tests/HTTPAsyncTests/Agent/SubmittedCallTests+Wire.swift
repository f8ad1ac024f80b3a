import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

import HTTPAsync
import HTTPFoundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Calls over a plain transport, which are all made on one thread.
@Suite(.timeLimit(.minutes(5))) struct SubmittedCallTests {
    let client = CurlTransport()

    @Test func `many concurrent calls share one thread, and each gets its own response`() async throws {
        let server = try MockServer { MockResponse.text($0.path).taking(.milliseconds(30)) }
        let counted = CountedThreads()
        try await withThrowingTaskGroup { group in
            for index in 0..<100 {
                group.addTask {
                    let url = server.url("/\(index)")
                    let response = try await client.send(.get(url), on: counted.dispatcher)
                    #expect(try response.text() == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
        #expect(counted.started.count == 1)
        #expect(server.requestCount == 100)
        #expect(server.connectionCount > 1)
    }

    @Test func `a blocking callback delays neither other calls nor their callbacks`() async throws {
        let server = try MockServer { .text($0.path) }
        let counted = CountedThreads()
        let (gate, told) = (Event(), Event())
        for index in 0..<5 {
            client.executeRequest(
                .get(server.url("/\(index)")), callbackQueue: .immediate, on: counted.dispatcher
            ) { _ in
                told.signal()
                if index < 4 { gate.block() }
            }
        }
        await told.happened(5)
        #expect(try await client.send(.get(server.url("/5")), on: counted.dispatcher).status == .ok)
        gate.signal()
    }

    @Test func `a callback may wait for a call that it makes`() async throws {
        let server = try MockServer { .text($0.path) }
        let counted = CountedThreads(running: 1)
        let done = Event()
        client.executeRequest(.get(server.url("/a")), callbackQueue: .immediate, on: counted.dispatcher) { _ in
            let inner = Event()
            client.executeRequest(.get(server.url("/b")), callbackQueue: .immediate, on: counted.dispatcher) { _ in
                inner.signal()
            }
            inner.block()
            done.signal()
        }
        await done.happened()
        #expect(server.requests.map(\.target) == ["/a", "/b"])
    }

    @Test func `the total limit and that per host hold, and the first waiting call is next`() async throws {
        for (running, perHost) in [(3, 100), (100, 2)] {
            let inside = Locked((now: 0, most: 0))
            let (arrival, gate) = (Event(), Event())
            // Each connection has its own thread.
            let server = try MockServer { request in
                guard request.path != "/probe" else { return .text("ok") }
                inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                arrival.signal()
                gate.block()
                inside.withLock { $0.now -= 1 }
                return .text("ok")
            }
            let counted = CountedThreads(running: running, perHost: perHost)
            let done = Event()
            // Without limits: with many tests this one may be scheduled late.
            let draft = MutableRequest.get(server.url("/")) |> .timeout(nil) |> .idleTimeout(nil)
            for _ in 0..<20 {
                client.executeRequest(draft, callbackQueue: .immediate, on: counted.dispatcher) {
                    #expect($0.failure == nil)
                    done.signal()
                }
            }
            await arrival.happened(min(running, perHost))
            // A surplus call would have been sent before this.
            _ = try await client.send(.get(server.url("/probe")))
            gate.signal()
            await done.happened(20)
            #expect(inside.withLock { $0.most } == min(running, perHost))
        }
    }

    @Test func `a surplus call is refused, and a cancelled queued call is never sent`() async throws {
        let arrived = Event()
        let server = try MockServer { request in
            arrived.signal()
            return request.path == "/0" ? .fault(.stall(.beforeHead)) : .text("ok")
        }
        let counted = CountedThreads(running: 1, queued: 2)
        let outcomes = Locked<[String: Result<Response, HTTPError>]>([:])
        let told = Event()
        let calls = (0..<4).map { index in
            // If other tests keep all threads busy, this one continues afterwards.
            client.executeRequest(
                .get(server.url("/\(index)")) |> .idleTimeout(.seconds(900)) |> .timeout(.seconds(900)),
                callbackQueue: .immediate, on: counted.dispatcher
            ) { result in
                outcomes.withLock { $0["\(index)"] = result }
                told.signal()
            }
        }
        guard case .other(is Overload)? = outcomes.withLock({ $0["3"] })?.failure else {
            Issue.record("\(String(describing: outcomes.withLock { $0["3"] }))")
            return
        }
        await arrived.happened()
        calls[1].cancel()
        guard case .cancelled(let record)? = outcomes.withLock({ $0["1"] })?.failure else {
            Issue.record("it was not told at once")
            return
        }
        #expect(record?.phase == .queued)
        calls[0].cancel()
        await told.happened(4)
        #expect(outcomes.withLock { $0["2"] }?.failure == nil)
        #expect(server.requests.map(\.target) == ["/0", "/2"])
    }

    @Test func `cancelling a running call ends it, and the other one continues`() async throws {
        let (release, arrived) = (Event(), Event())
        let server = try MockServer { request in
            arrived.signal()
            guard request.path == "/stays" else { return .fault(.stall(.beforeHead)) }
            release.block()
            return .text("ok")
        }
        let other = Task { try await client.send(.get(server.url("/stays"))) }
        let task = Task { try await client.send(.get(server.url("/goes"))) }
        await arrived.happened(2)
        let start = ContinuousClock.now
        task.cancel()
        do {
            _ = try await task.value
            Issue.record("it was answered")
        } catch HTTPError.cancelled {}
        // Without cancellation it would be silent for 30 s.
        #expect(ContinuousClock.now - start < .seconds(10))
        release.signal()
        #expect(try await other.value.status == .ok)
    }

    @Test func `time in the queue counts, as does an ambient deadline`() async throws {
        let arrived = Event()
        let server = try MockServer { _ in
            arrived.signal()
            return .fault(.stall(.beforeHead))
        }
        let counted = CountedThreads(running: 1)
        let first = Task { await client.failure(.get(server.url("/0")), on: counted.dispatcher) }
        await arrived.happened()
        let second = await client.failure(.get(server.url("/1")) |> .timeout(.milliseconds(50)), on: counted.dispatcher)
        guard case .timedOut(let queued)? = second else { throw try #require(second) }
        #expect(queued.record?.phase == .queued && queued.duration == .milliseconds(50))
        let ambient = await CallDeadline.$current.withValue(CallDeadline(.milliseconds(70))) {
            await client.failure(.get(server.url("/2")), on: counted.dispatcher)
        }
        guard case .timedOut(let bound)? = ambient else { throw try #require(ambient) }
        #expect(bound.limit == .total && bound.duration == .milliseconds(70))
        first.cancel()
        guard case .cancelled? = await first.value else { throw try #require(await first.value) }
        let third = await client.failure(.get(server.url("/3")) |> .timeout(.milliseconds(800)), on: counted.dispatcher)
        guard case .timedOut(let running)? = third else { throw try #require(third) }
        #expect(running.limit == .total && running.duration == .milliseconds(800))
        #expect(server.requests.allSatisfy { ["/0", "/3"].contains($0.target) })
    }

    @Test func `the caller's code runs on a worker's thread: decorated clients, sinks, sources`() async throws {
        let server = try MockServer { .data($0.body) }
        let counted = CountedThreads()
        let onWorker = Event()
        @Sendable func note() { if counted.dispatcher.isOnOwnThread { onWorker.signal() } }
        let decorated = client.intercepted(
            by: Interceptor { request, next in
                note()
                return next.executeRequest(request)
            })
        _ = try await decorated.send(.get(server.url("/")), on: counted.dispatcher)
        let sink = BodyDestination.stream { _ in BodySink { _ in note() } }
        let upload = MutableRequest.post(server.url("/")) |> .text("a") |> .destination(sink)
        _ = try await client.send(upload, on: counted.dispatcher)
        let source =
            MutableRequest.post(server.url("/"))
            |> .stream {
                note()
                return .data(Data([1]))
            }
        _ = try await client.send(source, on: counted.dispatcher)
        #expect(onWorker.count == 3)
        #expect(server.requestCount == 3)
    }

    @Test func `redirects and the second try work as usual`() async throws {
        let server = try MockServer { $0.path == "/from" ? .redirect(to: "/to") : .text($0.path) }
        #expect(try await client.send(.get(server.url("/from"))).text() == "/to")
        server.enqueue(.fault(.close(.beforeHead)))
        let response = try await client.send(.get(server.url("/again")))
        #expect(response.metrics.attemptCount == 2)
        server.enqueue(.fault(.close(.beforeHead)))
        guard case .connection? = await client.failure(.post(server.url("/pay")) |> .text("1")) else {
            Issue.record("it was sent again")
            return
        }
        #expect(server.requests.map(\.target) == ["/from", "/to", "/again", "/again", "/pay"])
    }

    @Test func `the thread ends when idle, and is started again when needed`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let counted = CountedThreads(idle: .milliseconds(20))
        for round in 1...3 {
            _ = try await client.send(.get(server.url("/")), on: counted.dispatcher)
            await counted.ended.happened(round)
        }
        #expect(server.connectionCount == 1)
    }

    @Test func `releasing the transport ends the thread and closes the connections`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let counted = CountedThreads(idle: .seconds(3600))
        do {
            let client = CurlTransport()
            _ = try await client.send(.get(server.url("/")), on: counted.dispatcher)
            #expect(server.openConnectionCount == 1)
        }
        await counted.ended.happened(1)
        try await server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `without any thread a call fails and says so; with a worker it is made there`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let none = Dispatcher.starting(.init()) { _ in false }
        guard case .other(let overload as Overload)? = await client.failure(.get(server.url("/")), on: none) else {
            Issue.record("it was made")
            return
        }
        #expect(overload.reason == .noThreads)
        let asked = Event()
        let one = Dispatcher.starting(.init(running: 4, runningPerHost: 4)) { body in
            asked.signal()
            return asked.count == 1 && Dispatcher.startThread(body)
        }
        let gate = Event()
        one.submit({ () -> Result<Int, HTTPError> in
            gate.block()
            return .success(1)
        }) { _ in }
        async let answer = client.send(.get(server.url("/")), on: one)
        await asked.happened(2)
        gate.signal()
        #expect(try await answer.status == .ok)
    }

    /// Each call that comes back from the agent lets the next one try.
    @Test func `a thousand calls that come back for lack of a thread need no more stack than one`() async throws {
        let server = try MockServer(recording: .none) { _ in .text("ok") }
        let (asked, gate, told, answered) = (Event(), Event(), Event(), Event())
        let one = Dispatcher.starting(.init(running: 1, runningPerHost: 1)) { body in
            asked.signal()
            return asked.count == 1 && Dispatcher.startThread(body)
        }
        one.submit({ () -> Result<Int, HTTPError> in
            gate.block()
            return .success(1)
        }) { _ in }
        for _ in 0..<1_000 {
            client.executeRequest(.get(server.url("/")), callbackQueue: .immediate, on: one) { result in
                if case .success = result { answered.signal() }
                told.signal()
            }
        }
        gate.signal()
        await told.happened(1_000)
        #expect(answered.count == 1_000)
    }

    @Test(arguments: [true, false]) func `calls and cancellations from many threads each end once`(
        isDecorated: Bool
    ) async throws {
        let server = try MockServer(recording: .none) { _ in .text("ok") }
        let client: any HTTPClient =
            isDecorated
            ? client.intercepted(by: .retry(), .rateLimit(5000, per: .seconds(1), burst: 10), .log { _ in })
            : client
        let dispatcher = Dispatcher.limited(to: 50, perHost: 20)
        let told = Event()
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask {
                    for index in 0..<250 {
                        let call = client.executeRequest(
                            .get(server.url("/")), callbackQueue: .immediate, on: dispatcher
                        ) { _ in told.signal() }
                        if (index + thread).isMultiple(of: 3) { call.cancel() }
                    }
                }
            }
        }
        await told.happened(1000)
        #expect(try await client.send(.get(server.url("/")), on: dispatcher).status == .ok)
        #expect(told.count == 1000)
    }

    @Test(arguments: [1, 2, 3]) func `tasks that make successive calls, with and without pauses, all end`(
        tasks: Int
    ) async throws {
        let server = try MockServer(recording: .none) { .text($0.path) }
        let counted = CountedThreads()
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks {
                group.addTask {
                    for index in 0..<400 {
                        // Sometimes the thread sleeps when a call arrives, sometimes it has just checked for one.
                        if index % 50 > 40 { usleep(UInt32(index % 7) * 50) }
                        let path = "/\(task)/\(index)"
                        let call = Task { [client] () async throws -> String? in
                            try await client.send(.get(server.url(path)), on: counted.dispatcher).text()
                        }
                        if index % 50 == 30 {
                            usleep(UInt32(index % 9) * 20)
                            call.cancel()
                            _ = await call.result
                        } else {
                            let text = try await call.value
                            #expect(text == path)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        // The second watches the clock for cancelled calls.
        #expect(counted.started.count <= 2)
        #expect(server.requestCount <= tasks * 400 && server.requestCount >= tasks * 392)
    }
}
