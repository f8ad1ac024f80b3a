/// HTTP/2 frames as bytes (RFC 9113 §4.1), valid or not.
enum HTTP2Frame {
    static let headersType: UInt8 = 1
    static let settings = frame(4)

    static func frame(_ type: UInt8, flags: UInt8 = 0, on stream: UInt8 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let count = payload.count
        return [UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), type, flags, 0, 0, 0, stream]
            + payload
    }

    static func data(_ bytes: [UInt8], endsStream: Bool = false, on stream: UInt8) -> [UInt8] {
        guard bytes.count > 16_384 else { return frame(0, flags: endsStream ? 1 : 0, on: stream, bytes) }
        return data(Array(bytes.prefix(16_384)), on: stream)
            + data(Array(bytes.dropFirst(16_384)), endsStream: endsStream, on: stream)
    }

    static func head(_ status: Int, _ fields: [(name: String, value: String)], on stream: UInt8) -> [UInt8] {
        frame(headersType, flags: 4, on: stream, ([(":status", "\(status)")] + fields).flatMap(field))
    }

    /// A literal field that is not indexed, with a new name (RFC 7541 §6.2.2).
    static func field(_ name: String, _ value: String) -> [UInt8] {
        [0] + text(name.lowercased()) + text(value)
    }

    /// Without Huffman coding.
    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (rest, length) = (bytes.count - 127, [UInt8(127)])
        while rest >= 128 {
            length.append(UInt8(rest & 0x7F | 0x80))
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }
}
