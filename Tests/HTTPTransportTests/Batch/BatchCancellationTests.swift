import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct BatchCancellationTests {
    let client: CurlTransport

    init() throws { client = try .plain() }

    private func isCancelled(_ result: Result<Response, HTTPError>?) -> Bool {
        if case .cancelled? = result?.error { true } else { false }
    }

    @Test func `the token around a batch cancels all unfinished requests`() throws {
        let server = try MockServer { request in
            request.path == "/0" ? .text("ok") : .fault(.stall(.beforeHead))
        }
        let list = try (0..<10).map { try Request(.get(server.url("/\($0)"))) }
        let token = CancellationToken()
        let cancelled = Mutex(ContinuousClock.now)
        let other = TestThread {
            do { try server.wait(for: .requests(5)) } catch { Issue.record(error) }
            cancelled.withLock { $0 = .now }
            token.cancel()
        }
        let results = token.run { client.executeRequests(list, maxConcurrent: 4) }
        let end = ContinuousClock.now
        other.join()
        #expect(results.first?.response?.status == .ok)
        #expect(results.dropFirst().allSatisfy { isCancelled($0) })
        #expect(end - cancelled.withLock { $0 } < .seconds(10))
        // Four were running, and the ones after them were never sent.
        #expect(server.requestCount == 5)
        try server.wait(for: .openConnections(atMost: 1))
    }

    @Test func `the receiver of a result may cancel the rest, running or not yet sent`() throws {
        let server = try MockServer { $0.path == "/0" ? .fault(.stall(.beforeHead)) : .text($0.path) }
        let token = CancellationToken()
        let list = try (0..<20).map { try Request(.get(server.url("/\($0)"))) }
        var ends: [Bool] = []
        token.run {
            client.executeRequests(list, maxConcurrent: 2) { index, result in
                ends.append(isCancelled(result))
                if index == 3 { token.cancel() }
            }
        }
        #expect(ends == [false, false, false] + Array(repeating: true, count: 17))
        #expect(Set(server.requests.map(\.target)).isSubset(of: ["/0", "/1", "/2", "/3"]))
    }

    @Test func `cancelling during a redirect or a body ends it, too`() throws {
        let server = try MockServer { request in
            switch request.path {
            case "/hop": .redirect(to: "/stall")
            case "/stall": .fault(.stall(.beforeHead))
            default: MockResponse.text("a text").failing(.stall(.midBody(after: 3)))
            }
        }
        let token = CancellationToken()
        let other = TestThread {
            do { try server.wait(for: .requests(3)) } catch { Issue.record(error) }
            token.cancel()
        }
        let results = token.run { client.executeRequests([.get(server.url("/hop")), .get(server.url("/body"))]) }
        other.join()
        #expect(results.allSatisfy { isCancelled($0) })
        guard case .cancelled(let record)? = results[0].error else { return unexpected(results[0]) }
        #expect(record?.redirects.map(\.url.target) == ["/hop"])
    }
}
