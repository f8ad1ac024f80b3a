import TestSupport
import HTTPEngine

#if os(Linux)
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Settings of connections, as the server and the system see them.
@Suite(.timeLimit(.minutes(5))) struct ConnectionSettingsTests {
    private func client(_ change: (inout CurlConfiguration) -> Void) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.proxy = .none
        change(&configuration)
        return try CurlTransport(configuration)
    }

    private func refusal(_ change: (inout CurlConfiguration) -> Void) -> String? {
        do { _ = try client(change) } catch { return "\(error)" }
        return nil
    }

    /// The sockets of the system whose remote port is `port`.
    private func sockets(toPort port: Int, version: Int = 4) throws -> [SystemSocket] {
        try SystemSocket.all(version: version).filter { $0.remotePort == port }
    }

    /// The remote addresses of the sockets that a server at `port` has.
    private func peers(ofPort port: Int) throws -> Set<String> {
        Set(try SystemSocket.all(version: 4).filter { $0.localPort == port && $0.isConnected }.map(\.remoteAddress))
    }

    // MARK: Probes

    @Test func `configurations are equal if all their settings are`() {
        var other = CurlConfiguration()
        #expect(other == CurlConfiguration() && Set([other, CurlConfiguration()]).count == 1)
        other.localEnd = .address("127.0.0.1")
        #expect(other != CurlConfiguration())
    }

    @Test func `a quiet connection is probed after 30 seconds, and after the silence that was set`() throws {
        for (probes, least, most) in [
            (CurlConfiguration.KeepAliveProbes(), 25, 30), (.init(idle: .seconds(90), interval: .seconds(5)), 85, 90),
        ] {
            let server = try MockServer { _ in .text("ok") }
            let client = try client { $0.keepAliveProbes = probes }
            _ = try client.send(.get(server.url))
            try withExtendedLifetime(client) {
                let socket = try #require(try sockets(toPort: server.port).first { $0.isConnected })
                #expect(socket.isProbed && (least...most).contains(socket.timerSeconds), "\(socket)")
            }
        }
    }

    @Test(arguments: [
        (CurlConfiguration.KeepAliveProbes(), 10, 120_000),
        (.init(idle: .seconds(90), interval: .seconds(5)), 5, 135_000),
        (nil, 0, 0),
    ])
    func `a connection of HTTP/2 waits for what is not acknowledged as long as for its probes`(
        probes: CurlConfiguration.KeepAliveProbes?, interval: Int32, milliseconds: Int32
    ) throws {
        let server = try MockServer(security: .tls(), versions: [.http2]) { _ in .text("ok") }
        let authority = try #require(server.certificateAuthority)
        let client = try client {
            $0.keepAliveProbes = probes
            $0.tls.authorities = authority.trust
        }
        #expect(try client.send(.get(server.url)).version == .http2)
        try withExtendedLifetime(client) {
            let socket = try #require(ownSocket(toPort: server.port))
            if probes != nil { #expect(option(TCP_KEEPINTVL, of: socket) == interval) }
            #expect(option(TCP_USER_TIMEOUT, of: socket) == milliseconds)
        }
    }

    @Test(arguments: [false, true]) func `a connection that no calls share does not`(isSecure: Bool) throws {
        let server = try MockServer(security: isSecure ? .tls() : .none) { _ in .text("ok") }
        let client = try client { $0.tls.authorities = server.certificateAuthority?.trust ?? .system }
        #expect(try client.send(.get(server.url)).version == .http1_1)
        try withExtendedLifetime(client) {
            let socket = try #require(ownSocket(toPort: server.port))
            #expect(option(TCP_USER_TIMEOUT, of: socket) == 0)
        }
    }

    /// A socket of this process that is connected to `port`.
    private func ownSocket(toPort port: Int) -> Int32? {
        (0..<4096).first { descriptor in
            var name = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutableBytes(of: &name) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { getpeername(descriptor, $0.baseAddress, &length) }
            }
            guard result == 0, name.sin_family == sa_family_t(AF_INET) else { return false }
            return Int(UInt16(bigEndian: name.sin_port)) == port
        }
    }

    private func option(_ option: Int32, of socket: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, Int32(IPPROTO_TCP), option, &value, &length)
        return value
    }

    @Test func `without probes the system has no timer for it`() throws {
        let server = try MockServer { _ in .text("ok") }
        let client = try client { $0.keepAliveProbes = nil }
        _ = try client.send(.get(server.url))
        try withExtendedLifetime(client) {
            let sockets = try sockets(toPort: server.port).filter(\.isConnected)
            #expect(sockets.count == 1 && !sockets[0].isProbed, "\(sockets)")
        }
    }

    // MARK: The local end

    @Test func `the server sees the local address that was set`() throws {
        let server = try MockServer { _ in .text("ok") }
        let client = try client { $0.localEnd = .address("127.0.0.2") }
        let response = try client.send(.get(server.url))
        #expect(response.metrics.localAddress == "127.0.0.2")
        #expect(try peers(ofPort: server.port) == ["127.0.0.2"])
        let batch = client.executeRequests([.get(server.url("/1")), .get(server.url("/2"))])
        #expect(try batch.map { try $0.get().metrics.localAddress } == ["127.0.0.2", "127.0.0.2"])
        #expect(try peers(ofPort: server.port) == ["127.0.0.2"])
    }

    @Test func `an interface is used`() throws {
        let server = try MockServer { _ in .text("ok") }
        #expect(try client { $0.localEnd = .interface("lo") }.send(.get(server.url)).status == .ok)
    }

    @Test func `an address that this machine does not have fails the call, and nothing is sent`() throws {
        let server = try MockServer { _ in .text("ok") }
        for (end, words) in [
            (CurlConfiguration.LocalEnd.address("192.0.2.77"), "192.0.2.77"), (.interface("none9"), "none9"),
        ] {
            let error = #expect(throws: HTTPError.self) { try client { $0.localEnd = end }.send(.get(server.url)) }
            guard case .unsupported? = error else { return unexpected(error as Any) }
            #expect("\(error as Any)".contains(words), "\(error as Any)")
        }
        #expect(server.requestCount == 0 && server.connectionCount == 0)
    }

    @Test func `a local end that is none is refused at once`() {
        for (end, words) in [
            (CurlConfiguration.LocalEnd.address("localhost"), "no IPv4 or IPv6 address"), (.address(""), "no IPv4"),
            (.address("[::1]"), "no IPv4"), (.interface(""), "1 to 15"), (.interface("a/b"), "1 to 15"),
            (.interface("an-interface-name"), "1 to 15"), (.interface("a\nb"), "1 to 15"),
        ] { #expect(refusal { $0.localEnd = end }?.contains(words) == true, "\(end)") }
        let refused = refusal {
            $0.localEnd = .address("::1")
            $0.addressFamily = .ipv4
        }
        #expect(refused?.contains("IPv4 alone") == true, "\(refused as Any)")
        let socket = refusal {
            $0.localEnd = .address("127.0.0.1")
            $0.unixSocketPath = "/run/x"
        }
        #expect(socket?.contains("unix-domain socket") == true, "\(socket as Any)")
    }

    @Test(arguments: [0, 70_000, -1])
    func `a proxy at a port that is none is refused at once`(port: Int) {
        let refused = refusal { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: port)) }
        #expect(refused?.contains("it has the port \(port)") == true, "\(refused as Any)")
    }

    @Test func `a local address decides the IP version`() throws {
        let (old, new) = (try MockServer { _ in .text("4") }, try MockServer(on: .ipv6()) { _ in .text("6") })
        for (local, reached, other) in [("127.0.0.2", old, new), ("::1", new, old)] {
            let client = try client {
                $0.localEnd = .address(local)
                $0.addressOverrides = ["h.example": ["::1", "127.0.0.1"]]
            }
            let response = try client.send(.get("http://h.example:\(reached.port)/"))
            #expect(response.metrics.localAddress == local)
            let error = #expect(throws: HTTPError.self) { try client.send(.get(other.url)) }
            guard case .unsupported? = error else { return unexpected(error as Any) }
            #expect("\(error as Any)".contains("localEnd"), "\(error as Any)")
        }
        #expect(old.requestCount == 1 && new.requestCount == 1)
        let nowhere = refusal {
            $0.localEnd = .address("::1")
            $0.addressOverrides = ["h.example": ["127.0.0.1"]]
        }
        #expect(nowhere?.contains("h.example") == true, "\(nowhere as Any)")
    }

    // MARK: The IP version

    @Test func `an override with both versions leads to the one that is allowed`() throws {
        let (old, new) = (try MockServer { _ in .text("4") }, try MockServer(on: .ipv6()) { _ in .text("6") })
        for (family, server, text) in [(CurlConfiguration.AddressFamily.ipv4, old, "4"), (.ipv6, new, "6")] {
            let client = try client {
                $0.addressFamily = family
                $0.addressOverrides = ["h.example": ["::1", "127.0.0.1"]]
            }
            let response = try client.send(.get("http://h.example:\(server.port)/"))
            #expect(try response.text() == text)
            #expect(response.metrics.remoteAddress == (family == .ipv4 ? "127.0.0.1" : "::1"))
            for response in client.executeRequests([.get("http://h.example:\(server.port)/")]) {
                #expect(try response.get().text() == text)
            }
        }
        #expect(old.requestCount == 2 && new.requestCount == 2)
    }

    @Test func `localhost has the address that is allowed`() throws {
        let server = try MockServer { _ in .text("4") }
        #expect(try client { $0.addressFamily = .ipv4 }.send(.get("http://localhost:\(server.port)/")).text() == "4")
        let error = #expect(throws: HTTPError.self) {
            try client { $0.addressFamily = .ipv6 }.send(.get("http://localhost:\(server.port)/"))
        }
        guard case .connection? = error else { return unexpected(error as Any) }
        #expect(server.requestCount == 1 && server.connectionCount == 1)
    }

    @Test func `an address of the other version is refused before anything is sent`() throws {
        let server = try MockServer { _ in .text("4") }
        let error = #expect(throws: HTTPError.self) {
            try client { $0.addressFamily = .ipv6 }.send(.get(server.url))
        }
        guard case .unsupported? = error else { return unexpected(error as Any) }
        #expect("\(error as Any)".contains("127.0.0.1 over IPv6 cannot be used"), "\(error as Any)")
        #expect(server.connectionCount == 0)
        let refused = refusal {
            $0.addressFamily = .ipv6
            $0.addressOverrides = ["h.example": ["127.0.0.1"]]
        }
        #expect(refused?.contains("none of its addresses is of IPv6") == true, "\(refused as Any)")
    }

    // MARK: Lifetime

    /// The lifetime is in whole seconds, so this takes two.
    @Test func `a connection is used again during its lifetime, and not after it`() throws {
        let server = try MockServer { _ in .text("ok") }
        let client = try client { $0.pool.lifetime = .seconds(1) }
        let start = ContinuousClock.now
        for _ in 0..<2 { _ = try client.send(.get(server.url)) }
        for _ in 0..<2 { _ = client.executeRequests([.get(server.url)]) }
        // A machine that is slow may be late already.
        if start.duration(to: .now) < .seconds(1) { #expect(server.requests.map(\.connection) == [1, 1, 2, 2]) }
        let before = server.connectionCount
        usleep(2_100_000)
        _ = try client.send(.get(server.url))
        _ = client.executeRequests([.get(server.url)])
        #expect(server.requests.suffix(2).map(\.connection) == [before + 1, before + 2])
        try server.wait(for: .openConnections(atMost: 2))
    }

    // MARK: Ahead of the calls

    /// Nothing opens a connection without a request, so a request is what opens one ahead.
    @Test func `requests sent ahead open the connections of calls in the same style`() async throws {
        let server = try MockServer { _ in .text("ok").taking(.milliseconds(50)) }
        let client = try client { _ in }
        let url = server.url
        let heads = try await Dispatcher.shared.run {
            client.executeRequests([MutableRequest](repeating: .head(url), count: 4))
        }
        #expect(try heads.map { try $0.get().status } == [.ok, .ok, .ok, .ok] && server.connectionCount == 4)
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 { group.addTask { _ = try await client.get(url) } }
            try await group.waitForAll()
        }
        #expect(server.connectionCount == 4 && server.requests.count == 8)
        // A blocking call has a connection of its own, which the next one uses.
        for _ in 0..<2 { _ = try await Dispatcher.shared.run { () throws(HTTPError) in try client.get(url) } }
        #expect(server.connectionCount == 5)
    }
}

