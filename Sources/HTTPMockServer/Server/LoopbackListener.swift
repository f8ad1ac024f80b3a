import HTTPSupport

/// A socket bound to a loopback endpoint. It listens unless it only reserves the port.
package final class LoopbackListener: Sendable {
    package enum Accepted {
        case connection(LoopbackSocket)
        /// The connection was already gone.
        case nothing
        /// The process or the system is out of descriptors or memory: try again a moment later.
        case exhausted
    }

    /// The endpoint with the port that the system chose.
    package let endpoint: MockServer.Endpoint
    private let descriptor: Int32
    private let isOpen = Locked(true)
    /// Sockets that fill the backlog.
    private let fillers = Locked<[Int32]>([])

    /// Binds and, with a `backlog`, listens with a queue of about that many connections.
    package init(binding wanted: MockServer.Endpoint, backlog: Int32?) throws(MockServerError) {
        let descriptor = try Self.openSocket(for: wanted)
        do throws(MockServerError) {
            endpoint = try Self.bindSocket(descriptor, to: wanted, backlog: backlog)
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit { close() }

    /// Releases the endpoint. Not while another thread waits or accepts.
    package func close() {
        guard isOpen.exchange(false) else { return }
        closeDescriptor(descriptor)
        for filler in fillers.withLock(\.self) { closeDescriptor(filler) }
        if case .unix(let path) = endpoint { _ = unlink(path) }
    }

    /// Waits until a connection has arrived (true) or `signal` has fired (false).
    package func waitForConnection(or signal: WakeSignal) -> Bool {
        signal.wait(timeout: nil, watching: .arrival(on: descriptor)) == .watched
    }

    /// Accepts a connection without waiting for one.
    package func accept() -> Accepted {
        let accepted = acceptDescriptor(descriptor)
        if accepted >= 0 {
            return .connection(LoopbackSocket(adopting: accepted, isTCP: endpoint.family != AF_UNIX))
        }
        switch errno {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        default: return .nothing
        }
    }

    private static func openSocket(for endpoint: MockServer.Endpoint) throws(MockServerError) -> Int32 {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let descriptor = socket(endpoint.family, type, 0)
        guard descriptor >= 0 else { throw .current("socket", endpoint.description) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    private static func bindSocket(
        _ descriptor: Int32, to endpoint: MockServer.Endpoint, backlog: Int32?
    ) throws(MockServerError) -> MockServer.Endpoint {
        // Allows binding the port of a server that has just stopped.
        var yes: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let bound = endpoint.withSocketAddress { address, length in bind(descriptor, address, length) }
        guard let bound else {
            let code = endpoint.family == AF_UNIX ? ENAMETOOLONG : EINVAL
            throw .system(call: "bind", address: endpoint.description, errno: code)
        }
        guard bound == 0 else { throw .current("bind", endpoint.description) }
        if let backlog, listen(descriptor, backlog) != 0 { throw .current("listen", endpoint.description) }
        return endpoint.family == AF_UNIX ? endpoint : endpoint.replacingPort(try boundPort(descriptor, endpoint))
    }

    private static func boundPort(_ descriptor: Int32, _ endpoint: MockServer.Endpoint) throws(MockServerError) -> Int {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
        }
        guard result == 0 else { throw .current("getsockname", endpoint.description) }
        // The port has the same offset in the addresses of both families.
        return Int(UInt16(bigEndian: address.sin6_port))
    }
}

extension LoopbackListener {
    /// A handshake on the loopback interface that takes longer counts as unanswered.
    private static let handshakePatience: Duration = .milliseconds(200)
    /// Systems differ in the number of connections that a backlog of 0 holds.
    private static let mostFillers = 256

    /// Connects until the system answers no more attempts. The connections stay open with the listener.
    package func fillQueue() throws(MockServerError) {
        for _ in 0..<Self.mostFillers {
            let filler = try Self.openSocket(for: endpoint)
            fillers.withLock { $0.append(filler) }
            let result = endpoint.withSocketAddress { address, length in connect(filler, address, length) }
            if result == 0 { continue }
            guard errno == EINPROGRESS else { throw .current("connect", endpoint.description) }
            var watched = pollfd(fd: filler, events: Int16(POLLOUT), revents: 0)
            if poll(&watched, 1, WakeSignal.milliseconds(Self.handshakePatience)) == 0 { return }
        }
        throw .system(call: "connect", address: endpoint.description, errno: ENOBUFS)
    }
}

/// `accept` under another name, for types that have their own `accept`.
private func acceptDescriptor(_ listener: Int32) -> Int32 {
    let accepted = accept(listener, nil, nil)
    if accepted >= 0 {
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        // On some systems the socket inherits O_NONBLOCK from the listener.
        _ = fcntl(accepted, F_SETFL, 0)
    }
    return accepted
}
