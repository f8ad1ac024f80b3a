/// A list of fields in the form of libnghttp2: an array of `nghttp2_nv`, which is two pointers, two lengths and a byte
/// of flags. The library copies the contents.
enum HTTP2Fields {
    private static let word = MemoryLayout<Int>.size
    /// Four words and a byte, padded to the alignment of a word.
    private static let size = 5 * word

    /// Calls `body` with the list and the number of fields. Names are sent in lower case (RFC 9113 §8.2).
    static func withList<Result>(
        _ fields: [HTTPHeaders.Field], _ body: (UnsafeRawPointer?, Int) -> Result
    ) -> Result {
        let texts = fields.map { (Array($0.name.lowercased().utf8), $0.octets) }
        let bytes = texts.flatMap { $0.0 + $0.1 }
        return bytes.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(byteCount: max(1, fields.count) * size, alignment: 16) { list in
                list.initializeMemory(as: UInt8.self, repeating: 0)
                var position = 0
                for (index, text) in texts.enumerated() {
                    let place = index * size
                    store(bytes.baseAddress, position, list, place)
                    store(bytes.baseAddress, position + text.0.count, list, place + word)
                    list.storeBytes(of: text.0.count, toByteOffset: place + 2 * word, as: Int.self)
                    list.storeBytes(of: text.1.count, toByteOffset: place + 3 * word, as: Int.self)
                    position += text.0.count + text.1.count
                }
                return body(UnsafeRawPointer(list.baseAddress), fields.count)
            }
        }
    }

    private static func store(
        _ base: UnsafeRawPointer?, _ offset: Int, _ list: UnsafeMutableRawBufferPointer, _ place: Int
    ) {
        let address = base.map { UInt(bitPattern: $0 + offset) } ?? 0
        list.storeBytes(of: address, toByteOffset: place, as: UInt.self)
    }
}

/// The first members of every frame of libnghttp2.
struct HTTP2FrameHead {
    let stream: Int32
    let type: UInt8
    let flags: UInt8

    static let data: UInt8 = 0
    static let headers: UInt8 = 1

    var endsStream: Bool { flags & 0x01 != 0 }

    init(_ frame: UnsafeRawPointer) {
        let length = MemoryLayout<Int>.size
        stream = frame.load(fromByteOffset: length, as: Int32.self)
        type = frame.load(fromByteOffset: length + 4, as: UInt8.self)
        flags = frame.load(fromByteOffset: length + 5, as: UInt8.self)
    }
}
