/// A list of fields in the form of libnghttp2: an array of `nghttp2_nv`, which is two pointers, two lengths and a byte
/// of flags, padded to five words. The library copies the contents.
enum HTTP2Fields {
    /// Calls `body` with the list and the number of fields. Names are sent in lower case (RFC 9113 §8.2).
    static func withList<Result>(_ fields: [HTTPHeaders.Field], _ body: (UnsafeRawPointer?, Int) -> Result) -> Result {
        let texts = fields.map { (Array($0.name.lowercased().utf8), $0.octets) }
        let bytes = texts.flatMap { $0.0 + $0.1 }
        return bytes.withUnsafeBytes { bytes in
            var address = Int(bitPattern: bytes.baseAddress)
            var words: [Int] = []
            for (name, value) in texts {
                words += [address, address + name.count, name.count, value.count, 0]
                address += name.count + value.count
            }
            return words.withUnsafeBytes { body($0.baseAddress, fields.count) }
        }
    }
}

/// The first members of every frame of libnghttp2.
struct HTTP2FrameHead {
    let stream: Int32
    let type: UInt8
    let flags: UInt8

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let goAway: UInt8 = 7

    var endsStream: Bool { flags & 0x01 != 0 }

    init(_ frame: UnsafeRawPointer) {
        let length = MemoryLayout<Int>.size
        stream = frame.load(fromByteOffset: length, as: Int32.self)
        type = frame.load(fromByteOffset: length + 4, as: UInt8.self)
        flags = frame.load(fromByteOffset: length + 5, as: UInt8.self)
    }
}
