import HTTPCaching
import HTTPAsync
import HTTPCurl
import HTTPMockServer
import HTTPObservability
import HTTPTesting
import TestSupport
import Testing

import HTTPCore

/// Awaited calls through a cache.
@Suite(.timeLimit(.minutes(5))) struct AwaitedCacheTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private func caches() -> [HTTPCache] { [.memory(megabytes: 8), .directory(scratch.file("cache"))] }

    @Test func `a response is used while it is validated in the background`() async throws {
        for cache in caches() {
            let server = try MockServer { request in
                let isFirst = request.headers["If-None-Match"] == nil
                return .text(isFirst ? "old" : "new").header("ETag", isFirst ? "\"1\"" : "\"2\"")
                    .header("Cache-Control", isFirst ? "max-age=0, stale-while-revalidate=60" : "max-age=60")
            }
            let events = Notes<CallEvent>()
            let client = CurlTransport().intercepted(by: .observing { events.note($0) }, .cache(cache))
            #expect(try await client.send(.get(server.url("/a"))).text() == "old")
            let second = try await client.send(.get(server.url("/a")))
            #expect(try second.text() == "old" && second.cacheStatus?.isHit == true)
            #expect(await suspended { cache.entries.contains { $0.freshUntil > $0.date } })
            let third = try await client.send(.get(server.url("/a")))
            #expect(try third.text() == "new" && third.cacheStatus?.isHit == true)
            #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
            // The second call was over when the background call began.
            #expect(Set(events.all.compactMap(\.attemptID?.call)) == [events.all[0].callID])
        }
    }

    @Test func `five hundred concurrent awaited calls make one request`() async throws {
        for cache in caches() {
            let server = try MockServer { _ in
                .text("a").header("Cache-Control", "max-age=60").taking(.milliseconds(200))
            }
            let client = CurlTransport().intercepted(by: .cache(cache))
            let texts = try await withThrowingTaskGroup { group in
                for _ in 0..<500 { group.addTask { try await client.send(.get(server.url("/a"))).text() } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(texts == Array(repeating: "a", count: 500) && server.requests.count == 1)
        }
    }

    @Test func `a call that is cancelled during disk access ends, and the cache continues`() async throws {
        let server = try MockServer { _ in .text("a").header("Cache-Control", "max-age=60") }
        let client = CurlTransport().intercepted(by: .cache(.directory(scratch.file("cache"))))
        for _ in 0..<50 {
            let task = Task { try await client.send(.get(server.url("/a"))) }
            task.cancel()
            _ = try? await task.value
        }
        #expect(try await client.send(.get(server.url("/a"))).text() == "a")
    }
}
