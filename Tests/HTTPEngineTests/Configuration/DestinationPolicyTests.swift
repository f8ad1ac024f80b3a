import HTTPEngine
import Testing

import HTTPCore
@testable import HTTPCurl

/// The decision of a policy about an origin, before and after its address is known.
@Suite struct DestinationPolicyTests {
    typealias Rule = DestinationFailure.Rule

    /// The rule that refuses `url` at `address`; nil if it is allowed.
    private func rule(
        _ policy: DestinationPolicy, _ url: String, at address: String? = nil, proxy: String? = nil, unix: String? = nil
    ) throws -> Rule? {
        let origin = try HTTPURL(url).origin
        let proxy = try proxy.map { try Proxy($0) }
        guard let destinations = DestinationGuard(policy, origin: origin, proxy: proxy, unixSocketPath: unix) else {
            return nil
        }
        if let refusal = destinations.refusal { return refusal.rule }
        return try address.flatMap { destinations.refusal(of: try #require(IPAddress.bytes(of: $0)))?.rule }
    }

    @Test func `a policy may come from lists, as from a configuration`() throws {
        let (hosts, blocks, ports, sockets) = (["a.example"], ["10.1.0.0/16"], [80, 8080], ["/run/a.sock"])
        let policy = DestinationPolicy.publicInternetOnly(
            allowing: [.hosts(hosts), .blocks(blocks), .ports(ports), .unixSockets(sockets)], refusing: ["8.8.8.0/24"])
        #expect(
            policy
                == .publicInternetOnly(
                    allowing: .hosts("a.example"), .blocks("10.1.0.0/16"), .ports(80, 8080),
                    .unixSockets("/run/a.sock"), refusing: ["8.8.8.0/24"]))
        #expect(try rule(policy, "http://b.example/", at: "10.1.2.3") == nil)
        #expect(try rule(policy, "http://b.example/", at: "8.8.8.8") == .refusedBlock)
        #expect(DestinationPolicy.publicInternetOnly(allowing: []) == .publicInternetOnly)
        #expect(throws: Unsupported.self) { try DestinationPolicy.publicInternetOnly(allowing: .ports([])).check() }
    }

    @Test(
        arguments: [
            ("http://a.example/", "8.8.8.8", nil), ("http://a.example/", "10.0.0.1", .privateUse),
            ("http://a.example:22/", "2606:4700::1", nil), ("http://a.example/", "::ffff:127.0.0.1", .loopback),
            ("http://8.8.8.8/", nil, nil), ("http://127.0.0.1/", nil, .loopback),
            ("http://[::1]:8080/", nil, .loopback),
            ("http://[::ffff:10.1.2.3]/", nil, .privateUse), ("http://169.254.169.254/", nil, .cloudMetadata),
            ("http://localhost/", nil, nil), ("http://localhost/", "127.0.0.1", .loopback),
        ] as [(String, String?, Rule?)])
    func `addresses are judged, and names only by their addresses`(url: String, address: String?, rule: Rule?) throws {
        #expect(try self.rule(.publicInternetOnly, url, at: address) == rule)
        #expect(try self.rule(.publicInternetOnly(), url, at: address) == rule)
        #expect(try self.rule(.anywhere, url, at: address) == nil)
    }

    @Test(
        arguments: [
            ("metrics.internal", "http://metrics.internal/", nil),
            ("METRICS.internal.", "http://metrics.INTERNAL:81/", nil),
            ("metrics.internal", "http://metrics.internal./", nil),
            ("BÜCHER.internal", "http://xn--bcher-kva.internal/", nil),
            ("metrics.internal", "http://a.metrics.internal/", .privateUse),
            ("metrics.internal", "http://xmetrics.internal/", .privateUse), ("*.internal", "http://a.b.internal/", nil),
            ("*.internal", "http://internal/", .privateUse), ("*.internal", "http://ainternal/", .privateUse),
            ("a.internal:81", "http://a.internal:81/", nil), ("a.internal:81", "http://a.internal/", .privateUse),
            ("10.0.0.1", "http://10.0.0.1/", nil), ("10.0.0.1", "http://[::ffff:10.0.0.1]/", .privateUse),
            ("10.0.0.1", "http://other/", .privateUse), ("[fd00::1]:81", "http://[fd00:0::1]:81/", nil),
            ("fd00::1", "http://[fd00::1]/", nil),
        ] as [(String, String, Rule?)])
    func `an allowed host may have any address`(entry: String, url: String, rule: Rule?) throws {
        #expect(try self.rule(.publicInternetOnly(allowing: .hosts(entry)), url, at: "10.0.0.1") == rule)
    }

    @Test(
        arguments: [
            ("10.1.0.0/16", "10.1.2.3", nil), ("10.1.0.0/16", "10.2.0.0", .privateUse),
            ("10.1.0.0/16", "::ffff:10.1.2.3", nil), ("::ffff:10.1.0.0/112", "10.1.2.3", nil),
            ("10.1.0.0/16", "64:ff9b::10.1.2.3", .privateUse),
            ("fd12::/16", "fd12::1", nil), ("fd12::/16", "fd13::1", .uniqueLocal), ("127.0.0.1", "127.0.0.1", nil),
            ("0.0.0.0/0", "169.254.169.254", .cloudMetadata), ("169.254.169.254", "169.254.169.254", nil),
            ("100.64.0.0/10", "100.100.100.200", .cloudMetadata), ("0.0.0.0/0", "::1", .loopback),
            ("169.254.170.0/24", "169.254.170.2", .cloudMetadata), ("fd00::/8", "fd00:ec2::23", .cloudMetadata),
        ] as [(String, String, Rule?)])
    func `an allowed block is allowed under any name`(block: String, address: String, rule: Rule?) throws {
        let policy = DestinationPolicy.publicInternetOnly(allowing: .blocks(block))
        #expect(try self.rule(policy, "http://a.example/", at: address) == rule)
        #expect(try self.rule(policy, "http://\(address.contains(":") ? "[\(address)]" : address)/") == rule)
    }

    @Test(arguments: [
        ("169.254.42.42", "169.254.0.0/16"), ("169.254.0.23", "169.254.0.0/24"), ("169.254.10.10", "169.254.0.0/16"),
        ("fd00:42::42", "fd00:42::/32"), ("fd00:c1::a9fe:a9fe", "fd00::/8"), ("fe80::a9fe:a9fe", "fe80::/10"),
        ("fd00:a9fe:a9fe::1", "fd00::/8"), ("fd00:100::100:200", "fd00:100::/32"),
    ])
    func `a metadata service is allowed by its exact address alone`(address: String, block: String) throws {
        let url = "http://\(address.contains(":") ? "[\(address)]" : address)/"
        #expect(try rule(.publicInternetOnly(allowing: .blocks(block)), url) == .cloudMetadata)
        #expect(
            try rule(.publicInternetOnly(allowing: .blocks(block)), "http://a.example/", at: address) == .cloudMetadata)
        #expect(try rule(.publicInternetOnly(allowing: .blocks(address)), url) == nil)
    }

