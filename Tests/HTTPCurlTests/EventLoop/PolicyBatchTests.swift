import HTTPObservability
import HTTPPolicies
import HTTPSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Batches through policies, made concurrently on one thread as without policies.
@Suite(.timeLimit(.minutes(5))) struct PolicyBatchTests {
    /// Records the threads on which `client` makes its calls.
    private func threads(_ notes: Locked<Set<String>>) -> Interceptor {
        .observing { _ in notes.withLock { _ = $0.insert("\(Thread.current)") } }
    }

    private func gets(_ server: MockServer, _ count: Int) throws -> [Request] {
        try (0..<count).map { try Request(.get(server.url("/\($0)")) |> .timeout(.seconds(30))) }
    }

    @Test func `all calls run at once on the caller's thread, and each gets its own response`() throws {
        // No call is answered before all have arrived.
        let arrived = DispatchGroup()
        for _ in 0..<32 { arrived.enter() }
        let server = try MockServer { request in
            arrived.leave()
            arrived.wait()
            return .text(request.path)
        }
        let seen = Locked<Set<String>>([])
        let client = CurlTransport().intercepted(by: .retry(), threads(seen), .validate())
        let results = client.executeRequests(try gets(server, 32))
        #expect(try results.map { try $0.get().text() } == (0..<32).map { "/\($0)" })
        #expect(seen.withLock { $0 } == ["\(Thread.current)"])
        #expect(server.requestCount == 32)
    }

    @Test func `behind a detached client all calls run at once, too`() throws {
        let arrived = DispatchGroup()
        for _ in 0..<4 { arrived.enter() }
        let server = try MockServer { request in
            arrived.leave()
            arrived.wait()
            return .text(request.path)
        }
        let results = CurlTransport().detached.intercepted(by: .retry()).executeRequests(try gets(server, 4))
        #expect(try results.map { try $0.get().text() } == (0..<4).map { "/\($0)" })
    }

    @Test func `a rate limit gets only as many as may run, so that no late turn is refused`()
        throws
    {
        let server = try MockServer { .text($0.path) }
        // All together take half a second more than each may.
        let client = CurlTransport().intercepted(by: .rateLimit(40, per: .seconds(1), burst: 1))
        let requests = try (0..<100).map { try Request(.get(server.url("/\($0)")) |> .timeout(.seconds(2))) }
        let results = client.executeRequests(requests, maxConcurrent: 4)
        #expect(results.filter { (try? $0.get().status) == .ok }.count == 100)
        #expect(server.requestCount == 100)
    }

    @Test func `no more are sent at once than allowed, even behind a rate limit`() throws {
        let server = try MockServer { .text($0.path) }
        let client = CurlTransport().intercepted(by: .rateLimit(500, per: .seconds(1)))
        let start = ContinuousClock.now
        let results = client.executeRequests(try gets(server, 50), maxConcurrent: 1)
        #expect(try results.map { try $0.get().text() } == (0..<50).map { "/\($0)" })
        #expect(ContinuousClock.now - start >= .milliseconds(98))
        #expect(server.requests.map(\.path) == (0..<50).map { "/\($0)" })
        #expect(server.connectionCount == 1)
    }

    @Test func `refused requests wait and are sent again, while the others continue`() throws {
        let server = try MockServer { .text($0.path) }
        server.enqueue(.status(503), .status(503))
        // Half a second, in which a busy machine makes the other eight.
        let client = CurlTransport().intercepted(by: .retry(RetryPolicy(backoff: Backoff(jitter: { 1 }))))
        var order: [Int] = []
        client.executeRequests(try gets(server, 10), maxConcurrent: 1) { index, result in
            #expect((try? result.get().status) == .ok)
            #expect((try? result.get().metrics.attemptCount) == (index < 2 ? 2 : 1))
            order.append(index)
        }
        #expect(order.suffix(2).sorted() == [0, 1] && order.count == 10)
        #expect(server.requestCount == 12)
    }

    @Test func `one refresh serves all, on the caller's thread`() throws {
        let server = try MockServer { request in
            request.headers["Authorization"] == "Bearer new" ? .text("ok") : .status(.unauthorized)
        }
        let refreshes = Locked<[String]>([])
        let tokens = BearerTokens("old") { _ in
            refreshes.withLock { $0.append("\(Thread.current)") }
            return "new"
        }
        let results = CurlTransport().intercepted(by: .bearer(tokens)).executeRequests(try gets(server, 20))
        #expect(try results.allSatisfy { try $0.get().status == .ok })
        #expect(refreshes.withLock { $0 } == ["\(Thread.current)"])
    }

    @Test func `each request has a step of its own`() throws {
        let server = try MockServer { .text($0.path) }
        let count = Locked(0)
        let client = CurlTransport()
            .intercepted(
                by: .applying {
                    .header(
                        "N",
                        count.withLock { count in
                            count += 1
                            return "\(count)"
                        })
                })
        let results = client.executeRequests(try gets(server, 3))
        #expect(try results.map { try $0.get().status } == [.ok, .ok, .ok])
        #expect(server.requests.compactMap { $0.headers["N"] }.sorted() == ["1", "2", "3"])
    }

    @Test func `a failed refresh serves all that were refused at once, too`() throws {
        // No call is answered before all have arrived.
        let arrived = DispatchGroup()
        for _ in 0..<20 { arrived.enter() }
        let server = try MockServer { _ in
            arrived.leave()
            arrived.wait()
            return .status(.unauthorized)
        }
        let refreshes = Locked(0)
        let tokens = BearerTokens("old") { _ in
            refreshes.withLock { $0 += 1 }
            throw LoggedOut()
        }
        let results = CurlTransport().intercepted(by: .bearer(tokens)).executeRequests(try gets(server, 20))
        for result in results {
            guard case .failure(.interceptor(let failure)) = result, failure.underlying is LoggedOut else {
                Issue.record("\(result)")
                continue
            }
            #expect(failure.source == .tokenRefresh)
        }
        #expect(refreshes.withLock { $0 } == 1)
        #expect(server.requests.map { $0.headers["Authorization"] } == Array(repeating: "Bearer old", count: 20))
    }

    @Test func `a call within a result has its turn at a limit where requests of the batch stand before it`() throws {
        let server = try MockServer { .text($0.path) }
        let client = CurlTransport().intercepted(by: .rateLimit(1, per: .milliseconds(100)))
        var inner: Result<Response, HTTPError>?
        let results = Locked([Int: String]())
        let start = ContinuousClock.now
        client.executeRequests(try gets(server, 2)) { index, result in
            results.withLock { $0[index] = try? result.get().text() }
            guard index == 0 else { return }
            inner = client.executeRequest(.get(server.url("/inner")) |> .timeout(.seconds(10)))
        }
        #expect(try inner?.get().text() == "/inner")
        #expect(results.withLock { $0 } == [0: "/0", 1: "/1"])
        #expect(server.requests.map(\.path) == ["/0", "/inner", "/1"])
        // The limit holds: there are two turns behind the first.
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test func `a refresh has its turn at the limit of the batch, too`() throws {
        let server = try MockServer { request in
            request.path == "/token" || request.headers["Authorization"] == "Bearer new"
                ? .text("new") : .status(.unauthorized)
        }
        let limited = CurlTransport().intercepted(by: .rateLimit(1, per: .milliseconds(100)))
        let tokens = BearerTokens("old") { _ in
            try limited.executeRequest(.get(server.url("/token")) |> .timeout(.seconds(10))).get().text()
        }
        let results = limited.intercepted(by: .bearer(tokens)).executeRequests(try gets(server, 2))
        #expect(try results.map { try $0.get().status } == [.ok, .ok])
        #expect(server.requests.count { $0.path == "/token" } == 1)
    }

    @Test func `cancelling ends waiting requests at once`() throws {
        let server = try MockServer { .text($0.path) }
        let client = CurlTransport().intercepted(by: .rateLimit(1, per: .seconds(3600)))
        let token = CancellationToken()
        let requests = try (0..<3).map { try Request(.get(server.url("/\($0)")) |> .timeout(nil)) }
        var outcomes: [Int: Result<Response, HTTPError>] = [:]
        token.run {
            client.executeRequests(requests) { index, result in
                outcomes[index] = result
                if index == 0 { token.cancel() }
            }
        }
        #expect(try outcomes[0]?.get().text() == "/0")
        for index in 1...2 {
            guard case .failure(.cancelled(let record?))? = outcomes[index] else {
                Issue.record("\(String(describing: outcomes[index]))")
                continue
            }
            #expect(record.phase == .queued)
            #expect(record.metrics.attemptCount == 0)
        }
        #expect(server.requestCount == 1)
    }

    @Test func `another thread that cancels the batch ends its waits`() throws {
        let server = try MockServer { .text($0.path) }
        let token = CancellationToken()
        let isFirstDone = DispatchSemaphore(value: 0)
        let client = CurlTransport().intercepted(by: .rateLimit(1, per: .seconds(3600)))
        let requests = try (0..<2).map { try Request(.get(server.url("/\($0)")) |> .timeout(nil)) }
        let canceller = Thread {
            isFirstDone.wait()
            token.cancel()
        }
        canceller.start()
        var failures = 0
        token.run {
            client.executeRequests(requests) { index, result in
                if index == 0 { isFirstDone.signal() }
                if case .failure(.cancelled) = result { failures += 1 }
            }
        }
        #expect(failures == 1 && server.requestCount == 1)
    }

    @Test func `a wait that would outlast the batch is not started`() throws {
        let server = try MockServer { .text($0.path) }
        let backoff = Backoff(base: .seconds(5), jitter: { 1 })
        let limited = CurlTransport().intercepted(by: .retry(RetryPolicy(limit: 50, backoff: backoff)))
        server.enqueue(.status(503), .status(503), .status(503), .status(503))
        let requests = try ["/a", "/b"].map { try Request(.get(server.url($0))) }
        let answers = CallDeadline(.seconds(3)).run { limited.executeRequests(requests) }
        #expect(try answers.map { try $0.get().status } == [503, 503])
        #expect(server.requestCount == 2)
    }

    @Test func `a batch within the result of another runs at once`() throws {
        let server = try MockServer { .text($0.path) }
        let client = CurlTransport().intercepted(by: .retry())
        var inner: [String?] = []
        client.executeRequests(try gets(server, 2)) { index, _ in
            guard index == 0, let requests = try? gets(server, 2) else { return }
            inner = client.executeRequests(requests).map { try? $0.get().text() }
        }
        #expect(inner == ["/0", "/1"] && server.requestCount == 4)
    }
}

private struct LoggedOut: Error {}
