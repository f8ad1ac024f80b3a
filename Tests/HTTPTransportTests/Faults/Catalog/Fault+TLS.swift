import HTTPCore

import HTTPMockServer

extension Fault {
    /// Faults of TLS, in the handshake and after it.
    static let security: [Fault] = [
        handshake("silence", limits: [.connectTimeout, .totalTimeout, .cancellation]) { $0.hold() },
        handshake("half a ServerHello, then silence", limits: [.connectTimeout, .totalTimeout, .cancellation]) {
            $0.write([0x16, 3, 3, 0, 0x7A, 2, 0, 0, 0x76, 3, 3])
            $0.hold()
        },
        handshake("a byte every 20 ms", limits: .drip) {
            $0.drip([0x16, 3, 3, 0x40, 0, 2, 0, 0x3F, 0xFC, 3, 3] + Array(repeating: 0, count: 1000))
        },
        handshake("closed", ["tls handshake"]) { $0.close() },
        handshake("reset", ["tls handshake"]) { $0.reset() },
        handshake("an alert", ["tls handshake"]) {
            $0.write([0x15, 3, 3, 0, 2, 2, 40])
            $0.close()
        },
        handshake("HTTP in the clear", ["tls handshake"]) {
            $0.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            $0.close()
        },
        handshake("a flood of warnings", ["tls handshake"]) { $0.flood([0x15, 3, 3, 0, 2, 1, 90]) },
        handshake("a flood of empty records", ["tls handshake"]) { $0.flood([0x16, 3, 3, 0, 0]) },
        certificate("expired", ["tls expired"]) { $0.certificate = .expired },
        certificate("not valid yet", ["tls notYetValid"]) { $0.certificate = .notYetValid },
        certificate("self-signed", ["tls untrusted"]) { $0.certificate = .selfSigned },
        certificate("by an unknown authority", ["tls untrusted"]) { $0.certificate = .byUnknownAuthority },
        certificate("for another host", ["tls wrongHost"]) { $0.names = ["other.example"] },
        certificate("wanted of the client", ["tls clientCertificate"]) { $0.clientCertificates = .required },
        certificate("too old a version", ["tls handshake"]) { $0.versions = .tls1_0 ... .tls1_1 },
        records("cut in the middle of a record", ["truncatedBody contentLength", "connection broken"]) { connection in
            connection.begin(200, [("content-length", "1000")])
            connection.stream.base.write([0x17, 3, 3, 0x40, 0, 1, 2, 3, 4, 5])
            connection.cut()
        },
        records("a record that was changed on the way", ["connection broken", "protocolViolation", "tls handshake"]) {
            connection in
            connection.begin(200, [("content-length", "1000")])
            connection.stream.base.write([0x17, 3, 3, 0, 32] + Array(repeating: 7, count: 32))
            connection.hold()
        },
        records(
            "cut without close_notify", ["truncatedBody missingCloseNotify"],
            skipped: [.http2TLS: "the length of an HTTP/2 body is never that of its connection"]
        ) {
            $0.begin(200)
            $0.send("part")
            $0.cut()
        },
        records("a flood of KeyUpdate", limits: .silence) { $0.floodWithKeyUpdates() },
        records("a flood of session tickets", limits: .silence) { $0.floodWithTickets() },
    ]

    private static func handshake(
        _ name: String, _ outcomes: Set<String> = [], limits: [Ending] = [],
        _ serve: @escaping @Sendable (FaultConnection) -> Void
    ) -> Fault {
        Fault(
            .securing, name, outcomes, limits: limits,
            place: .socket { connection in
                // After the ClientHello: an earlier refusal would be another fault.
                guard connection.readSome() else { return }
                serve(connection)
            }, skipped: .tlsOnly)
    }

    private static func certificate(
        _ name: String, _ outcomes: Set<String>, _ change: (inout MockServer.TLS) -> Void
    ) -> Fault {
        var options = MockServer.TLS()
        change(&options)
        return Fault(
            .securing, "certificate: \(name)", outcomes, place: .server(options) { $0.hold() }, skipped: .tlsOnly)
    }

    private static func records(
        _ name: String, _ outcomes: Set<String> = [], limits: [Ending] = [], skipped: [FaultEngine: String] = [:],
        _ serve: @escaping @Sendable (FaultConnection) -> Void
    ) -> Fault {
        server(
            .body, "TLS: \(name)", outcomes, limits: limits,
            skipped: [FaultEngine: String].tlsOnly.merging(skipped) { $1 }, serve)
    }
}