    @Test func `a refused block takes precedence over an allowed one, and a host by name over both`() throws {
        let policy = DestinationPolicy.publicInternetOnly(
            allowing: .blocks("10.0.0.0/8"), .hosts("own.example"),
            refusing: ["10.9.0.0/16", "8.8.0.0/16", "::ffff:8.4.0.0/112"])
        let rules: [(String, Rule?)] = [
            ("10.1.0.1", nil), ("10.9.0.1", .refusedBlock), ("8.8.8.8", .refusedBlock),
            ("::ffff:8.8.8.8", .refusedBlock), ("8.5.0.8", nil), ("8.4.4.8", .refusedBlock),
            // A translator forwards it to 8.8.8.8.
            ("64:ff9b::8.8.8.8", .refusedBlock), ("64:ff9b::9.9.9.9", nil),
        ]
        for (address, rule) in rules {
            #expect(try self.rule(policy, "http://a.example/", at: address) == rule)
            #expect(try self.rule(policy, "http://own.example/", at: address) == nil)
        }
    }

    @Test(
        arguments: [
            ("https://a.example/", nil), ("http://a.example:80/", nil), ("http://a.example:25/", .port),
            ("http://metrics.internal/", nil), ("http://metrics.internal:9090/", .port),
            ("http://gate.internal:9091/", nil),
            ("http://gate.internal/", nil),
        ] as [(String, Rule?)])
    func `with a list of ports all others are refused, except a host's own`(url: String, rule: Rule?) throws {
        let policy = DestinationPolicy.publicInternetOnly(
            allowing: .ports(80, 443), .hosts("metrics.internal", "gate.internal:9091"))
        #expect(try self.rule(policy, url, at: "8.8.8.8") == rule)
        #expect(try self.rule(.publicInternetOnly, url, at: "8.8.8.8") == nil)
    }

