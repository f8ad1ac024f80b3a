#if canImport(CLibcurl)
import HTTPMockServer
import Testing

@testable import HTTPCurl

@Suite struct ConnectionEndpointsTests {
    @Test func `nothing is known before the first connection`() {
        let route = ConnectionEndpoints(isUnixSocket: false)
        #expect(route.remoteAddress == nil && route.localAddress == nil)
        #expect(route.remotePort == nil && route.localPort == nil)
    }

    @Test func `both ends are those of the connection noted last`() {
        var route = ConnectionEndpoints(isUnixSocket: false)
        note("192.0.2.1", 80, "192.0.2.7", 5000, in: &route)
        #expect(ends(of: route) == ["192.0.2.1", "80", "192.0.2.7", "5000"])
        // The same addresses with other ports.
        note("192.0.2.1", 81, "192.0.2.7", 5001, in: &route)
        #expect(ends(of: route) == ["192.0.2.1", "81", "192.0.2.7", "5001"])
        // One address differs at its end, not in length.
        note("192.0.2.2", 81, "192.0.2.7", 5001, in: &route)
        #expect(ends(of: route) == ["192.0.2.2", "81", "192.0.2.7", "5001"])
        note("192.0.2.2", 81, "192.0.2.70", 5001, in: &route)
        #expect(ends(of: route) == ["192.0.2.2", "81", "192.0.2.70", "5001"])
        // Too long for a string with inline storage.
        note("2001:db8::1234:5678", 443, "2001:db8::9", 5002, in: &route)
        note("2001:db8::1234:5678", 443, "2001:db8::9", 5003, in: &route)
        #expect(ends(of: route) == ["2001:db8::1234:5678", "443", "2001:db8::9", "5003"])
    }

    @Test func `a failed connection clears the ends of the last one`() {
        var route = ConnectionEndpoints(isUnixSocket: false)
        note("127.0.0.1", 80, "127.0.0.1", 5000, in: &route)
        note("", 0, "", 0, in: &route)
        #expect(ends(of: route) == [nil, nil, nil, nil])
    }

    @Test func `a unix-domain socket has no address`() {
        var route = ConnectionEndpoints(isUnixSocket: true)
        note("/run/some.sock", 80, "", 0, in: &route)
        #expect(ends(of: route) == [nil, nil, nil, nil])
    }

    private func note(
        _ remote: String, _ remotePort: Int, _ local: String, _ localPort: Int, in route: inout ConnectionEndpoints
    ) {
        remote.withCString { remote in
            local.withCString { local in
                route.note(
                    CurlEndpoints(
                        remoteAddress: remote, remotePort: remotePort, localAddress: local, localPort: localPort))
            }
        }
    }

    private func ends(of route: ConnectionEndpoints) -> [String?] {
        [route.remoteAddress, route.remotePort.map(String.init), route.localAddress, route.localPort.map(String.init)]
    }
}
#endif
