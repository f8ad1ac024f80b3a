/// Puts bytes into room that somebody else owns, one behind the other. What does not fit is left out.
struct ByteWriter {
    private let room: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        guard count < room.count else { return }
        room[count] = byte
        count += 1
    }

    mutating func append(_ text: String) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { for byte in $0 { append(byte) } }
        if isDone == nil { for byte in text.utf8 { append(byte) } }
    }
}
