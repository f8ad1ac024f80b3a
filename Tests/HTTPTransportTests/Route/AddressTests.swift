import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The address at which a host is reached.
@Suite(.timeLimit(.minutes(5))) struct AddressTests {
    /// Whether this machine has ::1.
    private static let hasIPv6 = (try? MockServer(on: .ipv6())) != nil

    private func transport(_ overrides: [String: [String]]) throws -> CurlTransport {
        try CurlTransport.plain { $0.addressOverrides = overrides }
    }

    @Test(arguments: ["api.example.test", "API.example.test", "api.example.test."])
    func `an override gives a name its address and does not change the Host header`(key: String) throws {
        let server = try MockServer { _ in .text("hello") }
        let client = try transport([key: ["127.0.0.1"]])
        let response = try client.send(.get("http://api.example.test:\(server.port)/"))
        #expect(response.metrics.remoteAddress == "127.0.0.1")
        #expect(try server.takeRequest().headers["Host"] == "api.example.test:\(server.port)")
    }

    @Test func `an override with a port applies to that port and precedes the one without`() throws {
        let (one, two) = (try MockServer { _ in .text("one") }, try MockServer { _ in .text("two") })
        let closed = try ReservedPort()
        let client = try transport([
            "api.example.test:\(one.port)": ["127.0.0.1"], "api.example.test": ["127.0.0.2"],
        ])
        #expect(try client.send(.get("http://api.example.test:\(one.port)/")).text() == "one")
        expectConnectionFailure(
            client.executeRequest(.get("http://api.example.test:\(closed.number)/")), .refused,
            saying: "api.example.test:\(closed.number)")
        #expect(two.connectionCount == 0)
    }

    @Test func `an override does not affect other names`() throws {
        let server = try MockServer { _ in .text("hello") }
        let client = try transport(["api.example.test": ["127.0.0.1"]])
        let error = client.executeRequest(.get("http://www.api.invalid:\(server.port)/")).error
        guard case .resolution(let failure) = error else {
            Issue.record("expected a failure to resolve, got \(String(describing: error))")
            return
        }
        #expect(failure.host == "www.api.invalid")
        #expect(server.connectionCount == 0)
    }

    @Test(.enabled(if: hasIPv6, "needs the address ::1"), arguments: ["::1", "[::1]"])
    func `an override can be an IPv6 address`(address: String) throws {
        let server = try MockServer(on: .ipv6()) { _ in .text("six") }
        let client = try transport(["api.example.test": [address]])
        let response = try client.send(.get("http://api.example.test:\(server.port)/"))
        #expect(try response.text() == "six")
        #expect(response.metrics.remoteAddress == "::1")
    }

    @Test(.enabled(if: hasIPv6, "needs the address ::1"))
    func `a URL can contain an IPv6 address`() throws {
        let server = try MockServer(on: .ipv6()) { _ in .text("six") }
        let response = try CurlTransport.plain().send(.get("http://[::1]:\(server.port)/x"))
        #expect(try response.text() == "six")
        #expect(response.metrics.remoteAddress == "::1")
        #expect(try server.takeRequest().headers["Host"] == "[::1]:\(server.port)")
    }

    @Test(.enabled(if: Needs.nginx && hasIPv6, "\(Needs.nginxAdvice), and the address ::1"))
    func `a certificate is checked for an IPv6 address`() throws {
        for (identity, isGood) in [(Identity.good, true), (.other, false)] {
            let server = try NginxServer(identity, address: "[::1]")
            let result = try CurlTransport.forTests().executeRequest(.get(server.url(host: "[::1]")))
            if isGood { #expect(result.response?.status == .ok) } else { expectTLSFailure(result, .wrongHost) }
            #expect(server.origin.requestCount == (isGood ? 1 : 0))
        }
    }

    @Test(arguments: [["::1", "127.0.0.1"], ["127.0.0.2", "127.0.0.1"], ["100::1", "127.0.0.1"]])
    func `after an address that refuses the next is used`(addresses: [String]) throws {
        let server = try MockServer { _ in .text("hello") }
        let client = try transport(["api.example.test": addresses])
        let response = try client.send(.get("http://api.example.test:\(server.port)/") |> .timeout(.seconds(5)))
        #expect(try response.text() == "hello")
        #expect(response.metrics.remoteAddress == "127.0.0.1")
        #expect(server.requestCount == 1)
    }

    /// libcurl waits 200 ms before it tries the other family. A loaded machine may lose the time that is left; never all ten
    /// times.
    @Test(.enabled(if: hasIPv6)) func `within a short time to connect, the other family of addresses is tried`() throws
    {
        let (server, silent) = try Self.silentPair()
        let client = try transport(["api.example.test": ["::1", "127.0.0.1"]])
        let url = "http://api.example.test:\(server.port)/"
        let request = MutableRequest.get(url) |> .connectTimeout(.milliseconds(190))
        let addresses = (0..<10).lazy.map { _ in (try? client.send(request))?.metrics.remoteAddress }
        #expect(addresses.contains("127.0.0.1"))
        withExtendedLifetime(silent) {}
    }

    /// A server, and a listener at its port of ::1 that answers no attempt. The port may be in use there.
    private static func silentPair() throws -> (MockServer, LoopbackListener) {
        for _ in 0..<20 {
            let server = try MockServer { _ in .text("hello") }
            guard let silent = try? LoopbackListener(binding: .ipv6(port: server.port), backlog: 0) else { continue }
            try silent.fillQueue()
            return (server, silent)
        }
        throw LoopbackPair.NoCommonPort()
    }

    @Test func `a host whose addresses all refuse is refused`() throws {
        let port = try ReservedPort()
        let client = try transport(["api.example.test": ["127.0.0.2", "127.0.0.1"]])
        let result = client.executeRequest(.get("http://api.example.test:\(port.number)/"))
        expectConnectionFailure(
            result, .refused, saying: "api.example.test:\(port.number)", "check host and port")
    }

    @Test(arguments: ["", " ", "a b", ":80", "h/x", "[h]", "a..b", "127.1:80", "[127.0.0.1]"])
    func `an override for what is no host is refused before the first request`(key: String) {
        let error = #expect(throws: HTTPError.self) { try transport([key: ["127.0.0.1"]]) }
        expectUnsupported(error, saying: "\"\(key)\"", "among the address overrides")
    }

    @Test(arguments: ["h:", "h:0", "h:0443", "h:84x3", "h:65536"])
    func `an override for a host with what is no port is refused before the first request`(key: String) {
        let error = #expect(throws: HTTPError.self) { try transport([key: ["127.0.0.1"]]) }
        expectUnsupported(error, saying: "\"\(key)\" among the address overrides", "from 1 to 65535")
    }

    /// libcurl ends a name at its first colon, and forgets one that begins with a hyphen.
    @Test(arguments: [
        ("::1", "IPv6"), ("[::1]", "IPv6"), ("[::1]:80", "IPv6"), ("[::1]x", "IPv6"), ("-h.example", "hyphen"),
        ("-h:80", "hyphen"), ("－bücher.example", "hyphen"),
    ])
    func `an override that libcurl would not apply is refused before the first request`(key: String, words: String) {
        let error = #expect(throws: HTTPError.self) { try transport([key: ["127.0.0.1"]]) }
        expectUnsupported(error, saying: "\"\(key)\" among the address overrides", words)
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.1:80", "my_host:80", "my-host-:80", "bücher.example"])
    func `an override for a host is accepted`(key: String) {
        #expect(throws: Never.self) { try transport([key: ["127.0.0.1"]]) }
    }

    @Test(arguments: [["nonsense"], [], ["127.0.0.1", "127.0.0.1:80"]])
    func `an invalid override is refused before the first request`(addresses: [String]) {
        let error = #expect(throws: HTTPError.self) { try transport(["api.example.test": addresses]) }
        expectUnsupported(error, saying: "api.example.test", "address")
    }
}
