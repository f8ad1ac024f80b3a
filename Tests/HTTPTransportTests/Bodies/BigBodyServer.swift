import HTTPCore

import HTTPMockServer

/// Answers GET of `/body` with that many zeros, and PUT with the number of bytes received. It never has a whole body in
/// memory.
final class BigBodyServer {
    private let server: ConnectionServer
    private static let piece = [UInt8](repeating: 0, count: 64 << 10)

    init(size: Int) throws {
        server = try ConnectionServer { socket in
            var arrived: [UInt8] = []
            while let head = Self.readHead(from: socket, &arrived) {
                switch head.bodyLength {
                case .chunked: return
                case .known(let count) where head.method == "PUT":
                    guard Self.skip(count, from: socket, &arrived) else { return }
                    Self.answer("\(count)", on: socket)
                case .known: head.target == "/body" ? Self.sendZeros(size, on: socket) : Self.answer("", on: socket)
                }
            }
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)" }

    /// Leaves the bytes after the head in `arrived`.
    private static func readHead(from socket: LoopbackSocket, _ arrived: inout [UInt8]) -> RequestHead? {
        while true {
            if let end = arrived.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = try? RequestHead(parsing: Array(arrived[..<end.upperBound]))
                arrived.removeSubrange(..<end.upperBound)
                return head
            }
            guard let more = socket.readSome() else { return nil }
            arrived += more
        }
    }

    private static func skip(_ count: Int, from socket: LoopbackSocket, _ arrived: inout [UInt8]) -> Bool {
        var left = count - arrived.count
        arrived = []
        while left > 0 {
            guard let more = socket.readSome() else { return false }
            left -= more.count
        }
        return true
    }

    private static func answer(_ text: String, on socket: LoopbackSocket) {
        socket.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8))
    }

    private static func sendZeros(_ size: Int, on socket: LoopbackSocket) {
        socket.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8))
        for start in stride(from: 0, to: size, by: piece.count) {
            let isSent = piece.prefix(size - start).withUnsafeBytes { socket.write($0) }
            guard isSent else { return }
        }
    }
}
