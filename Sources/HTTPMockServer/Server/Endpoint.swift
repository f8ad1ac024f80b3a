import HTTPSupport

extension MockServer {
    /// The address of a server, reachable only from this machine.
    public enum Endpoint: Sendable, Hashable {
        /// 127.0.0.1. Port 0, the default, lets the system choose a free one.
        case ipv4(port: Int = 0)
        /// ::1. Port 0, the default, lets the system choose a free one.
        case ipv6(port: Int = 0)
        /// A Unix domain socket, created by the server at `path` and removed when it stops. The system limits the path
        /// to about 100 bytes.
        case unix(path: String)
    }
}

extension MockServer.Endpoint: CustomStringConvertible {
    public var description: String {
        switch self {
        case .ipv4(let port): "127.0.0.1:\(port)"
        case .ipv6(let port): "[::1]:\(port)"
        case .unix(let path): path
        }
    }
}

extension MockServer.Endpoint {
    /// The port to bind, or the bound port of a started server; 0 for a Unix domain socket.
    package var port: Int {
        switch self {
        case .ipv4(let port), .ipv6(let port): port
        case .unix: 0
        }
    }

    func replacingPort(_ port: Int) -> MockServer.Endpoint {
        switch self {
        case .ipv4: .ipv4(port: port)
        case .ipv6: .ipv6(port: port)
        case .unix: self
        }
    }

    package var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls `body` with this endpoint as a socket address. Returns nil without a call if there is no such address: for
    /// a port out of range or a path that is too long.
    package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
        switch self {
        case .ipv4(let port):
            guard let port = UInt16(exactly: port) else { return nil }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return Self.withPointer(to: address, body)
        case .ipv6(let port):
            guard let port = UInt16(exactly: port) else { return nil }
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            return Self.withPointer(to: address, body)
        case .unix(let path):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
                guard path.utf8.count < room.count else { return false }
                room.copyBytes(from: path.utf8)
                return true
            }
            return fits ? Self.withPointer(to: address, body) : nil
        }
    }

    private static func withPointer<Address, Result>(
        to address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
