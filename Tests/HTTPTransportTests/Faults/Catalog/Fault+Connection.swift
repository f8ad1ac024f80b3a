import HTTPCore

import HTTPMockServer

extension Fault {
    /// Faults of the connection, whatever the protocol.
    static let connections: [Fault] = [
        Fault(.connecting, "refused", ["connection refused"], place: .unusedPort),
        Fault(
            .connecting, "never answered", limits: [.connectTimeout, .totalTimeout, .cancellation],
            place: .unansweredPort),
        Fault(
            .head, "accepted and silent", limits: .silence, place: .notAccepted,
            skipped: .skipping(FaultEngine.withTLS, because: "the handshake is silent then: see securing")),
        Fault(
            .head, "closed at once", ["connection closedBeforeResponse", "connection broken"],
            place: .socket { $0.cut() },
            skipped: .skipping(FaultEngine.withTLS, because: "the handshake is closed then: see securing")),
        Fault(
            .head, "reset at once", ["connection closedBeforeResponse", "connection broken"],
            place: .socket { $0.reset() },
            skipped: .skipping(FaultEngine.withTLS, because: "the handshake is reset then: see securing")),
        server(.head, "closed before the head", ["connection closedBeforeResponse"]) { $0.close() },
        server(.head, "reset before the head", ["connection closedBeforeResponse", "connection broken"]) { $0.reset() },
        server(.head, "silent before the head", limits: .silence) { $0.hold() },
        upload("never read", limits: .silence) { $0.ignore() },
        upload("read a byte at a time", limits: .drip) { connection in
            connection.drip {
                var byte: UInt8 = 0
                return withUnsafeMutableBytes(of: &byte, connection.stream.read) == 1
            }
        },
        Fault(
            .sending, "reset while the body is sent", ["connection broken", "connection closedBeforeResponse"],
            place: .server { connection in
                guard connection.readRequest() else { return }
                connection.reset()
            }, change: largeBody),
    ]

    /// A server that runs `fault` after it has read a request.
    static func server(
        _ phase: Phase, _ name: String, _ outcomes: Set<String> = [], limits: [Ending] = [],
        orEarlier: Set<String> = [], skipped: [FaultEngine: String] = [:],
        change: @escaping @Sendable (MutableRequest) -> MutableRequest = { $0 },
        _ serve: @escaping @Sendable (FaultConnection) -> Void
    ) -> Fault {
        Fault(
            phase, name, outcomes, limits: limits, orEarlier: orEarlier,
            place: .server { if $0.readRequest() { serve($0) } }, skipped: skipped, change: change)
    }

    /// A server that receives more than the system buffers for it.
    private static func upload(
        _ name: String, limits: [Ending], _ serve: @escaping @Sendable (FaultConnection) -> Void
    ) -> Fault {
        server(.sending, name, limits: limits, change: largeBody, serve)
    }

    private static let largeBody: @Sendable (MutableRequest) -> MutableRequest = { draft in
        var draft = draft
        draft.method = .put
        return draft |> .data(zeros)
    }
}
