import Foundation
import HTTPCaching
import HTTPCurl
import HTTPMockServer
import HTTPObservability
import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

import HTTPCore
@testable import HTTPAsync

/// Awaited calls through a cache.
@Suite(.timeLimit(.minutes(5))) struct AwaitedCacheTests {
    private let scratch: ScratchDirectory

    init() throws { scratch = try ScratchDirectory() }

    private func caches() -> [HTTPCache] { [.memory(megabytes: 8), .directory(scratch.file("cache"))] }

    @Test func `no stored response takes the place of one whose head was returned`() async throws {
        let server = try MockServer()
        let fields: HTTPHeaders = ["Cache-Control": "max-age=0, stale-if-error=60"]
        func answer(_ text: String) -> MockResponse {
            fields.reduce(.text(text).header("ETag", "\"\(text)\"")) { $0.header($1.name, $1.value) }
        }
        server.enqueue(answer("one"), answer("two").failing(.close(.midBody(after: 0))))
        let lines = CurlTransport().intercepted(by: .cache(.memory(megabytes: 8))).stream(.get(server.url), as: .lines)
        #expect(try await lines.reduce(into: []) { $0.append($1) } == ["one"])
        let response = try await lines.response()
        #expect(response.headers["ETag"] == "\"two\"")
        await #expect(throws: HTTPError.self) {
            for try await line in response { Issue.record("\(line) of another response") }
        }
        #expect(server.requestCount == 2)
    }

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

    @Test func `a download is validated in the background without its file, and what is new is stored`() async throws {
        for cache in caches() {
            let server = try MockServer { request in
                let isFirst = request.headers["If-None-Match"] == nil
                return .text(isFirst ? "old" : "new").header("ETag", isFirst ? "\"1\"" : "\"2\"")
                    .header("Cache-Control", isFirst ? "max-age=0, stale-while-revalidate=60" : "max-age=60")
            }
            let client = CurlTransport().intercepted(by: .cache(cache))
            let path = scratch.file("copy")
            let draft = MutableRequest.get(server.url("/a")) |> .destination(.file(path))
            for _ in 0..<2 {
                #expect(try await client.send(draft).status == .ok)
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
            }
            #expect(await suspended { cache.entries.contains { $0.freshUntil > $0.date } })
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
            #expect(try await client.send(draft).cacheStatus?.isHit == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
            #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
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

    @Test func `hits of large files that wait for the disk take no descriptors`() async {
        await #expect(processExitsWith: .success) {
            do { try await hitLargeFile() } catch { Issue.record("\(error)") }
        }
    }

    @Test func `cached streams that are read slowly hold up no other call of their dispatcher`() async throws {
        let body = String(repeating: "line\n", count: 1_000)
        let server = try MockServer { _ in .text(body).header("Cache-Control", "max-age=60") }
        let client = CurlTransport().intercepted(by: .cache(.memory(megabytes: 8)))
        let request = try Request(.get(server.url("/a")))
        _ = try await client.send(request)
        let dispatcher = Dispatcher()
        var streams: [ResponseElements<String>.AsyncIterator] = []
        // More than there are threads for work on a disk.
        for _ in 0..<10 {
            var lines = client.stream(request, as: .lines, on: dispatcher).makeAsyncIterator()
            #expect(try await lines.next() == "line")
            streams.append(lines)
        }
        let path = scratch.file("copy")
        try await client.download(request, to: path, on: dispatcher)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == body && server.requestCount == 1)
        for place in streams.indices { #expect(try await streams[place].next() == "line") }
    }

    @Test func `a cached response is not delivered any more when the time of its call is up`() async throws {
        let server = try MockServer { _ in .text("a").header("Cache-Control", "max-age=60") }
        let client = CurlTransport().intercepted(by: .cache(.memory(megabytes: 8)))
        _ = try await client.send(.get(server.url("/a")))
        let (late, ends) = (Signal(), Notes<String>())
        let destination = BodyDestination.stream { _ in
            BodySink(
                write: { _ in _ = late.wait() }, finish: { ends.note("finished") }, abandon: { ends.note("abandoned") })
        }
        let draft = MutableRequest.get(server.url("/a")) |> .destination(destination) |> .timeout(.seconds(2))
        let error = await #expect(throws: HTTPError.self) { try await client.send(draft) }
        guard case .timedOut? = error else { return #expect(Bool(false)) }
        late.fire()
        #expect(await suspended { !ends.all.isEmpty })
        #expect(ends.all == ["abandoned"] && server.requestCount == 1)
    }

    @Test func `a call that is cancelled during disk access ends, and the cache continues`() async throws {
        let server = try MockServer { _ in .text("a").header("Cache-Control", "max-age=60") }
        let client = CurlTransport().intercepted(by: .cache(.directory(scratch.file("cache"))))
        _ = try await client.send(.get(server.url("/a")))
        let (token, ended) = (CancellationToken(), Event())
        let destination = BodyDestination.stream { _ in
            BodySink(write: { _ in token.cancel() }, abandon: { ended.signal() })
        }
        let error = await CancellationToken.$current.withValue(token) {
            await client.failure(.get(server.url("/a")) |> .destination(destination))
        }
        guard case .cancelled? = error else { return unexpected(error as Any) }
        await ended.happened()
        let last = try await client.send(.get(server.url("/a")))
        #expect(try last.text() == "a" && last.cacheStatus?.isHit == true && server.requestCount == 1)
    }
}

/// In a process of its own, which has few descriptors.
private func hitLargeFile() async throws {
    let (scratch, count) = (try ScratchDirectory(), 500)
    let server = ScriptedClient { request in
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
        return .success(Response(request: request, status: .ok, headers: headers, body: Data(count: 100_000)))
    }
    let client = server.intercepted(by: .cache(.directory(scratch.file("cache"))))
    let request = try Request(.get("http://h/a"))
    _ = try await client.send(request)
    var limit = rlimit()
    getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = 128
    setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
    // All look-ups come before the first delivery.
    let (dispatcher, busy, all, ended) = (Dispatcher(), Event(), Event(), Event())
    for _ in 0..<CallbackExecutor.diskThreads {
        dispatcher.runOnDisk {
            busy.signal()
            all.block()
        }
    }
    await busy.happened(CallbackExecutor.diskThreads)
    let hits = Tally()
    for _ in 0..<count {
        let call = dispatcher.call(
            client, request,
            to: .report { result in
                if (try? result.get())?.body.count == 100_000 { hits.add() }
                ended.signal()
            })
        dispatcher.start(call, priority: .normal, token: nil)
    }
    all.signal()
    await ended.happened(count)
    #expect(hits.count == count && server.requests.count == 1)
}
