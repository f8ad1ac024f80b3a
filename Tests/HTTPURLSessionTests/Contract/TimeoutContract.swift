import Foundation
import HTTPCore
import HTTPTesting
import Testing

enum TimeoutContract {
    /// Runs `call`, which must time out, and tells what ran out and after how long.
    private static func timeOut(
        _ call: () -> Result<Response, HTTPError>
    ) throws -> (failure: TimeoutFailure, elapsed: Duration) {
        let start = ContinuousClock.now
        let error = try call().error()
        guard case .timedOut(let failure) = error else { throw error }
        return (failure, start.duration(to: .now))
    }

    static let cases: [ContractCase] = [
        ContractCase("a total timeout below a second counts exactly while waiting for the answer") { client in
            let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
            let (failure, elapsed) = try timeOut {
                client.executeRequest(.get(server.url("/")) |> .timeout(.milliseconds(120)))
            }
            #expect(failure.limit == .total && failure.phase == .waiting)
            #expect(failure.duration == .milliseconds(120))
            #expect(elapsed >= .milliseconds(120) && elapsed < .milliseconds(1120))
            try server.waitForConnectionClosed(1)
        },
        ContractCase("the total timeout covers the hops of a redirect together") { client in
            let server = try MockServer { request in
                .redirect(to: "/\((Int(request.path.dropFirst()) ?? 0) + 1)").delayed(head: .milliseconds(60))
            }
            let (failure, elapsed) = try timeOut {
                client.executeRequest(.get(server.url("/0")) |> .timeout(.milliseconds(200)))
            }
            #expect(failure.limit == .total)
            #expect(failure.record?.redirects.isEmpty == false)
            #expect(elapsed < .milliseconds(1200))
        },
        ContractCase("a body that trickles in slower than the whole call may take ends at the deadline") { client in
            let server = try MockServer { _ in
                MockResponse.bytes(Array(repeating: 0x61, count: 5000))
                    .failing(.trickle(bytes: 10, every: .milliseconds(20)))
            }
            let (failure, elapsed) = try timeOut {
                client.executeRequest(.get(server.url("/")) |> .timeout(.milliseconds(300)))
            }
            #expect(failure.limit == .total && failure.phase == .receiving)
            #expect(elapsed < .milliseconds(1300))
        },
        ContractCase("a body that trickles in steadily does not run into the idle timeout") { client in
            let server = try MockServer { _ in
                MockResponse.bytes(Array(repeating: 0x61, count: 100))
                    .failing(.trickle(bytes: 10, every: .milliseconds(50)))
            }
            let response = try client.send(.get(server.url("/")) |> .idleTimeout(.milliseconds(400)))
            #expect(response.body.count == 100)
        },
        ContractCase("a server that falls silent in the middle of the body runs into the idle timeout") { client in
            let server = try MockServer { _ in
                MockResponse.bytes(Array(repeating: 0x61, count: 1000)).failing(.stall(.midBody(after: 300)))
            }
            let (failure, _) = try timeOut {
                client.executeRequest(.get(server.url("/")) |> .idleTimeout(.milliseconds(100)))
            }
            #expect(failure.limit == .idle && failure.phase == .receiving)
            try server.waitForConnectionClosed(1)
        },
        ContractCase("a server that does not read the body ends the call while sending") { client in
            let server = try MockServer()
            server.connectionFault = .neverRead
            let (failure, _) = try timeOut {
                client.executeRequest(
                    .post(server.url("/")) |> .data(Data(count: 32 << 20)) |> .idleTimeout(.milliseconds(200)))
            }
            #expect(failure.limit == .idle && failure.phase == .sending)
        },
        ContractCase("without limits a slow answer is waited for") { client in
            let server = try MockServer { _ in MockResponse.text("late").delayed(head: .milliseconds(300)) }
            let response = try client.send(
                .get(server.url("/")) |> .timeout(nil) |> .connectTimeout(nil) |> .idleTimeout(nil))
            #expect(try response.text() == "late")
        },
    ]

    /// What takes knowing when a connection stands.
    static let connectionCases: [ContractCase] = [
        ContractCase("connecting to a port that never answers ends at the connect timeout") { client in
            let port = try MockServer.unansweredPort()
            let (failure, elapsed) = try timeOut {
                client.executeRequest(
                    .get("http://127.0.0.1:\(port)/") |> .connectTimeout(.milliseconds(150)) |> .timeout(.seconds(2)))
            }
            #expect(failure.limit == .connect && failure.phase == .connecting)
            #expect(elapsed < .milliseconds(1150))
        },
        ContractCase("a server that never answers runs into the idle timeout") { client in
            let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
            let (failure, _) = try timeOut {
                client.executeRequest(
                    .get(server.url("/")) |> .idleTimeout(.milliseconds(100)) |> .timeout(.seconds(2)))
            }
            #expect(failure.limit == .idle)
        },
    ]
}
