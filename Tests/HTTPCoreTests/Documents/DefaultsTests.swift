import Foundation
@testable import HTTPAsync
@testable import HTTPCaching
import HTTPCore
import HTTPEngine
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import HTTPTransfers
import TestSupport
import Testing

/// The numbers of the page `Defaults`, where no test of a module has them.
@Suite struct DefaultsTests {
    @Test func `a request`() throws {
        let request = try Request(.get("https://h/"))
        #expect(request.limits.expansion == nil && request.continueWait == nil)
        #expect(try Request(.post("https://h/") |> .expectContinue()).continueWait == .seconds(1))
    }

    @Test func `the connections of a client`() {
        #expect(
            PoolConfiguration()
                == PoolConfiguration(idlePerOrigin: 64, idleInAll: 100, idleTime: .seconds(60), lifetime: nil))
    }

    @Test func `what is put around a client`() throws {
        let backoff = Backoff(jitter: { 1 })
        #expect((0..<8).map { backoff.delay(after: $0) / .seconds(1) } == [0.5, 1, 2, 4, 8, 16, 20, 20])
        #expect(BearerTokens.RefreshWindow() == BearerTokens.RefreshWindow(limit: 5, interval: .seconds(30)))
        let scratch = try ScratchDirectory()
        let store = HTTPCache.directory(scratch.file("cache")).store as? DiskCacheStore
        #expect(store?.capacity == 256 << 20)
    }

    @Test func `a batch makes 64 requests at a time`() throws {
        let client = BatchSize()
        let requests = try (0..<100).map { try Request(.get("https://h/\($0)")) }
        _ = client.executeRequests(requests)
        client.executeRequests(requests) { _, _ in }
        #expect(client.sizes.all == [64, 64])
    }

    @Test func `streams`() throws {
        #expect(
            EventStreamOptions()
                == EventStreamOptions(
                    connectionLimit: nil, failureLimit: 5, limit: 1 << 20, minimumDelay: .milliseconds(500),
                    accepting: ["text/event-stream"]))
        #expect(StreamFormat.lines.buffering == 64 && StreamFormat.serverSentEvents.buffering == 64)
        #expect(StreamFormat.jsonLines(of: Int.self).buffering == 64 && StreamFormat.chunks.buffering == 8)
    }

    @Test(arguments: [(1 << 20, true), ((1 << 20) + 1, false)])
    func `a line has 1 MiB at most`(length: Int, fits: Bool) throws {
        let stub = StubClient().on("**", answer: .text(String(repeating: "1", count: length)))
        let lines = Tally()
        let result = Result(try stub.stream(.get("https://h/"), as: .lines) { _ in lines.add() })
        if fits { return #expect(lines.count == 1 && result.failure == nil) }
        guard case .failure(.body(let failure)) = result else { return unexpected(result) }
        #expect("\(failure)".contains("the limit of 1048576 bytes") && lines.count == 0)
    }

    @Test func `a list has 1,000 pages at most`() throws {
        let stub = StubClient().on("**", answer: .json(text: "[1]"))
        let pages = stub.pages(of: .get("https://h/"), as: [Int].self, next: .number("page") { _ in false })
        let results = Array(pages.blocking)
        #expect(results.count == 1_001 && stub.requestCount == 1_000)
        guard case .failure(.invalidRequest)? = results.last else { return unexpected(results.last as Any) }
    }

    @Test func `dispatchers and downloads`() {
        #expect(
            Dispatcher.Configuration()
                == Dispatcher.Configuration(
                    running: 64, runningPerHost: 8, queued: 10_000, idleTime: .seconds(10), stackBytes: 1 << 20))
        #expect(Dispatcher.shared.configuration == Dispatcher.Configuration())
        #expect(
            Dispatcher.streams.configuration == Dispatcher.Configuration(running: 1_000, runningPerHost: 1_000))
        #expect(StubClient().downloads(of: []).maxConcurrent == 4)
    }
}

/// A client that notes how many requests of a batch it may make at once.
private struct BatchSize: BatchingClient {
    let sizes = Notes<Int>()

    func execute(_ batch: RequestBatch) { sizes.note(batch.mostActive) }

    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { .failure(.cancelled(nil)) }
}
