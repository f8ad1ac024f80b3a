import HTTPMockServer
import HTTPCore
import HTTPSupport

extension TransportContract {
    /// How late a timeout may be on a busy machine.
    private static let tolerance: Duration = .seconds(5)

    static let timeoutCases: [Case] = [
        Case(.timeouts, "connecting to a port that never answers ends at the connect timeout") { stage in
            let port = try MockServer.unansweredPort()
            try timeOut(
                stage,
                .get("http://127.0.0.1:\(port)/") |> .connectTimeout(.milliseconds(150)) |> .timeout(.seconds(20)),
                at: .connect, after: .milliseconds(150), in: .connecting)
        },
        Case(.timeouts, "a server that never answers runs into the idle timeout") { stage in
            let server = try stage.server { _ in .fault(.stall(.beforeHead)) }
            try timeOut(
                stage, .get(server.url("/")) |> .idleTimeout(.milliseconds(100)) |> .timeout(.seconds(5)),
                at: .idle, after: .milliseconds(100))
            try server.wait(for: .endOfConnection(1))
        },
        Case(.timeouts, "silence before the first byte ends within connect and idle timeout together") { stage in
            let server = try stage.server { _ in .fault(.stall(.beforeHead)) }
            let failure = try timeOut(
                stage, .get(server.url("/")) |> .connectTimeout(.milliseconds(60)) |> .idleTimeout(.milliseconds(90)),
                at: .idle, after: .milliseconds(90))
            try expect("a limit of at most 150 ms", failure.duration <= .milliseconds(150), got: failure.duration)
            try server.wait(for: .endOfConnection(1))
        },
        Case(.timeouts, "a total timeout below a second counts exactly while waiting for the answer") { stage in
            let server = try stage.server { _ in .fault(.stall(.beforeHead)) }
            let failure = try timeOut(
                stage, .get(server.url("/")) |> .timeout(.milliseconds(120)),
                at: .total, after: .milliseconds(120), in: .waiting)
            try expect("the duration", failure.duration, is: .milliseconds(120))
            try server.wait(for: .endOfConnection(1))
        },
        Case(.timeouts, "the total timeout covers the hops of a redirect together") { stage in
            let server = try stage.server { request in
                .redirect(to: "/\((Int(request.path.dropFirst()) ?? 0) + 1)").taking(.milliseconds(100))
            }
            let failure = try timeOut(
                stage, .get(server.url("/0")) |> .timeout(.milliseconds(500)),
                at: .total, after: .milliseconds(500))
            try expect("redirects on the error", failure.record?.redirects.isEmpty == false, got: failure)
        },
        Case(.timeouts, "a body that trickles in slower than the whole call may take ends at the deadline") { stage in
            // Ten seconds of drops, each well within the idle timeout.
            let server = try stage.server { _ in
                MockResponse.data(MarkedContent.bytes(5000)).failing(.trickle(bytes: 10, every: .milliseconds(20)))
            }
            try timeOut(
                stage, .get(server.url("/")) |> .timeout(.milliseconds(800)),
                at: .total, after: .milliseconds(800), in: .receiving)
        },
        Case(.timeouts, "a body that trickles in steadily does not run into the idle timeout") { stage in
            let server = try stage.server { _ in
                MockResponse.data(MarkedContent.bytes(100)).failing(.trickle(bytes: 10, every: .milliseconds(100)))
            }
            let response = try stage.send(.get(server.url("/")) |> .idleTimeout(.milliseconds(900)))
            try expect("the body", Array(response.body), is: MarkedContent.bytes(100))
        },
        Case(.timeouts, "a server that sends interim responses until it is done does not run into the idle timeout") {
            stage in
            let interim = "HTTP/1.1 102 Processing\r\n\r\n"
            let server = try stage.server { _ in
                .raw(String(repeating: interim, count: 10) + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
                    .failing(.trickle(bytes: interim.utf8.count, every: .milliseconds(150)))
            }
            let response = try stage.send(
                .get(server.url("/")) |> .connectTimeout(.milliseconds(150)) |> .idleTimeout(.seconds(1)))
            try expect("the body", try response.text(), is: "done")
        },
        Case(.timeouts, "a server that falls silent in the middle of the body runs into the idle timeout") { stage in
            let server = try stage.server { _ in
                MockResponse.data(MarkedContent.bytes(1000)).failing(.stall(.midBody(after: 300)))
            }
            try timeOut(
                stage, .get(server.url("/")) |> .idleTimeout(.seconds(2)), at: .idle, after: .seconds(2), in: .receiving
            )
            try server.wait(for: .endOfConnection(1))
        },
        Case(.timeouts, "the time that a sink takes is no silence of the server") { stage in
            // The second part comes after more than the limit, but soon after the sink is ready for it.
            let content = MarkedContent.bytes(10_000)
            let server = try stage.server { _ in
                .data(content).failing(.trickle(bytes: 6_000, every: .milliseconds(1_100)))
            }
            let taken = Locked<[UInt8]>([])
            let destination = BodyDestination.stream { _ in
                BodySink { bytes in
                    if taken.withLock(\.isEmpty) { _ = Signal().wait(until: .now + .milliseconds(800)) }
                    let piece = Array(bytes)
                    taken.withLock { $0 += piece }
                }
            }
            try stage.send(.get(server.url("/")) |> .destination(destination) |> .idleTimeout(.seconds(1)))
            let body = taken.withLock { $0 }
            try expect("the content, unchanged", body == content, got: body.count)
        },
        Case(.timeouts, "a server that does not read the body ends the call while sending") { stage in
            let server = try stage.server()
            server.connectionFault = .neverRead
            try timeOut(
                stage,
                .post(server.url("/")) |> .bytes([UInt8](repeating: 0, count: 32 << 20))
                    |> .idleTimeout(.milliseconds(200)),
                at: .idle, after: .milliseconds(200), in: .sending)
        },
        Case(.timeouts, "without limits a slow answer is waited for") { stage in
            let server = try stage.server { _ in MockResponse.text("late").taking(.milliseconds(300)) }
            let response = try stage.send(
                .get(server.url("/")) |> .timeout(nil) |> .connectTimeout(nil) |> .idleTimeout(nil))
            try expect("the body", try response.text(), is: "late")
        },
    ]

    /// Makes a call that must time out at `limit` once `least` has passed, or little later.
    @discardableResult
    private static func timeOut(
        _ stage: ContractStage, _ draft: MutableRequest, at limit: TimeoutFailure.Limit, after least: Duration,
        in phase: CallActivity? = nil
    ) throws -> TimeoutFailure {
        let start = ContinuousClock.now
        let error = try stage.failure(of: draft)
        let elapsed = start.duration(to: .now)
        guard case .timedOut(let failure) = error else { throw ContractViolation("a timeout", "\(error)") }
        let latest = max(least, failure.duration) + tolerance
        try expect("an end between \(least) and \(latest)", elapsed >= least && elapsed < latest, got: elapsed)
        try expect("the limit", failure.limit, is: limit)
        if let phase { try expect("the phase", failure.record?.phase, is: phase) }
        return failure
    }
}
