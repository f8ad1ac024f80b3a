import TestSupport
import HTTPEngine
import HTTPSupport
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

import HTTPAsync

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The upkeep of an agent: refused threads, bursts, slow callbacks, pauses.
@Suite(.timeLimit(.minutes(5))) struct AgentUpkeepTests {
    @Test func `when a thread is refused, each dispatcher gets its own calls back`() async throws {
        let server = try MockServer { .text($0.path) }
        let client = CurlTransport()
        let (asked, refusal, started) = (Event(), Event(), Event())
        let poor = Dispatcher.starting(.init()) { _ in
            asked.signal()
            refusal.block()
            return false
        }
        let rich = Dispatcher.starting(.init()) { body in
            started.signal()
            return Dispatcher.startThread(body)
        }
        // A worker that keeps this thread alive, so that its call has somewhere to go.
        let gate = Event()
        rich.submit({ () -> Result<Int, HTTPError> in
            gate.block()
            return .success(1)
        }) { _ in }
        await started.happened()
        let (poorTold, richTold) = (Event(), Event())
        let outcomes = Locked<[String: Result<Response, HTTPError>]>([:])
        let submitting = Dispatcher.startThread {
            client.executeRequest(.get(server.url("/poor")), callbackQueue: .immediate, on: poor) { result in
                outcomes.withLock { $0["poor"] = result }
                poorTold.signal()
            }
        }
        #expect(submitting)
        await asked.happened()
        client.executeRequest(.get(server.url("/rich")), callbackQueue: .immediate, on: rich) { result in
            outcomes.withLock { $0["rich"] = result }
            richTold.signal()
        }
        refusal.signal()
        await poorTold.happened()
        gate.signal()
        await richTold.happened()
        guard case .other(let overload as Overload)? = outcomes.withLock({ $0["poor"] })?.failure else {
            Issue.record("\(String(describing: outcomes.withLock { $0["poor"] }))")
            return
        }
        #expect(overload.reason == .noThreads)
        #expect(try outcomes.withLock { $0["rich"] }?.get().text() == "/rich")
        #expect(server.requests.map(\.target) == ["/rich"])
    }

    @Test func `after a burst only the allowed idle connections are kept, and the agent continues`() async throws {
        let (arrived, release) = (Event(), Event())
        let server = try MockServer { request in
            guard request.path == "/burst" else { return .text("ok") }
            arrived.signal()
            release.block()
            return .text("ok")
        }
        var configuration = CurlConfiguration()
        configuration.pool = PoolConfiguration(idlePerOrigin: 2, idleInAll: 100)
        let client = try CurlTransport(configuration)
        let threads = CountedThreads(running: 100, perHost: 100)
        let dispatcher = threads.dispatcher
        let calls = (0..<20).map { _ in
            Task { try await client.send(.get(server.url("/burst")), on: dispatcher).status }
        }
        await arrived.happened(20)
        #expect(server.openConnectionCount == 20)
        release.signal()
        for call in calls { #expect(try await call.value == .ok) }
        try await server.wait(for: .openConnections(atMost: 2))
        #expect(try await client.send(.get(server.url("/")), on: dispatcher).status == .ok)
        #expect(threads.started.count == 1)
    }

    @Test func `a burst whose calls end one after the other leaves the allowed idle connections to the next call`()
        async throws
    {
        let arrived = Event()
        let releases = (0..<10).map { _ in Event() }
        let server = try MockServer { request in
            guard let index = Int(request.path.dropFirst()) else { return .text("ok") }
            arrived.signal()
            releases[index].block()
            return .text("ok")
        }
        var configuration = CurlConfiguration()
        configuration.pool = PoolConfiguration(idlePerOrigin: 2, idleInAll: 100)
        let client = try CurlTransport(configuration)
        let dispatcher = CountedThreads(running: 100, perHost: 100).dispatcher
        let calls = releases.indices.map { index in
            Task { try await client.send(.get(server.url("/\(index)")), on: dispatcher).status }
        }
        await arrived.happened(10)
        for (release, call) in zip(releases, calls) {
            release.signal()
            #expect(try await call.value == .ok)
        }
        try await server.wait(for: .openConnections(atMost: 2))
        #expect(try await client.send(.get(server.url("/next")), on: dispatcher).metrics.isConnectionReused)
        #expect(server.connectionCount == 10)
    }

    @Test func `calls with and without pauses between them are each made once`() async throws {
        let server = try MockServer { .text($0.path) }
        let client = CurlTransport()
        let paths = (0..<60).map { "/\($0)" }
        for (index, path) in paths.enumerated() {
            // Sometimes the thread sleeps when a call arrives, sometimes it has just checked for one.
            if index % 7 == 0 { usleep(300) }
            #expect(try await client.send(.get(server.url(path))).text() == path)
        }
        #expect(server.requests.map(\.target) == paths)
        #expect(server.connectionCount == 1)
    }
}
