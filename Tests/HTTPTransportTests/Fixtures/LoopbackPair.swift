import HTTPMockServer

/// A server at each loopback address, both at the same port.
struct LoopbackPair {
    let ipv4: MockServer
    /// Nil on a machine without ::1.
    let ipv6: MockServer?

    init(_ handler: @escaping MockServer.Handler) throws {
        let hasIPv6 = (try? MockServer(on: .ipv6())) != nil
        // The port may be in use at the other address.
        for _ in 0..<20 {
            let server = try MockServer(handler: handler)
            let other = try? MockServer(on: .ipv6(port: server.port), handler: handler)
            guard other == nil, hasIPv6 else { (ipv4, ipv6) = (server, other); return }
        }
        throw NoCommonPort()
    }

    struct NoCommonPort: Error {}

    var port: Int { ipv4.port }
    var connectionCount: Int { ipv4.connectionCount + (ipv6?.connectionCount ?? 0) }
}
