import HTTPMockServer

/// A client that writes HTTP/2 frames by hand, on a plain connection, so that tests can send frames that no library
/// would.
final class RawHTTP2 {
    struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: Int
        let payload: [UInt8]

        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8

        /// The error code at the end of RST_STREAM, or after the stream of GOAWAY.
        var code: HTTP2ErrorCode {
            let bytes = type == Self.goAway ? payload.dropFirst(4).prefix(4) : payload.prefix(4)
            return HTTP2ErrorCode(rawValue: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        }
    }

    static let endOfStream: UInt8 = 0x1
    private static let endOfHeaders: UInt8 = 0x4

    private let client: RawClient

    init(_ server: MockServer) throws {
        client = try RawClient(server)
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        send(Frame.settings, 0, 0, [])
    }

    func close() { client.close() }

    func send(_ type: UInt8, _ flags: UInt8, _ stream: Int, _ payload: [UInt8]) {
        let length = payload.count
        let head = [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
        let id = [24, 16, 8, 0].map { UInt8(stream >> $0 & 0xFF) }
        client.send(head + id + payload)
    }

    /// Acknowledges the server's settings, which are in force from then on.
    func acknowledgeSettings() { send(Frame.settings, 0x1, 0, []) }

    /// A GET, or a POST whose body follows. Further fields are literals (RFC 7541 §6.2.2).
    func request(_ path: String, stream: Int, hasBody: Bool = false, fields: [(String, String)] = []) {
        var block: [UInt8] = [hasBody ? 0x83 : 0x82, 0x86, 0x04] + text(path) + [0x01] + text("test")
        for (name, value) in fields { block += [0x00] + text(name) + text(value) }
        send(Frame.headers, Self.endOfHeaders | (hasBody ? 0 : Self.endOfStream), stream, block)
    }

    /// The next frame; nil when the connection is over.
    func next() -> Frame? {
        let head = client.readBytes(9)
        guard head.count == 9 else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        let stream = head[5...8].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        return Frame(type: head[3], flags: head[4], stream: stream, payload: client.readBytes(length))
    }

    /// The next frame of one of these types.
    func next(_ types: UInt8...) -> Frame? {
        while let frame = next() {
            if types.contains(frame.type) { return frame }
        }
        return nil
    }

    /// Sends all requests at once on one connection, and returns the bodies of the first `count` complete answers, or
    /// of all.
    static func get(_ server: MockServer, _ paths: [String], until count: Int? = nil) throws -> [String] {
        let client = try RawHTTP2(server)
        for (index, path) in paths.enumerated() { client.request(path, stream: 2 * index + 1) }
        var bodies: [Int: [UInt8]] = [:]
        var whole: [String] = []
        while whole.count < count ?? paths.count, let frame = client.next(Frame.data, Frame.reset) {
            bodies[frame.stream, default: []] += frame.payload
            if frame.flags & endOfStream != 0 {
                whole.append(String(decoding: bodies[frame.stream] ?? [], as: UTF8.self))
            }
        }
        return whole
    }

    private func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
