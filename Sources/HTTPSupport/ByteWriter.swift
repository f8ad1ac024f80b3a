/// Appends bytes to a buffer that it does not own. Bytes that do not fit are dropped.
package struct ByteWriter {
    private let room: UnsafeMutableBufferPointer<UInt8>
    package private(set) var count = 0

    package init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    @inline(__always)
    package mutating func append(_ byte: UInt8) {
        guard count < room.count else { return }
        room[count] = byte
        count += 1
    }

    package mutating func append(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ append($0) }) == nil {
            for byte in text.utf8 { append(byte) }
        }
    }

    /// Appends the number in decimal digits.
    package mutating func append(_ number: Int64) {
        guard number >= 0 else { return append(String(number)) }
        let start = count
        var rest = number
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var digits = room[start..<count]
        digits.reverse()
    }

    package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        let fitting = min(bytes.count, room.count - count)
        guard let start = room.baseAddress, let source = bytes.baseAddress else { return }
        (start + count).update(from: source, count: fitting)
        count += fitting
    }

    /// The text written by `write`, which must be UTF-8 and at most `longest` bytes.
    package static func string(longest: Int, _ write: (inout ByteWriter) -> Void) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: longest) { room in
            var writer = ByteWriter(room)
            write(&writer)
            return String(decoding: UnsafeBufferPointer(rebasing: room[..<writer.count]), as: UTF8.self)
        }
    }
}