    private static let gate = "http://10.0.0.3:3128"

    @Test(
        arguments: [
            // The proxy's address.
            (.publicInternetOnly, "http://8.8.8.8/", gate, "10.0.0.3", .privateUse),
            (.publicInternetOnly, "http://8.8.8.8/", "http://gate:3128", "10.0.0.3", .privateUse),
            (.publicInternetOnly, "http://8.8.8.8/", "http://gate:3128", "9.9.9.9", nil),
            (
                .publicInternetOnly(allowing: .hosts("gate:3128")), "http://8.8.8.8/", "http://gate:3128", "10.0.0.3",
                nil
            ),
            (
                .publicInternetOnly(allowing: .hosts("gate"), .ports(80)), "http://8.8.8.8/", "http://gate:3128",
                "10.0.0.3", nil
            ),
            (
                .publicInternetOnly(allowing: .hosts("gate:80")), "http://8.8.8.8/", "http://gate:3128", "10.0.0.3",
                .privateUse
            ),
            (.publicInternetOnly(allowing: .blocks("10.0.0.3")), "http://8.8.8.8/", gate, "10.0.0.3", nil),
            // The host behind it.
            (.publicInternetOnly, "http://a.example/", "http://9.9.9.9:3128", nil, .nameBehindProxy),
            (
                .publicInternetOnly(allowing: .hosts("a.example")), "http://a.example/", "http://9.9.9.9:3128",
                "9.9.9.9", nil
            ),
            (.publicInternetOnly, "http://10.0.0.1/", "http://9.9.9.9:3128", nil, .privateUse),
            (.publicInternetOnly, "http://a.example/", "socks4://9.9.9.9:1080", nil, .nameBehindProxy),
            (.publicInternetOnly, "http://a.example/", "socks5h://9.9.9.9:1080", nil, .nameBehindProxy),
            (.publicInternetOnly(allowing: .ports(80)), "http://8.8.8.8:81/", "http://9.9.9.9:3128", nil, .port),
            // A trusted proxy.
            (.publicInternetOnly(allowing: .trustedProxy), "http://a.example/", gate, "10.0.0.3", nil),
            (.publicInternetOnly(allowing: .trustedProxy), "http://localhost/", gate, "10.0.0.3", nil),
            // Names that are resolved here reach such a proxy as addresses, which nobody has judged.
            (
                .publicInternetOnly(allowing: .trustedProxy), "http://localhost/", "socks5://10.0.0.3:1080", nil,
                .nameBehindProxy
            ),
            (
                .publicInternetOnly(allowing: .trustedProxy), "http://a.example/", "socks4://10.0.0.3:1080", nil,
                .nameBehindProxy
            ),
            (
                .publicInternetOnly(allowing: .trustedProxy), "http://9.9.9.9/", "socks5://10.0.0.3:1080", "10.0.0.3",
                nil
            ),
            (
                .publicInternetOnly(allowing: .trustedProxy, .hosts("a.example")), "http://a.example/",
                "socks5://10.0.0.3:1080", "10.0.0.3", nil
            ),
            (
                .publicInternetOnly(allowing: .trustedProxy), "http://a.example/", "socks5h://10.0.0.3:1080",
                "10.0.0.3", nil
            ),
            (
                .publicInternetOnly(allowing: .trustedProxy), "http://a.example/", "socks4a://10.0.0.3:1080",
                "10.0.0.3", nil
            ),
            (.publicInternetOnly(allowing: .trustedProxy), "http://127.0.0.1/", gate, nil, .loopback),
            (.publicInternetOnly(allowing: .trustedProxy), "http://10.0.0.3:3128/", gate, nil, .privateUse),
        ] as [(DestinationPolicy, String, String, String?, Rule?)])
    func `a proxy is judged, and so are the requested targets`(
        policy: DestinationPolicy, url: String, proxy: String, address: String?, rule: Rule?
    ) throws {
        #expect(try self.rule(policy, url, at: address, proxy: proxy) == rule)
    }

