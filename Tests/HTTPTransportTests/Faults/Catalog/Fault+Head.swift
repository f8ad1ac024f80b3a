import HTTPCore

extension Fault {
    /// Faults in the head of a response.
    static let heads: [Fault] = [
        text("no HTTP at all", ["protocolViolation"]) {
            $0.write("no HTTP at all\r\n\r\n")
            $0.close()
        },
        text("half of it, then closed", ["connection closedBeforeResponse"]) {
            $0.write("HTTP/1.1 200 OK\r\nContent-")
            $0.close()
        },
        text("half of it, then reset", ["connection closedBeforeResponse", "connection broken"]) {
            $0.write("HTTP/1.1 200 OK\r\nContent-")
            $0.reset()
        },
        text("half of it, then silence", limits: .silence) {
            $0.write("HTTP/1.1 200 OK\r\nContent-")
            $0.hold()
        },
        text("a byte every 20 ms", limits: .drip) {
            $0.drip(Array("HTTP/1.1 200 OK\r\n".utf8) + Array(repeating: UInt8(ascii: "x"), count: 10_000))
        },
        text("NUL in a field", ["protocolViolation"]) {
            $0.write("HTTP/1.1 200 OK\r\nX-Field: a\0b\r\nContent-Length: 0\r\n\r\n")
            $0.hold()
        },
        text("folded first line", ["protocolViolation"]) {
            $0.write("HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 0\r\n\r\n")
            $0.hold()
        },
        text("two lengths", ["protocolViolation"]) {
            $0.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
            $0.hold()
        },
        text("a length beyond 64 bits", ["protocolViolation"]) {
            $0.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab")
            $0.hold()
        },
        server(.head, "a length of an exabyte", ["limitExceeded body"]) {
            $0.begin(200, [("content-length", "1000000000000000000")])
            $0.hold()
        },
        text("101 without asking, then silence", ["protocolViolation"]) {
            $0.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
            $0.hold()
        },
        text("101 without asking, then a flood", ["protocolViolation"]) {
            $0.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
            $0.flood("bytes of another protocol")
        },
        server(.head, "endless 100 Continue", ["limitExceeded header", "protocolViolation"]) { connection in
            flood(connection, withInterim: 100)
        },
        server(.head, "endless 103 Early Hints", ["limitExceeded header", "protocolViolation"]) { connection in
            flood(connection, withInterim: 103, [("link", "</a>")])
        },
        text("endless fields", ["limitExceeded header"]) {
            $0.write("HTTP/1.1 200 OK\r\n")
            $0.flood("X-Field: value\r\n")
        },
        text("an endless line", ["limitExceeded header", "limitExceeded headerLine"]) {
            $0.write("HTTP/1.1 200 OK\r\nX-Field: ")
            $0.flood("value")
        },
        text("endless empty lines before it", ["protocolViolation", "limitExceeded header"]) { $0.flood("\r\n") },
    ]

    /// A server that writes text, which HTTP/2 does not have.
    private static func text(
        _ name: String, _ outcomes: Set<String> = [], limits: [Ending] = [],
        _ serve: @escaping @Sendable (FaultConnection) -> Void
    ) -> Fault {
        server(.head, name, outcomes, limits: limits, skipped: .http1Only("head in lines"), serve)
    }

    private static func flood(
        _ connection: FaultConnection, withInterim status: Int, _ fields: [(name: String, value: String)] = []
    ) {
        guard connection.isHTTP2 else {
            return connection.flood(
                "HTTP/1.1 \(status) X\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n")
        }
        connection.flood(HTTP2Frame.head(status, fields, on: connection.streamID))
    }
}
