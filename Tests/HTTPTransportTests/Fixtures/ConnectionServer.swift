import Synchronization

import HTTPMockServer
import HTTPSupport

/// Accepts connections on a free port of 127.0.0.1, and serves each on its own thread, until it is released.
final class ConnectionServer: Sendable {
    let port: Int
    private let stopSignal: WakeSignal
    /// Nil once they are ended.
    private let connections = Locked<[LoopbackSocket]?>([])

    init(_ serve: @escaping @Sendable (LoopbackSocket) -> Void) throws {
        let listener = try LoopbackListener(binding: .ipv4(port: 0), backlog: 64)
        let stopSignal = try WakeSignal()
        self.stopSignal = stopSignal
        port = listener.endpoint.port
        let code = ServerThread.start { [connections] in
            while listener.waitForConnection(or: stopSignal) {
                guard case .connection(let socket) = listener.accept() else { continue }
                let isServed = connections.withLock { connections in
                    connections?.append(socket)
                    return connections != nil
                }
                guard isServed else { break }
                _ = ServerThread.start { serve(socket) }
            }
            listener.close()
        }
        if code != 0 { throw MockServerError.system(call: "pthread_create", address: "127.0.0.1", errno: code) }
    }

    deinit {
        stopSignal.fire()
        connections.exchange(nil)?.forEach { $0.interrupt() }
    }
}

extension LoopbackSocket {
    /// A connection to `port` of 127.0.0.1; nil if nothing listens there.
    static func connecting(to port: Int) -> LoopbackSocket? {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let end = LoopbackSocket(adopting: descriptor, isTCP: true)
        let result = MockServer.Endpoint.ipv4(port: port).withSocketAddress { connect(descriptor, $0, $1) }
        return result == 0 ? end : nil
    }

    /// Reads available bytes, waiting for the first; nil at the end.
    func readSome() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { room, count in
            count = read(into: UnsafeMutableRawBufferPointer(room))
        }
        return bytes.isEmpty ? nil : bytes
    }

    func write(_ bytes: [UInt8]) { _ = bytes.withUnsafeBytes { write($0) } }

    /// Passes bytes on in both directions, those from `server` through `filter`, until both are done.
    static func relay(
        _ client: LoopbackSocket, _ server: LoopbackSocket, filter: ([UInt8]) -> [UInt8] = { $0 }
    ) {
        let clientIsDone = try? WakeSignal()
        _ = ServerThread.start {
            while let bytes = client.readSome() { server.write(bytes) }
            server.finishWriting()
            clientIsDone?.fire()
        }
        while let bytes = server.readSome() { client.write(filter(bytes)) }
        client.finishWriting()
        _ = clientIsDone?.wait(timeout: nil)
    }
}
