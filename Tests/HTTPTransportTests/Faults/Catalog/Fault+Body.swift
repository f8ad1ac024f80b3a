import Foundation
import HTTPCore

extension Fault {
    /// More than the system buffers for a server that does not read.
    static let zeros = Data(count: 8 << 20)

    /// Faults in the body of a response.
    static let bodies: [Fault] = [
        server(.body, "silent after the head", limits: .silence) {
            $0.begin(200, [("content-length", "1000")])
            $0.hold()
        },
        server(.body, "silent in the middle", limits: .silence) {
            $0.begin(200, [("content-length", "1000")])
            $0.send("part")
            $0.hold()
        },
        server(.body, "a byte every 20 ms", limits: .drip) { connection in
            connection.begin(200, [("content-length", "1000")])
            connection.drip { connection.send("x") }
        },
        server(.body, "cut short of its length", ["truncatedBody contentLength", "connection broken"]) {
            $0.begin(200, [("content-length", "1000")])
            $0.send("part")
            $0.close()
        },
        server(.body, "reset in the middle", ["connection broken"]) {
            $0.begin(200, [("content-length", "1000")])
            $0.send("part")
            $0.reset()
        },
        chunks("cut before the last chunk", "4\r\npart\r\n", ["truncatedBody chunked"], then: { $0.close() }),
        chunks("a chunk size with a letter behind it", "5x\r\nhello\r\n0\r\n\r\n", ["protocolViolation"]),
        chunks("a chunk size with 0x", "0x5\r\nhello\r\n0\r\n\r\n", ["protocolViolation"]),
        chunks("a negative chunk size", "-5\r\nhello\r\n0\r\n\r\n", ["protocolViolation"]),
        chunks("a chunk size beyond 64 bits", "FFFFFFFFFFFFFFFFF\r\nhello", ["protocolViolation"]),
        chunks("an endless chunk extension", "5;", ["protocolViolation"], then: { $0.flood("extension=value;") }),
        chunks("NUL in a trailer", "5\r\nhello\r\n0\r\nX-Sum: a\0b\r\n\r\n", ["protocolViolation"]),
        chunks(
            "endless trailers", "5\r\nhello\r\n0\r\n", ["limitExceeded header"],
            then: {
                $0.flood("X-Field: value\r\n")
            }),
        chunks(
            "endless chunks of a byte", "", ["limitExceeded body"], change: { $0 |> .bodyLimit(100_000) },
            then: {
                $0.flood("1\r\nx\r\n")
            }),
        server(.body, "endless", ["limitExceeded body"], change: { $0 |> .bodyLimit(100_000) }) { connection in
            connection.begin(200)
            connection.flood(
                connection.isHTTP2
                    ? HTTP2Frame.data(Array(repeating: 120, count: 1000), on: connection.streamID)
                    : Array(repeating: 120, count: 1000))
        },
        server(.body, "a bomb", ["limitExceeded body", "limitExceeded expansion"]) { connection in
            connection.begin(200, [("content-encoding", "br")])
            connection.send(Bomb.br.bytes)
            connection.hold()
        },
        server(
            .body, "a bomb without a limit", limits: .drip,
            skipped: [.urlSession: "Linux decodes it within the system, and not br"],
            change: { $0 |> .bodyLimit(.max) |> .destination(.discard) }
        ) { connection in
            connection.begin(200, [("content-encoding", "br")])
            connection.send(Bomb.br.bytes)
            connection.hold()
        },
        server(.body, "gzip that is none", ["protocolViolation"]) {
            $0.begin(200, [("content-encoding", "gzip"), ("content-length", "5")])
            $0.send("hello")
            $0.hold()
        },
        server(.body, "gzip that stops early", ["truncatedBody contentCoding"]) { connection in
            // The header of a gzip member with nothing after it (RFC 1952 §2.3).
            let member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
            connection.begin(200, [("content-encoding", "gzip"), ("content-length", "\(member.count)")])
            if connection.isHTTP2 {
                connection.write(HTTP2Frame.data(member, endsStream: true, on: connection.streamID))
            } else {
                connection.send(member)
            }
            connection.hold()
        },
    ]

    private static func chunks(
        _ name: String, _ body: String, _ outcomes: Set<String> = [], limits: [Ending] = [],
        change: @escaping @Sendable (MutableRequest) -> MutableRequest = { $0 },
        then serve: @escaping @Sendable (FaultConnection) -> Void = { $0.hold() }
    ) -> Fault {
        server(.body, name, outcomes, limits: limits, skipped: .http1Only("chunks"), change: change) { connection in
            connection.begin(200, [("transfer-encoding", "chunked")])
            connection.write(body)
            serve(connection)
        }
    }
}
