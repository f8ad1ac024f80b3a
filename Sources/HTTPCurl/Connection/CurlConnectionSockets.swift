import HTTPSupport

/// The sockets of the connections in a multi handle by their endpoints, so that a kept one can be checked before reuse:
/// libcurl reveals only the endpoints of a connection.
///
/// Used by the thread that has the multi handle.
final class CurlConnectionSockets {
    // Only the thread that has the multi handle uses these; the compiler cannot check that.
    /// Sockets whose connection is not known to be established.
    @exclusivity(unchecked) private var opened = OpenedSockets()
    @exclusivity(unchecked) private var sockets: [ConnectionEndpoints: [CInt]] = [:]
    @exclusivity(unchecked) private var routes: [CInt: ConnectionEndpoints] = [:]
    @exclusivity(unchecked) private var infos: [ConnectionEndpoints: ConnectionInfo] = [:]
    /// Of the connections whose server has said so.
    @exclusivity(unchecked) private var idleTimes: [ConnectionEndpoints: AnnouncedIdleTime] = [:]
    /// The running transfers that read HTTP/1 over TLS, by OpenSSL's object for the connection.
    @exclusivity(unchecked) private var users: [OpaquePointer: CurlHandle] = [:]
    @exclusivity(unchecked) private var areLeft = false
    private let isAwaited: (CInt) -> Bool

    /// - Parameter isAwaited: Whether a running transfer waits for the socket.
    init(isAwaited: @escaping (CInt) -> Bool) { self.isAwaited = isAwaited }

    /// The number of open sockets.
    var count: Int { opened.count + routes.count }

    func add(_ socket: CInt) { opened.append(socket) }

    /// The connection by `route` is established; returns the one of the opened sockets that is its own.
    @discardableResult
    func noteConnection(_ route: ConnectionEndpoints, _ info: ConnectionInfo?) -> CInt? {
        guard let socket = opened.take(route) else { return nil }
        sockets[route, default: []].append(socket)
        routes[socket] = route
        infos[route] = info
        return socket
    }

    /// An exchange of HTTP/1 by `route` is over, in which the field Keep-Alive has come, or none.
    func noteIdle(_ route: ConnectionEndpoints, _ keepAlive: String?) {
        if let time = keepAlive.flatMap({ AnnouncedIdleTime($0) }), sockets[route] != nil {
            idleTimes[route] = time
        } else if !idleTimes.isEmpty {
            idleTimes[route]?.restart()
        }
    }

    /// Whether the server may be about to close the connection by `route`.
    func isOverdue(_ route: ConnectionEndpoints) -> Bool { !idleTimes.isEmpty && idleTimes[route]?.isOver == true }

    /// The facts of the connection by `route`. If there are several, as for a unix-domain socket, of the one opened last.
    func info(of route: ConnectionEndpoints) -> ConnectionInfo? { infos[route] }

    /// In a forked child whose parent was in libcurl: replaces each descriptor before libcurl reads or closes it. Data
    /// that the child reads would be lost to the parent, and closing a TLS connection sends an alert.
    func leaveAll() {
        guard !areLeft else { return }
        areLeft = true
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return }
        for socket in opened.all + routes.keys { dup2(nothing, socket) }
        close(nothing)
    }

    /// Called before it is closed.
    func remove(_ socket: CInt) {
        guard !areLeft else { return }
        opened.remove(socket)
        guard let route = routes.removeValue(forKey: socket) else { return }
        sockets[route]?.removeAll { $0 == socket }
        if sockets[route]?.isEmpty == true { (sockets[route], infos[route], idleTimes[route]) = (nil, nil, nil) }
    }

    // A finished transfer is asked once more before its end is noticed here; then it has no connection.

    /// The transfer that uses the connection, or used it last.
    func user(of connection: OpaquePointer) -> CurlHandle? { users[connection] }

    func noteUser(_ handle: CurlHandle, of connection: OpaquePointer) { users[connection] = handle }

    func removeUser(_ handle: CurlHandle, of connection: OpaquePointer) {
        if users[connection]?.easy == handle.easy { users[connection] = nil }
    }

    /// Whether data or an end has arrived on an idle connection by `route`. Reads nothing. All connections to a unix-domain
    /// socket have one route, and what arrives for a running transfer is for that.
    func hasArrivals(_ route: ConnectionEndpoints) -> Bool {
        // Mostly it is the only connection, which is compared in less time than hashed.
        if routes.count == 1, let only = routes.first { return only.value == route && Self.hasArrived(only.key) }
        guard let open = sockets[route] else { return false }
        return open.contains { (open.count == 1 || !isAwaited($0)) && Self.hasArrived($0) }
    }

    private static func hasArrived(_ socket: CInt) -> Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT))
        return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
    }
}

/// Opened sockets by their local port, which a socket has once it connects.
///
/// Each socket is asked for its port about once. Connections are not established in the order of opening: with 10,000
/// of them, asking all remaining sockets for each took millions of system calls.
private struct OpenedSockets {
    /// Sockets that have no known port.
    private var unbound: [CInt] = []
    private var sockets: [Int: [CInt]] = [:]
    private var ports: [CInt: Int] = [:]

    var all: [CInt] { unbound + ports.keys }
    var count: Int { unbound.count + ports.count }

    mutating func append(_ socket: CInt) { unbound.append(socket) }

    /// Removes and returns that of the connection by `route`. Those to unix-domain sockets have no port.
    mutating func take(_ route: ConnectionEndpoints) -> CInt? {
        guard let localPort = route.localPort, localPort != 0 else {
            return unbound.firstIndex { Self.localPort(of: $0) == 0 }.map { unbound.remove(at: $0) }
        }
        // Connections to several destinations may have one local port.
        let address = route.remoteAddress.flatMap(IPAddress.bytes)
        func leadsThere(_ socket: CInt) -> Bool {
            guard let end = Self.end({ getpeername(socket, $0, $1) }) else { return false }
            return end.address == address && end.port == route.remotePort
        }
        var socket = sockets[localPort]?.first(where: leadsThere)
        if socket == nil {
            look()
            socket = sockets[localPort].flatMap { $0.first(where: leadsThere) ?? $0.first }
        }
        if let socket { remove(socket) }
        return socket
    }

    private mutating func look() {
        unbound.removeAll { socket in
            let port = Self.localPort(of: socket)
            guard port > 0 else { return false }
            sockets[port, default: []].append(socket)
            ports[socket] = port
            return true
        }
    }

    mutating func remove(_ socket: CInt) {
        guard let port = ports.removeValue(forKey: socket) else { return unbound.removeAll { $0 == socket } }
        sockets[port]?.removeAll { $0 == socket }
        if sockets[port]?.isEmpty == true { sockets[port] = nil }
    }

    /// 0 for a unix-domain socket.
    private static func localPort(of socket: CInt) -> Int { end { getsockname(socket, $0, $1) }?.port ?? -1 }

    /// The address and the port that `ask` finds; none for a unix-domain socket. Nil if it fails.
    private static func end(
        _ ask: (UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> (address: [UInt8], port: Int)? {
        var name = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutableBytes(of: &name) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { ask($0.baseAddress, &length) }
        }
        guard result == 0 else { return nil }
        let family = CInt(name.ss_family)
        let address = withUnsafeBytes(of: &name) { CurlDestinations.address(in: $0, family: family) }
        // In both structures the port follows two bytes, in network order.
        return (address, address.isEmpty ? 0 : withUnsafeBytes(of: &name) { Int($0[2]) << 8 | Int($0[3]) })
    }
}
