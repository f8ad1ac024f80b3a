import HTTPCore
import Synchronization

import HTTPMockServer

/// A proxy that opens tunnels. Every tunnel leads to its port on 127.0.0.1, whatever the name.
final class ConnectProxy: Sendable {
    private let server: ConnectionServer
    private let seen: Seen

    private final class Seen: Sendable {
        let heads = Mutex<[String]>([])
    }

    /// The response to a CONNECT.
    enum Answer: Sendable {
        case tunnel
        /// Writes this and closes.
        case say(String)
    }

    init(_ answer: Answer = .tunnel) throws {
        let seen = Seen()
        self.seen = seen
        server = try ConnectionServer { client in
            defer { client.finishWriting() }
            guard let head = Self.readHead(client) else { return }
            seen.heads.withLock { $0.append(head) }
            guard case .say(let text) = answer else { return Self.open(head, client) }
            client.write(Array(text.utf8))
        }
    }

    var port: Int { server.port }

    /// The heads of the received requests.
    var heads: [String] { seen.heads.withLock { $0 } }

    private static func readHead(_ client: LoopbackSocket) -> String? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            // A client sends nothing more before the answer to CONNECT.
            guard let more = client.readSome() else { return nil }
            head += more
        }
        return String(decoding: head, as: UTF8.self)
    }

    private static func open(_ head: String, _ client: LoopbackSocket) {
        let words = head.split(separator: " ")
        guard words.first == "CONNECT", let port = words[1].split(separator: ":").last.flatMap({ Int($0) }),
            let server = LoopbackSocket.connecting(to: port)
        else { return client.write(Array("HTTP/1.1 502 Bad Gateway\r\n\r\n".utf8)) }
        client.write(Array("HTTP/1.1 200 Connection established\r\nX-Proxy: seen by nobody\r\n\r\n".utf8))
        LoopbackSocket.relay(client, server)
    }
}
