import Foundation
import HTTPCore
import Synchronization

import HTTPMockServer

/// The peer of one call: a server or a port with the fault.
final class FaultServer: Sendable {
    let port: Int
    let progress = FaultProgress()
    private let server: ConnectionServer?
    private let listener: LoopbackListener?

    /// Signs the certificates of all these servers.
    static let authority: MockServer.CertificateAuthority = {
        // No test gets here on a machine without OpenSSL.
        do { return try MockServer.CertificateAuthority() } catch { fatalError("no authority for the tests: \(error)") }
    }()

    init(_ fault: Fault, for engine: FaultEngine) throws {
        let progress = progress
        switch fault.place {
        case .unusedPort:
            (port, server, listener) = (try MockServer.unusedPort(), nil, nil)
        case .unansweredPort:
            (port, server, listener) = (try MockServer.unansweredPort(), nil, nil)
        case .notAccepted:
            let listener = try LoopbackListener(binding: .ipv4(port: 0), backlog: 16)
            (port, server, self.listener) = (listener.endpoint.port, nil, listener)
        case .socket(let serve):
            let server = try ConnectionServer { socket in
                progress.connections.enter()
                defer { progress.connections.leave() }
                serve(FaultConnection(socket, isHTTP2: engine.isHTTP2, progress: progress))
            }
            (port, self.server, listener) = (server.port, server, nil)
        case .server(let options, let serve):
            let context =
                engine.isTLS
                ? try TLSContext(options, Self.authority, versions: [engine.isHTTP2 ? .http2 : .http1_1]) : nil
            let server = try ConnectionServer { socket in
                progress.connections.enter()
                defer { progress.connections.leave() }
                guard let stream = Self.secured(socket, context) else { return }
                serve(FaultConnection(stream, isHTTP2: engine.isHTTP2, progress: progress))
                stream.end()
            }
            (port, self.server, listener) = (server.port, server, nil)
        }
    }

    private static func secured(_ socket: LoopbackSocket, _ context: TLSContext?) -> (any ConnectionStream)? {
        guard let context else { return socket }
        guard let stream = try? TLSStream(socket, context) else { return nil }
        if stream.handshake() == nil { return stream }
        // Closing with unread bytes would reset the connection, and the client would lose the alert.
        socket.finishWriting()
        while socket.readSome() != nil {}
        return nil
    }
}

/// The progress of a fault, over all connections of its server.
final class FaultProgress: Sendable {
    /// Signaled at the point at which a call is to be cancelled.
    let reached = DispatchSemaphore(value: 0)
    /// The served connections.
    let connections = DispatchGroup()
    private let requests = Mutex(0)

    /// The number of an arrived request, from 1.
    func nextRequest() -> Int {
        requests.withLock { count in
            count += 1
            return count
        }
    }
}
