import HTTPCore
import HTTPCurl
import Synchronization

import HTTPMockServer

/// A server that sends arbitrary bytes, in the clear or over TLS, each connection on its own thread.
final class RawServer: Sendable {
    private let server: ConnectionServer
    private let authority: MockServer.CertificateAuthority?
    private let accepted: Accepted
    private let scheme: String

    var port: Int { server.port }
    /// The number of connections that have completed their handshake.
    var connectionCount: Int { accepted.value }

    /// - Parameters:
    ///   - version: The version that it selects by ALPN.
    ///   - beforeHandshake: Runs before each handshake.
    ///   - serve: Receives each connection after its handshake, with its number, from 1.
    init(
        tls: Bool, version: HTTPVersion = .http1_1, options: MockServer.TLS = MockServer.TLS(),
        beforeHandshake: @escaping @Sendable () -> Void = {},
        _ serve: @escaping @Sendable (_ connection: any ConnectionStream, _ number: Int) -> Void
    ) throws {
        let accepted = Accepted()
        let authority = tls ? try MockServer.CertificateAuthority() : nil
        let context = try authority.map { try TLSContext(options, $0, versions: [version]) }
        server = try ConnectionServer { socket in
            guard let context else { return serve(socket, accepted.next()) }
            beforeHandshake()
            guard let stream = try? TLSStream(socket, context), stream.handshake() == nil else { return }
            serve(stream, accepted.next())
        }
        self.authority = authority
        self.accepted = accepted
        scheme = tls ? "https" : "http"
    }

    func url(_ path: String = "/") -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

    /// A transport that trusts this server.
    func transport(_ change: (inout CurlConfiguration) -> Void = { _ in }) throws -> CurlTransport {
        try .plain { configuration in
            if let authority { configuration.tls.authorities = authority.trust }
            change(&configuration)
        }
    }
}

private final class Accepted: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

extension ConnectionStream {
    func write(_ text: String) -> Bool { write(Array(text.utf8)[...]) }

    /// Reads up to the empty line after a request's head; nil if the client has left before.
    func readHead() -> String? {
        var bytes: [UInt8] = []
        while !bytes.ends(with: Array("\r\n\r\n".utf8)) {
            var byte: UInt8 = 0
            guard withUnsafeMutableBytes(of: &byte, read) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Waits for that long, or until the client has left.
    func pause(_ duration: Duration) {
        if let never = try? WakeSignal() { _ = base.waitForDeparture(or: never, timeout: duration) }
    }

    /// Reads until the client closes the connection.
    func readToEnd() {
        var room = [UInt8](repeating: 0, count: 16 << 10)
        while room.withUnsafeMutableBytes(read) > 0 {}
    }
}

extension [UInt8] {
    fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