/// A line of /proc/net/tcp.
private struct SystemSocket: CustomStringConvertible {
    let localPort: Int
    let remoteAddress: String
    let remotePort: Int
    let isConnected: Bool
    /// Whether the timer that runs is that of probes.
    let isProbed: Bool
    let timerSeconds: Int
    let description: String

    /// Read to the end: the table comes in pages, and its size is said to be 0.
    static func all(version: Int) throws -> [SystemSocket] {
        let table = try FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp\(version == 4 ? "" : "6")"))
        let text = String(decoding: try table.readToEnd() ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").dropFirst().compactMap { SystemSocket($0) }
    }

    init?(_ line: Substring) {
        let words = line.split(separator: " ")
        guard words.count > 5 else { return nil }
        let (local, remote, timer) = (
            words[1].split(separator: ":"), words[2].split(separator: ":"), words[5].split(separator: ":")
        )
        guard let localPort = Int(local[1], radix: 16), let remotePort = Int(remote[1], radix: 16),
            let ticks = Int(timer[1], radix: 16)
        else { return nil }
        self.localPort = localPort
        self.remotePort = remotePort
        let octets = stride(from: 0, to: 8, by: 2).compactMap { Int(remote[0].dropFirst($0).prefix(2), radix: 16) }
        remoteAddress = octets.reversed().map(String.init).joined(separator: ".")
        isConnected = words[3] == "01"
        isProbed = timer[0] == "02"
        timerSeconds = (ticks + 99) / 100
        description = String(line)
    }
}
#endif
