#if canImport(CLibcurl)
import CLibcurl
import HTTPSupport
import Testing

@testable import HTTPCurl

/// The sockets of an event loop, found by the ends of their connections.
@Suite struct CurlConnectionSocketsTests {
    /// `areKnown`: whether the port of the first was asked for before the second was opened.
    @Test(arguments: [false, true])
    func `of two connections from one local port each has its own socket`(areKnown: Bool) throws {
        let listener = try TestSocket()
        listener.call("0.0.0.0", 0, bind)
        #expect(listen(listener.descriptor, 2) == 0)
        let (one, other) = (try TestSocket(), try TestSocket())
        one.call("0.0.0.0", 0, bind)
        one.call("127.0.0.1", listener.port, connect)
        other.call("0.0.0.0", one.port, bind)
        other.call("127.0.0.2", listener.port, connect)
        #expect(one.port == other.port)
        let peer = try TestSocket(adopting: accept(listener.descriptor, nil, nil))

        let sockets = CurlConnectionSockets { _ in false }
        sockets.add(one.descriptor)
        if areKnown { sockets.noteConnection(Self.route("127.0.0.3", listener.port, from: 1), nil) }
        sockets.add(other.descriptor)
        let routes = ["127.0.0.2", "127.0.0.1"].map { Self.route($0, listener.port, from: one.port) }
        for route in routes { sockets.noteConnection(route, nil) }
        #expect(send(peer.descriptor, "x", 1, 0) == 1)
        var watched = pollfd(fd: one.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(poll(&watched, 1, 10_000) == 1)
        #expect(routes.map(sockets.hasArrivals) == [false, true])
        // Nor does the only one that is left stand for another.
        sockets.remove(other.descriptor)
        #expect(routes.map(sockets.hasArrivals) == [false, true])
    }

    private static func route(_ address: String, _ port: Int, from localPort: Int) -> ConnectionEndpoints {
        var route = ConnectionEndpoints(isUnixSocket: false)
        address.withCString {
            route.note(CurlEndpoints(remoteAddress: $0, remotePort: port, localAddress: $0, localPort: localPort))
        }
        return route
    }
}

/// A socket whose port another may have, too.
private final class TestSocket {
    let descriptor: CInt

    init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var yes: CInt = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    }

    init(adopting descriptor: CInt) throws {
        self.descriptor = descriptor
        try #require(descriptor >= 0)
    }

    deinit { close(descriptor) }

    func call(_ address: String, _ port: Int, _ function: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt) {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(port).bigEndian
        #expect(inet_pton(AF_INET, address, &name.sin_addr) == 1)
        let result = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        #expect(result == 0, "\(address):\(port)")
    }

    var port: Int {
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return result == 0 ? Int(UInt16(bigEndian: name.sin_port)) : 0
    }
}
#endif
