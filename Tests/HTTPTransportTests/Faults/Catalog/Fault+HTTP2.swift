import HTTPCore

extension Fault {
    /// Faults in HTTP/2 frames (RFC 9113).
    static let frames: [Fault] = [
        flood("WINDOW_UPDATE", HTTP2Frame.frame(8, [0, 0, 0, 1])),
        flood("PRIORITY", HTTP2Frame.frame(2, on: 3, [0, 0, 0, 0, 15])),
        flood("empty DATA", HTTP2Frame.frame(0, on: 1), behindHead: true),
        server(
            .body, "a flood of DATA of padding", limits: .drip, orEarlier: ["protocolViolation"], skipped: .http2Only
        ) {
            $0.begin(200)
            $0.flood(HTTP2Frame.frame(0, flags: 8, on: $0.streamID, [200] + Array(repeating: 0, count: 200)))
        },
        flood("unknown frames", HTTP2Frame.frame(0xBB, [1, 2, 3, 4])),
        flood("SETTINGS", HTTP2Frame.frame(4, [0, 3, 0, 0, 0, 100]), ending: brokenByFlood),
        flood("PING", HTTP2Frame.frame(6, [1, 2, 3, 4, 5, 6, 7, 8]), ending: brokenByFlood),
        frames("a flood of CONTINUATION", brokenByFlood) {
            $0.write(HTTP2Frame.frame(1, on: $0.streamID, HTTP2Frame.field("x", "y")))
            $0.flood(HTTP2Frame.frame(9, on: $0.streamID, HTTP2Frame.field("x", "y")))
        },
        frames("a flood of empty CONTINUATION", brokenByFlood) {
            $0.write(HTTP2Frame.frame(1, on: $0.streamID, HTTP2Frame.field("x", "y")))
            $0.flood(HTTP2Frame.frame(9, on: $0.streamID))
        },
        frames("a flood of PUSH_PROMISE", brokenByFlood) {
            $0.flood(HTTP2Frame.frame(5, flags: 4, on: $0.streamID, [0, 0, 0, 2, 0x82]))
        },
        frames("a megabyte of fields", brokenByFlood) {
            let field = HTTP2Frame.field("x-field", String(repeating: "x", count: 16_000))
            $0.write(HTTP2Frame.frame(1, on: $0.streamID, HTTP2Frame.field(":status", "200")))
            for _ in 0..<64 { $0.write(HTTP2Frame.frame(9, on: $0.streamID, field)) }
            $0.write(HTTP2Frame.frame(9, flags: 4, on: $0.streamID, []))
            $0.hold()
        },
        frames("RST_STREAM", ["connection broken"]) {
            $0.write(HTTP2Frame.frame(3, on: $0.streamID, [0, 0, 0, 2]))
            $0.hold()
        },
        frames("RST_STREAM behind the head", ["truncatedBody contentLength", "connection broken"]) {
            $0.begin(200, [("content-length", "1000")])
            $0.write(HTTP2Frame.frame(3, on: $0.streamID, [0, 0, 0, 2]))
            $0.hold()
        },
        frames("GOAWAY, then closed", ["connection closedBeforeResponse", "connection broken"]) {
            $0.write(HTTP2Frame.frame(7, [0, 0, 0, 0, 0, 0, 0, 1]))
            $0.close()
        },
        frames("GOAWAY, then silence", ["connection closedBeforeResponse", "connection broken"]) {
            $0.write(HTTP2Frame.frame(7, [0, 0, 0, 0, 0, 0, 0, 1]))
            $0.hold()
        },
        frames("GOAWAY behind the head, then silence", limits: .silence) {
            $0.begin(200, [("content-length", "1000")])
            $0.write(HTTP2Frame.frame(7, [0, 0, 0, $0.streamID, 0, 0, 0, 0]))
            $0.hold()
        },
        frames("DATA without a head", refused) {
            $0.send("hello")
            $0.hold()
        },
        frames("a frame too large", refused) {
            $0.write([0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, $0.streamID])
            $0.hold()
        },
        frames("half a frame, then silence", limits: .silence) {
            $0.write([0, 0, 9, 1, 4, 0, 0, 0])
            $0.hold()
        },
        frames("fields that cannot be decoded", refused) {
            $0.write(HTTP2Frame.frame(1, flags: 4, on: $0.streamID, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
            $0.hold()
        },
        frames("a head without a status", refused) {
            $0.write(HTTP2Frame.frame(1, flags: 4, on: $0.streamID, HTTP2Frame.field("x", "y")))
            $0.hold()
        },
        frames("less body than was announced", ["truncatedBody contentLength", "protocolViolation"]) {
            $0.begin(200, [("content-length", "1000")])
            $0.write(HTTP2Frame.data([1], endsStream: true, on: $0.streamID))
            $0.hold()
        },
        Fault(
            .head, "an answer in HTTP/1.1", refused,
            place: .server {
                $0.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                $0.close()
            }, skipped: .http2Only),
        Fault(
            .head, "no SETTINGS at the beginning", refused,
            place: .server {
                $0.write(HTTP2Frame.frame(6, [1, 2, 3, 4, 5, 6, 7, 8]))
                $0.hold()
            }, skipped: .http2Only),
        Fault(
            .head, "silence in place of SETTINGS", limits: .silence, place: .server { $0.hold() }, skipped: .http2Only),
    ]

    /// An invalid frame. libcurl has no message for what nghttp2 refuses at the start: it reports an empty reply.
    private static let refused: Set<String> = [
        "protocolViolation", "connection broken", "connection closedBeforeResponse",
    ]

    /// The engine's errors for a server whose frames require more memory or more answers than it gives.
    private static let brokenByFlood: Set<String> = [
        "protocolViolation", "connection broken", "limitExceeded header", "connection closedBeforeResponse",
    ]

    private static func frames(
        _ name: String, _ outcomes: Set<String> = [], limits: [Ending] = [],
        _ serve: @escaping @Sendable (FaultConnection) -> Void
    ) -> Fault {
        server(.head, name, outcomes, limits: limits, skipped: .http2Only, serve)
    }

    /// One kind of frame, endlessly. Without outcomes it is one that the protocol allows; the engine may still give up
    /// on it.
    private static func flood(
        _ name: String, _ frame: [UInt8], behindHead: Bool = false, ending outcomes: Set<String> = []
    ) -> Fault {
        server(
            behindHead ? .body : .head, "a flood of \(name)", outcomes, limits: outcomes.isEmpty ? .silence : [],
            orEarlier: ["protocolViolation"], skipped: .http2Only
        ) { connection in
            if behindHead { connection.begin(200) }
            connection.flood(frame)
        }
    }
}