    @Test func `a trusted proxy does not allow direct connections`() throws {
        #expect(
            try rule(.publicInternetOnly(allowing: .trustedProxy), "http://a.example/", at: "10.0.0.3") == .privateUse)
    }

    @Test func `a unix-domain socket is judged by its path`() throws {
        #expect(try rule(.publicInternetOnly, "http://8.8.8.8/", unix: "/run/docker.sock") == .unixSocket)
        let policy = DestinationPolicy.publicInternetOnly(allowing: .unixSockets("/run/own.sock"), .ports(80))
        #expect(try rule(policy, "http://localhost:81/", unix: "/run/own.sock") == nil)
        #expect(try rule(policy, "http://localhost/", unix: "/run/docker.sock") == .unixSocket)
        #expect(try rule(.anywhere, "http://localhost/", unix: "/run/docker.sock") == nil)
    }

    @Test(
        arguments: [
            (.hosts(""), "\"\""), (.hosts("*"), "\"*\""), (.hosts("http://a/"), "http://a/"), (.hosts("a:x"), "a:x"),
            (.hosts("a:0"), "a:0"), (.hosts("a", "10.0.0.0/8"), "10.0.0.0/8"), (.hosts("ü／x.example"), "x.example"),
            (.hosts("*.10.0.0.1"), "*.10.0.0.1"), (.blocks("10.0.0.0/33"), "10.0.0.0/33"),
            (.blocks("internal"), "internal"),
            (.blocks("10.0.0.0/-0"), "10.0.0.0/-0"), (.ports(0), "\"0\""), (.ports(80, 65536), "65536"),
            (.ports(), "names no port"),
        ] as [(DestinationPolicy.Allowance, String)])
    func `an invalid part of a policy is named`(allowance: DestinationPolicy.Allowance, words: String) {
        let error = #expect(throws: Unsupported.self) {
            try DestinationPolicy.publicInternetOnly(allowing: allowance).check()
        }
        let text = error.map { "\(HTTPError.unsupported($0))" } ?? ""
        #expect(text.contains(words) && text.contains("policy of destinations"), "\(text)")
    }

    @Test func `a valid policy is accepted`() throws {
        try DestinationPolicy.publicInternetOnly(
            allowing: .hosts("a", "*.b.example:81", "[::1]:80", "::1"), .blocks("10.0.0.0/8", "::1"), .ports(1, 65535),
            .trustedProxy, refusing: ["1.2.3.4"]
        ).check()
        #expect(throws: Unsupported.self) { try DestinationPolicy.publicInternetOnly(refusing: ["1.2.3"]).check() }
    }
}
