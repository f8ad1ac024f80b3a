import TestSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Synchronization
import Testing

@Suite struct CancellationTests {
    let client = CurlTransport()

    /// Runs `call` under a token on another thread, cancels when `isDue` returns, and returns its outcome and the time
    /// from the cancellation to the end.
    private func cancel(
        _ call: @escaping @Sendable () -> Result<Response, HTTPError>, when isDue: () throws -> Void
    ) throws -> (error: HTTPError, after: Duration) {
        let token = CancellationToken()
        let ending = Mutex<(Result<Response, HTTPError>, ContinuousClock.Instant)?>(nil)
        let thread = TestThread {
            let result = token.run(call)
            ending.withLock { $0 = (result, .now) }
        }
        try isDue()
        let start = ContinuousClock.now
        token.cancel()
        thread.join()
        let (result, end) = try #require(ending.withLock { $0 })
        return (try #require(result.failure), start.duration(to: end))
    }

    @Test func `a call that waits for a silent server ends at once, time after time`() throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        for round in 1...50 {
            let (error, after) = try cancel(
                { [client] in client.executeRequest(.get(server.url("/"))) },
                when: { try server.wait(for: .requests(round)) })
            guard case .cancelled(let record?) = error else { throw error }
            #expect(record.phase == .waiting)
            #expect(after < .seconds(10))
            #expect("\(error)".contains("was cancelled while waiting for 127.0.0.1:"))
        }
        try server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `a call that is receiving a body ends at once`() throws {
        let server = try MockServer { _ in MockResponse.text("0123456789").failing(.stall(.midBody(after: 4))) }
        let (error, _) = try cancel(
            { [client] in client.executeRequest(.get(server.url("/"))) },
            when: { try server.wait(for: .requests(1)) })
        guard case .cancelled = error else { throw error }
        try server.wait(for: .endOfConnection(1))
    }

    @Test func `a call whose sink is slow ends before the next write to it`() throws {
        let server = try MockServer { _ in .data(Data(count: 8 << 20)) }
        let (writes, begun) = (Occurrences(), TestSignal())
        let slow = BodyDestination.stream { _ in
            BodySink(write: { _ in
                writes.add()
                begun.signal()
                Thread.sleep(forTimeInterval: 0.01)
            })
        }
        let request = try Request(.get(server.url("/")) |> .destination(slow))
        let (error, _) = try cancel(
            { [client] in client.executeRequest(request) },
            when: { begun.wait() })
        guard case .cancelled = error else { throw error }
        // libcurl reads enough for 400 of them at once.
        #expect(writes.count < 100)
    }

    @Test func `a call that is sending a body ends at once`() throws {
        let server = try MockServer()
        server.connectionFault = .neverRead
        let (error, _) = try cancel(
            { [client] in client.executeRequest(.post(server.url("/")) |> .data(.init(count: 32 << 20))) },
            when: { try server.wait(for: .connections(1)) })
        guard case .cancelled = error else { throw error }
    }

    @Test func `a call that is connecting ends at once`() throws {
        let port = try MockServer.unansweredPort()
        let started = TestSignal()
        let (error, after) = try cancel(
            { [client] in
                started.signal()
                return client.executeRequest(.get("http://127.0.0.1:\(port)/"))
            }, when: { started.wait() })
        guard case .cancelled = error else { throw error }
        #expect(after < .seconds(5))
    }

    @Test func `under a cancelled token nothing is sent`() throws {
        let server = try MockServer { _ in .text("ok") }
        let token = CancellationToken()
        token.cancel()
        let result = token.run { client.executeRequest(.get(server.url("/"))) }
        guard case .cancelled? = result.failure else { throw try #require(result.failure) }
        #expect(server.connectionCount == 0)
    }

    @Test func `cancelling between redirects ends the call`() throws {
        let token = CancellationToken()
        let server = try MockServer { request in
            token.cancel()
            return .redirect(to: "/next")
        }
        let result = token.run { client.executeRequest(.get(server.url("/"))) }
        guard case .cancelled? = result.failure else { throw try #require(result.failure) }
        #expect(server.requestCount == 1)
    }

    @Test func `a token does not affect calls outside of it, and a cancelled call leaves the client usable`() throws {
        let server = try MockServer { _ in .text("ok") }
        let token = CancellationToken()
        token.cancel()
        _ = token.run { client.executeRequest(.get(server.url("/"))) }
        #expect(try client.send(.get(server.url("/"))).status == .ok)
    }
}
