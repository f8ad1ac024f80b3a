import HTTPMockServer
import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportContract {
    /// How late a timeout may be on a busy machine.
    private static let tolerance: Duration = .seconds(5)

    static let timeoutCases: [Case] = [
        Case(.timeouts, "connecting to a port that never answers ends at the connect timeout") { stage in
            let port = try MockServer.unansweredPort()
            let failure = try timeOut(stage, within: .milliseconds(150)...) {
                .get("http://127.0.0.1:\(port)/") |> .connectTimeout(.milliseconds(150)) |> .timeout(.seconds(20))
            }
            try expect("the limit", failure.limit, is: .connect)
            try expect("the phase", failure.record?.phase, is: .connecting)
        },
        Case(.timeouts, "a server that never answers runs into the idle timeout") { stage in
            let server = try stage.server { _ in .fault(.stall(.beforeHead)) }
            let failure = try timeOut(stage, within: .milliseconds(100)...) {
                .get(server.url("/")) |> .idleTimeout(.milliseconds(100)) |> .timeout(.seconds(5))
            }
            try expect("the limit", failure.limit, is: .idle)
            try server.waitForConnectionClosed(1)
        },
        Case(.timeouts, "silence before the first byte ends within connect and idle timeout together") { stage in
            let server = try stage.server { _ in .fault(.stall(.beforeHead)) }
            let failure = try timeOut(stage, within: .milliseconds(90)...) {
                .get(server.url("/")) |> .connectTimeout(.milliseconds(60)) |> .idleTimeout(.milliseconds(90))
            }
            try expect("the limit", failure.limit, is: .idle)
            try expect("a limit of at most 150 ms", failure.duration <= .milliseconds(150), got: failure.duration)
            try server.waitForConnectionClosed(1)
        },
        Case(.timeouts, "a total timeout below a second counts exactly while waiting for the answer") { stage in
            let server = try stage.server { _ in .fault(.stall(.beforeHead)) }
            let failure = try timeOut(stage, within: .milliseconds(120)...) {
                .get(server.url("/")) |> .timeout(.milliseconds(120))
            }
            try expect("the limit", failure.limit, is: .total)
            try expect("the phase", failure.record?.phase, is: .waiting)
            try expect("the duration", failure.duration, is: .milliseconds(120))
            try server.waitForConnectionClosed(1)
        },
        Case(.timeouts, "the total timeout covers the hops of a redirect together") { stage in
            let server = try stage.server { request in
                .redirect(to: "/\((Int(request.path.dropFirst()) ?? 0) + 1)").taking(.milliseconds(100))
            }
            let failure = try timeOut(stage, within: .milliseconds(500)...) {
                .get(server.url("/0")) |> .timeout(.milliseconds(500))
            }
            try expect("the limit", failure.limit, is: .total)
            try expect("redirects on the error", failure.record?.redirects.isEmpty == false, got: failure)
        },
        Case(.timeouts, "a body that trickles in slower than the whole call may take ends at the deadline") { stage in
            // Ten seconds of drops, each well within the idle timeout.
            let server = try stage.server { _ in
                MockResponse.data(MarkedContent.bytes(5000)).failing(.trickle(bytes: 10, every: .milliseconds(20)))
            }
            let failure = try timeOut(stage, within: .milliseconds(800)...) {
                .get(server.url("/")) |> .timeout(.milliseconds(800))
            }
            try expect("the limit", failure.limit, is: .total)
            try expect("the phase", failure.record?.phase, is: .receiving)
        },
        Case(.timeouts, "a body that trickles in steadily does not run into the idle timeout") { stage in
            let server = try stage.server { _ in
                MockResponse.data(MarkedContent.bytes(100)).failing(.trickle(bytes: 10, every: .milliseconds(100)))
            }
            let response = try stage.send(.get(server.url("/")) |> .idleTimeout(.milliseconds(900)))
            try expect("the body", Array(response.body), is: MarkedContent.bytes(100))
        },
        Case(.timeouts, "a server that falls silent in the middle of the body runs into the idle timeout") { stage in
            let server = try stage.server { _ in
                MockResponse.data(MarkedContent.bytes(1000)).failing(.stall(.midBody(after: 300)))
            }
            let failure = try timeOut(stage, within: .milliseconds(400)...) {
                .get(server.url("/")) |> .idleTimeout(.milliseconds(400))
            }
            try expect("the limit", failure.limit, is: .idle)
            try expect("the phase", failure.record?.phase, is: .receiving)
            try server.waitForConnectionClosed(1)
        },
        Case(.timeouts, "a server that does not read the body ends the call while sending") { stage in
            let server = try stage.server()
            server.connectionFault = .neverRead
            let failure = try timeOut(stage, within: .milliseconds(200)...) {
                .post(server.url("/")) |> .data(Data(count: 32 << 20)) |> .idleTimeout(.milliseconds(200))
            }
            try expect("the limit", failure.limit, is: .idle)
            try expect("the phase", failure.record?.phase, is: .sending)
        },
        Case(.timeouts, "without limits a slow answer is waited for") { stage in
            let server = try stage.server { _ in MockResponse.text("late").taking(.milliseconds(300)) }
            let response = try stage.send(
                .get(server.url("/")) |> .timeout(nil) |> .connectTimeout(nil) |> .idleTimeout(nil))
            try expect("the body", try response.text(), is: "late")
        },
    ]

    /// Makes a call that must time out within the range, or little later.
    private static func timeOut(
        _ stage: ContractStage, within range: PartialRangeFrom<Duration>, _ draft: () -> MutableRequest
    ) throws -> TimeoutFailure {
        let draft = draft()
        let start = ContinuousClock.now
        let error = try stage.failure(of: draft)
        let elapsed = start.duration(to: .now)
        guard case .timedOut(let failure) = error else { throw ContractViolation("a timeout", "\(error)") }
        let latest = max(range.lowerBound, failure.duration) + tolerance
        try expect(
            "an end between \(range.lowerBound) and \(latest)", range.contains(elapsed) && elapsed < latest,
            got: elapsed)
        return failure
    }
}
