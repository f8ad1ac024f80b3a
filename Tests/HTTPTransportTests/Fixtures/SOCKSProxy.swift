import Synchronization

import HTTPMockServer

/// A SOCKS 5 proxy (RFC 1928). It connects to the port on 127.0.0.1, whatever the name.
final class SOCKSProxy {
    private let server: ConnectionServer
    private let seen: Seen

    private final class Seen: Sendable {
        let targets = Mutex<[String]>([])
    }

    init(refusing refusal: UInt8? = nil) throws {
        let seen = Seen()
        self.seen = seen
        server = try ConnectionServer { client in
            defer { client.finishWriting() }
            // Version and methods; then version, command, reserved, kind of address, address, port.
            guard client.readSome() != nil else { return }
            client.write([5, 0])
            guard let request = client.readSome(), request.count > 6, request[1] == 1 else { return }
            let port = Int(request[request.count - 2]) << 8 + Int(request[request.count - 1])
            let address = request[4..<(request.count - 2)]
            let name =
                request[3] == 3
                ? String(decoding: address.dropFirst(), as: UTF8.self) : address.map(String.init).joined(separator: ".")
            seen.targets.withLock { $0.append("\(name):\(port)") }
            client.write([5, refusal ?? 0, 0, 1, 0, 0, 0, 0, 0, 0])
            guard refusal == nil, let server = LoopbackSocket.connecting(to: port) else { return }
            LoopbackSocket.relay(client, server)
        }
    }

    var port: Int { server.port }

    /// The requested targets.
    var targets: [String] { seen.targets.withLock { $0 } }
}
