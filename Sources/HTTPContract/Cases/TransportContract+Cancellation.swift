import HTTPMockServer
import HTTPCore
import HTTPSupport
import HTTPTesting

extension TransportContract {
    static let cancellationCases: [Case] = [
        Case(.cancellation, "a call that waits for a silent server ends at once, time after time") { stage in
            let server = try stage.server { _ in .fault(.stall(.beforeHead)) }
            for round in 1...50 {
                let record = try cancel(stage, .get(server.url("/")), when: { try server.wait(for: .requests(round)) })
                try expect("the phase", record?.phase, is: .waiting)
            }
            try server.wait(for: .openConnections(atMost: 0))
        },
        Case(.cancellation, "a call that is receiving a body ends at once") { stage in
            let server = try stage.server { _ in
                MockResponse.text("0123456789").failing(.stall(.midBody(after: 4)))
            }
            let began = Signal()
            let destination = BodyDestination.stream { _ in BodySink { _ in began.fire() } }
            let draft = MutableRequest.get(server.url("/")) |> .destination(destination)
            let record = try cancel(stage, draft, when: { _ = began.wait(until: .now + .seconds(10)) })
            try expect("the phase", record?.phase, is: .receiving)
            try server.wait(for: .endOfConnection(1))
        },
        Case(.cancellation, "a call that is sending a body ends at once") { stage in
            let server = try stage.server()
            server.connectionFault = .neverRead
            let draft = MutableRequest.post(server.url("/")) |> .bytes([UInt8](repeating: 0, count: 32 << 20))
            _ = try cancel(
                stage, draft,
                when: {
                    try server.wait(for: .connections(1))
                    pause()
                })
        },
        Case(.cancellation, "a call that is connecting ends at once") { stage in
            let port = try MockServer.unansweredPort()
            _ = try cancel(stage, .get("http://127.0.0.1:\(port)/"), when: pause)
        },
        Case(.cancellation, "under a cancelled token nothing is sent, and without it all goes on") { stage in
            let server = try stage.server { _ in .text("ok") }
            let token = CancellationToken()
            token.cancel()
            let error = try token.run { try stage.failure(of: .get(server.url("/"))) }
            guard case .cancelled = error else { throw ContractViolation("a cancelled call", "\(error)") }
            try expect("the number of connections", server.connectionCount, is: 0)
            try expect("the status", try stage.send(.get(server.url("/"))).status, is: .ok)
        },
        Case(.cancellation, "cancelling between redirects ends the call") { stage in
            let token = CancellationToken()
            let server = try stage.server { _ in
                token.cancel()
                return .redirect(to: "/next")
            }
            let error = try token.run { try stage.failure(of: .get(server.url("/"))) }
            guard case .cancelled = error else { throw ContractViolation("a cancelled call", "\(error)") }
            try expect("the number of requests", server.requestCount, is: 1)
        },
        Case(.cancellation, "one token ends every call under it, and no other") { stage in
            let gate = Signal()
            let server = try stage.server { request in
                if request.path == "/other" { _ = gate.wait(until: .now + .seconds(10)) }
                return request.path == "/other" ? .text("there") : .fault(.stall(.beforeHead))
            }
            let token = CancellationToken()
            let calls = (1...4).map { _ in ConcurrentCall(stage.client, .get(server.url("/")), under: token) }
            let other = ConcurrentCall(stage.client, .get(server.url("/other")), under: CancellationToken())
            try server.wait(for: .requests(5))
            token.cancel()
            for call in calls {
                let error = try ContractStage.failure(of: try call.result())
                guard case .cancelled = error else { throw ContractViolation("a cancelled call", "\(error)") }
            }
            gate.fire()
            try expect("the other call's body", try other.result().get().text(), is: "there")
        },
    ]

    /// How long a cancelled call may continue on a busy machine.
    private static let limit: Duration = .seconds(5)

    /// Time to fill the buffers of a connection, or to begin to open one, of which nothing tells.
    private static func pause() { _ = Signal().wait(until: .now + .milliseconds(100)) }

    /// Makes a call on another thread, cancels it when `isDue` returns, and returns the record of its error.
    private static func cancel(
        _ stage: ContractStage, _ draft: MutableRequest, when isDue: () throws -> Void
    ) throws -> CallRecord? {
        let token = CancellationToken()
        let call = ConcurrentCall(stage.client, draft, under: token)
        call.waitForStart()
        try isDue()
        let start = ContinuousClock.now
        token.cancel()
        let error = try ContractStage.failure(of: try call.result())
        let elapsed = start.duration(to: .now)
        guard case .cancelled(let record) = error else { throw ContractViolation("a cancelled call", "\(error)") }
        try expect("an end within \(limit)", elapsed < limit, got: elapsed)
        return record
    }
}
