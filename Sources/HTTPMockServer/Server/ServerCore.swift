import HTTPSupport

/// The state that the threads of a server share. They keep it alive; `MockServer` is only a handle.
final class ServerCore: Sendable {
    let endpoint: MockServer.Endpoint
    let options: ServerOptions
    /// Nil on a plain server.
    let tls: TLSContext?
    let script: ServerScript
    let log: ServerLog
    let stopSignal: WakeSignal
    private let generation = ProcessGeneration.current
    private let listener: LoopbackListener
    /// Fires when the acceptor has ended; nil if there is none.
    private let acceptorEnded = Locked<WakeSignal?>(nil)
    /// The open connections by their numbers, so that stopping the server can end them; nil from then on.
    private let connections = Locked<[Int: LoopbackSocket]?>([:])

    /// The system may cap it.
    private static let backlog: Int32 = 4_096
    /// How long to wait when the process is out of descriptors.
    private static let exhaustionPause: Duration = .milliseconds(10)

    init(
        endpoint wanted: MockServer.Endpoint,
        options: ServerOptions,
        tls: TLSContext?,
        script: ServerScript,
        log: ServerLog
    ) throws(MockServerError) {
        listener = try LoopbackListener(binding: wanted, backlog: Self.backlog)
        stopSignal = try WakeSignal()
        endpoint = listener.endpoint
        self.options = options
        self.tls = tls
        self.script = script
        self.log = log
    }

    func startAccepting() throws(MockServerError) {
        let ended = try WakeSignal()
        let code = ServerThread.start {
            self.acceptConnections()
            ended.fire()
        }
        guard code == 0 else { throw .system(call: "pthread_create", address: endpoint.description, errno: code) }
        acceptorEnded.withLock { $0 = ended }
    }

    /// Closes the listener and every connection, and wakes all waiters. Waits for the acceptor, which runs no handler
    /// and so ends at once. In a child of its process it does nothing: the threads are the parent's.
    func stop() {
        guard ProcessGeneration.isCurrent(generation) else { return }
        stopSignal.fire()
        _ = acceptorEnded.withLock(\.self)?.wait(timeout: nil)
        listener.close()
        connections.exchange(nil)?.values.forEach { $0.interrupt() }
        log.stop()
    }

    private func acceptConnections() {
        while listener.waitForConnection(or: stopSignal) {
            switch listener.accept() {
            case .connection(let socket): startServing(socket)
            case .nothing: break
            case .exhausted: _ = stopSignal.wait(timeout: Self.exhaustionPause)
            }
        }
    }

    private func startServing(_ socket: LoopbackSocket) {
        let number = log.openConnection()
        let isServed = connections.withLock { connections in
            connections?[number] = socket
            return connections != nil
        }
        guard isServed else { return finish(socket, number) }
        let fault = script.nextConnectionFault()
        let code = ServerThread.start {
            self.serve(socket, number, fault)
            self.finish(socket, number)
        }
        if code != 0 { finish(socket, number) }
    }

    private func finish(_ socket: LoopbackSocket, _ number: Int) {
        // Returned, because nothing may be released under the lock.
        withExtendedLifetime(connections.withLock { $0?.removeValue(forKey: number) }) {}
        socket.close()
        log.closeConnection(number)
    }
}

/// The immutable settings of a server.
struct ServerOptions: Sendable {
    /// The number of bytes kept of each request body.
    let bodyLimit: Int
    let answersContinue: Bool
    /// In order of preference; never empty.
    let versions: [HTTPVersion]
    let http2: MockServer.HTTP2

    var speaksHTTP1: Bool { versions.contains { $0 < .http2 } }
    var speaksHTTP2: Bool { versions.contains { $0 >= .http2 } }
}

/// The threads of a server, with a stack below the default of 8 MiB, so that hundreds cost little.
package enum ServerThread {
    static let stackBytes = 256 << 10

    /// Runs `body` on a new thread. Returns 0 or the error code of the call that failed.
    package static func start(_ body: @escaping @Sendable () -> Void) -> CInt {
        DetachedThread.start(stackBytes: stackBytes, body)
    }
}
