import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPAsync

/// Calls through policies, which hold no thread and no slot between their exchanges.
@Suite(.timeLimit(.minutes(5))) struct PolicyCallTests {
    private let threads = CountedThreads()
    private var dispatcher: Dispatcher { threads.dispatcher }

    /// A limit whose next turn comes in an hour.
    private func exhausted(_ client: any HTTPClient, _ url: String) async throws -> any HTTPClient {
        let limited = client.intercepted(by: .rateLimit(1, per: .seconds(3600)))
        _ = try await limited.send(.get(url), on: dispatcher)
        return limited
    }

    @Test func `many concurrent decorated calls share a thread, and each gets its own response`() async throws {
        let server = try MockServer { MockResponse.text($0.path).taking(.milliseconds(30)) }
        let lines = Event()
        let client = CurlTransport().intercepted(
            by: .activity { _ in }, .log { _ in lines.signal() }, .retry(),
            .rateLimit(100_000, per: .seconds(1), burst: 1000),
            .bearer(BearerTokens("secret") { _ in "new" }), .validate())
        try await withThrowingTaskGroup { group in
            for index in 0..<100 {
                group.addTask {
                    let response = try await client.send(.get(server.url("/\(index)")), on: dispatcher)
                    #expect(try response.text() == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
        // The agent's thread, and at most the timer thread.
        #expect(threads.started.count <= 2 && lines.count == 100)
        #expect(server.requestCount == 100)
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer secret" })
    }

    @Test func `a call that waits for its turn occupies no slot`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let single = Dispatcher.limited(to: 1)
        let limited = try await exhausted(CurlTransport(), server.url("/"))
        let told = Event()
        let waiting = limited.executeRequest(
            .get(server.url("/waits")) |> .timeout(nil), callbackQueue: .immediate, on: single
        ) { _ in told.signal() }
        #expect(try await CurlTransport().send(.get(server.url("/goes")), on: single).status == .ok)
        #expect(told.count == 0)
        waiting.cancel()
        await told.happened()
        #expect(server.requests.map(\.target) == ["/", "/goes"])
    }

    @Test func `cancelling ends a wait at once, and the error names what was waited for`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let client = try await exhausted(CurlTransport(), server.url("/"))
        let told = Event()
        let outcome = Locked<HTTPError?>(nil)
        let call = client.executeRequest(
            .get(server.url("/")) |> .timeout(nil), callbackQueue: .immediate, on: dispatcher
        ) { result in
            outcome.withLock { $0 = result.failure }
            told.signal()
        }
        call.cancel()
        await told.happened()
        guard case .cancelled(let record?) = outcome.withLock({ $0 }) else { return #expect(Bool(false)) }
        #expect(record.phase == .queued && server.requestCount == 1)
    }

    @Test func `a task that is cancelled while its call waits ends at once`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let client = try await exhausted(CurlTransport(), server.url("/"))
        let task = Task { await client.failure(.get(server.url("/")) |> .timeout(nil), on: dispatcher) }
        #expect(await suspended { dispatcher.waitingCount == 1 })
        task.cancel()
        guard case .cancelled? = await task.value else { return #expect(Bool(false)) }
        #expect(server.requestCount == 1)
    }

    @Test func `a wait ends at the deadline of the call`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let waiting = CurlTransport().intercepted(by: Interceptor(Sleeper()))
        let error = await waiting.failure(.get(server.url("/")) |> .timeout(.milliseconds(100)), on: dispatcher)
        guard case .timedOut(let failure)? = error else { return unexpected(error as Any) }
        #expect(failure.limit == .total && failure.phase == .queued && failure.duration == .milliseconds(100))
        #expect(server.requestCount == 0)
    }

    @Test func `a thousand calls without a token share one refresh and send its token`() async throws {
        let server = try MockServer(recording: .none) { request in
            request.headers["Authorization"] == "Bearer new" ? .text("ok") : MockResponse(status: 401)
        }
        let refreshes = Event()
        let gate = Event()
        let tokens = BearerTokens("old") { _ in
            refreshes.signal()
            gate.block()
            return "new"
        }
        let client = CurlTransport().intercepted(by: .bearer(tokens))
        async let statuses = withThrowingTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask { try await client.send(.get(server.url("/")), on: dispatcher).status }
            }
            return try await group.reduce(into: [HTTPStatus]()) { $0.append($1) }
        }
        await refreshes.happened()
        gate.signal()
        #expect(try await statuses.allSatisfy { $0 == .ok })
        #expect(refreshes.count == 1)
        // The agent's thread, the refresh's, and the timer thread.
        #expect(threads.started.count <= 4)
    }

    @Test func `calls run in order of arrival, whatever they wait for`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let places = Locked<[Int?]>([])
        let client = CurlTransport().intercepted(
            by: .rateLimit(2000, per: .seconds(1)),
            .observing { event in
                guard case .started(let request, _) = event else { return }
                places.withLock { $0.append(Int(request.url.path.dropFirst())) }
            })
        let done = Event()
        for index in 0..<200 {
            client.executeRequest(.get(server.url("/\(index)")), callbackQueue: .immediate, on: dispatcher) { _ in
                done.signal()
            }
        }
        await done.happened(200)
        // The first ends on this thread, where the second may overtake it.
        #expect(places.withLock { Array($0.dropFirst(2)) } == Array(2..<200))
        #expect(server.requestCount == 200)
    }

    @Test func `a closure interceptor occupies a thread while it runs, and the waits around it do not`()
        async throws
    {
        let server = try MockServer { _ in .text("ok") }
        server.enqueue(MockResponse(status: 503))
        let onWorker = Event()
        let closure = Interceptor { [dispatcher] request, next in
            if dispatcher.isOnOwnThread { onWorker.signal() }
            return next.executeRequest(request)
        }
        let client = CurlTransport().intercepted(
            by: .retry(RetryPolicy(backoff: Backoff(jitter: { 0 }))), closure, .validate { _ in true })
        #expect(try await client.send(.get(server.url("/")), on: dispatcher).metrics.attemptCount == 2)
        #expect(onWorker.count == 2 && server.requestCount == 2)
    }

    @Test func `policies see a refused exchange as an outcome`() async throws {
        let none = Dispatcher.starting(.init()) { _ in false }
        let seen = Event()
        let client = CurlTransport().intercepted(
            by: .observing { if case .finished(_, .failure(.other(is Overload)), _, _) = $0 { seen.signal() } })
        do throws(HTTPError) {
            _ = try await client.send(.get("http://127.0.0.1:9/"), on: none)
            Issue.record("it was made")
        } catch { guard case .other(is Overload) = error else { throw error } }
        #expect(seen.count == 1)
    }

    @Test func `if no timer thread can be started, a wait fails and says so`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let asked = Event()
        let poor = Dispatcher.starting(.init()) { body in
            asked.signal()
            return asked.count == 1 && Dispatcher.startThread(body)
        }
        let client = CurlTransport().intercepted(by: Interceptor(Sleeper()))
        #expect(try await CurlTransport().send(.get(server.url("/")), on: poor).status == .ok)
        do throws(HTTPError) {
            _ = try await client.send(.get(server.url("/")), on: poor)
            Issue.record("it was made")
        } catch {
            guard case .other(let overload as Overload) = error else { throw error }
            #expect(overload.reason == .noThreads && overload.record?.phase == .queued)
        }
        #expect(server.requestCount == 1)
    }
}

/// Waits for an hour.
private struct Sleeper: CallPolicy {
    func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        if case .interrupted(let error) = event { return .finish(.failure(error)) }
        return .wait(until: moment.now + .seconds(3600), because: .queued)
    }
}
