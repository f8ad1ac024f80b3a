import HTTPMockServer

/// HTTP/2 frames that a server can send endlessly without answering (RFC 9113 §6).
enum HTTP2Flood: CaseIterable {
    case windowUpdates, priorities, emptyData

    /// The server's SETTINGS, which are empty.
    static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    /// The head `:status: 200` of the first stream, without its end.
    private static let head: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]

    private var frame: [UInt8] {
        switch self {
        // Small steps, so that the window does not overflow before the test is over.
        case .windowUpdates: [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        case .priorities: [0, 0, 5, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 15]
        case .emptyData: [0, 0, 0, 0, 0, 0, 0, 0, 1]
        }
    }

    /// Greets the client, waits for its request, and then sends only such frames until the client has gone.
    func serve(_ connection: any ConnectionStream) {
        var room = [UInt8](repeating: 0, count: 16 << 10)
        guard connection.write(Self.settings[...]), Self.readRequest(from: connection, into: &room) else { return }
        if self == .emptyData { guard connection.write(Self.head[...]) else { return } }
        let frames = Array(repeatElement(frame, count: 16_000 / frame.count).joined())
        while connection.write(frames[...]) {}
    }

    /// Reads until a whole HEADERS frame has arrived, after the client's preface of 24 bytes.
    private static func readRequest(from connection: any ConnectionStream, into room: inout [UInt8]) -> Bool {
        var bytes: [UInt8] = []
        while true {
            let count = room.withUnsafeMutableBytes(connection.read)
            guard count > 0 else { return false }
            bytes += room[..<count]
            var place = 24
            while place + 9 <= bytes.count {
                let length = Int(bytes[place]) << 16 | Int(bytes[place + 1]) << 8 | Int(bytes[place + 2])
                if bytes[place + 3] == 1, place + 9 + length <= bytes.count { return true }
                place += 9 + length
            }
        }
    }
}
