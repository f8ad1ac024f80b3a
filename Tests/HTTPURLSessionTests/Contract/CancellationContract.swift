import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

enum CancellationContract {
    /// Runs `call` under a token on another thread, cancels when `isDue` returns, and tells how it ended and how long
    /// after the cancelling.
    private static func cancel(
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
        return (try result.error(), start.duration(to: end))
    }

    static let cases: [ContractCase] = [
        ContractCase("a call that waits for a silent server ends at once, time after time") { client in
            let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
            for round in 1...50 {
                let (error, after) = try cancel(
                    { client.executeRequest(.get(server.url("/"))) },
                    when: { try server.waitForRequestCount(round) })
                guard case .cancelled(let record?) = error else { throw error }
                #expect(record.phase == .waiting)
                #expect(after < .milliseconds(500))
            }
            try server.waitForOpenConnectionCount(atMost: 0)
        },
        ContractCase("a call that is receiving a body ends at once") { client in
            let server = try MockServer { _ in MockResponse.text("0123456789").failing(.stall(.midBody(after: 4))) }
            let (error, _) = try cancel(
                { client.executeRequest(.get(server.url("/"))) }, when: { try server.waitForRequestCount(1) })
            guard case .cancelled = error else { throw error }
            try server.waitForConnectionClosed(1)
        },
        ContractCase("a call that is sending a body ends at once") { client in
            let server = try MockServer()
            server.connectionFault = .neverRead
            let (error, after) = try cancel(
                { client.executeRequest(.post(server.url("/")) |> .data(Data(count: 32 << 20))) },
                when: { try server.waitForConnectionCount(1) })
            guard case .cancelled = error else { throw error }
            #expect(after < .milliseconds(500))
        },
        ContractCase("a call that is connecting ends at once") { client in
            let port = try MockServer.unansweredPort()
            let started = DispatchSemaphore(value: 0)
            let (error, after) = try cancel(
                {
                    started.signal()
                    return client.executeRequest(.get("http://127.0.0.1:\(port)/"))
                }, when: { started.wait() })
            guard case .cancelled = error else { throw error }
            #expect(after < .milliseconds(500))
        },
        ContractCase("under a cancelled token nothing is sent") { client in
            let server = try MockServer { _ in .text("ok") }
            let token = CancellationToken()
            token.cancel()
            let error = try token.run { client.executeRequest(.get(server.url("/"))) }.error()
            guard case .cancelled = error else { throw error }
            #expect(server.connectionCount == 0)
            #expect(try client.send(.get(server.url("/"))).status == .ok)
        },
        ContractCase("cancelling between redirects ends the call") { client in
            let token = CancellationToken()
            let server = try MockServer { _ in
                token.cancel()
                return .redirect(to: "/next")
            }
            let error = try token.run { client.executeRequest(.get(server.url("/"))) }.error()
            guard case .cancelled = error else { throw error }
            #expect(server.requestCount == 1)
        },
    ]
}
