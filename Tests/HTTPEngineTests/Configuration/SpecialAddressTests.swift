@testable import HTTPEngine
import Testing

import HTTPCore

/// Which addresses are on the public internet. The ranges are repeated here by their first and last address, as in the
/// IANA registries.
@Suite struct SpecialAddressTests {
    typealias Rule = DestinationFailure.Rule

    private func rule(_ text: String) throws -> Rule? {
        SpecialAddresses.rule(for: try #require(IPAddress.bytes(of: text), "\(text)"))
    }

    @Test(
        arguments: [
            ("0.0.0.0", "0.255.255.255", .unspecified), ("10.0.0.0", "10.255.255.255", .privateUse),
            ("100.64.0.0", "100.127.255.255", .carrierGradeNAT), ("127.0.0.0", "127.255.255.255", .loopback),
            ("169.254.0.0", "169.254.255.255", .linkLocal), ("172.16.0.0", "172.31.255.255", .privateUse),
            ("192.0.0.0", "192.0.0.255", .protocolAssignment), ("192.0.2.0", "192.0.2.255", .documentation),
            ("192.88.99.0", "192.88.99.255", .sixToFour), ("192.168.0.0", "192.168.255.255", .privateUse),
            ("198.18.0.0", "198.19.255.255", .benchmarking), ("198.51.100.0", "198.51.100.255", .documentation),
            ("203.0.113.0", "203.0.113.255", .documentation), ("224.0.0.0", "239.255.255.255", .multicast),
            ("240.0.0.0", "255.255.255.254", .reserved), ("255.255.255.255", "255.255.255.255", .broadcast),
            ("169.254.169.254", "169.254.169.254", .cloudMetadata), ("168.63.129.16", "168.63.129.16", .cloudMetadata),
            ("100.100.100.200", "100.100.100.200", .cloudMetadata), ("fd00:ec2::254", "fd00:ec2::254", .cloudMetadata),
            ("169.254.170.2", "169.254.170.23", .cloudMetadata), ("192.0.0.192", "192.0.0.192", .cloudMetadata),
            ("fd00:ec2::23", "fd20:ce::254", .cloudMetadata),
            ("::", "::", .unspecified), ("::1", "::1", .loopback), ("::2", "::255.255.255.255", .ipv4Compatible),
            ("0:0:0:0:0:1::", "::fffe:ffff:ffff", .reserved), ("64:ff9a::", "64:ff9a::1", .reserved),
            ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", .localTranslation),
            ("64:ff9b::7f00:1", "64:ff9b::127.255.255.255", .loopback),
            ("64:ff9b::169.254.169.254", "64:ff9b::168.63.129.16", .cloudMetadata),
            ("::ffff:10.0.0.0", "::ffff:10.255.255.255", .privateUse), ("::ffff:7f00:1", "::ffff:127.0.0.1", .loopback),
            ("100::", "100::ffff:ffff:ffff:ffff", .discard), ("100:0:0:1::", "100::1:ffff:ffff:ffff:ffff", .discard),
            ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", .teredo),
            ("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", .protocolAssignment),
            ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", .benchmarking),
            ("2001:10::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", .protocolAssignment),
            ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
            ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .sixToFour),
            ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", .documentation),
            ("4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .reserved),
            ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .segmentRouting),
            ("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "5f01::", .reserved),
            ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .uniqueLocal),
            ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .linkLocal),
            ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .siteLocal),
            ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast),
        ] as [(String, String, Rule)])
    func `a range is refused from its first to its last address`(first: String, last: String, rule: Rule) throws {
        #expect(try self.rule(first) == rule)
        #expect(try self.rule(last) == rule)
    }

    @Test(arguments: [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "191.255.255.255", "192.0.1.0", "192.0.1.255", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255",
        "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0",
        "223.255.255.255", "8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b::808:808", "2000::", "2001:200::",
        "2001:db7:ffff::", "2001:db9::", "2003::", "2606:4700:4700::1111", "3ffe::", "3fff:1000::",
        "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ])
    func `the neighbours of a range are public`(address: String) throws {
        #expect(try rule(address) == nil)
    }

    @Test func `every block of the tables is valid and every rule for addresses has one`() {
        let blocks = SpecialAddresses.ipv4Blocks + SpecialAddresses.ipv6Blocks
        for (text, rule) in blocks {
            let start = IPAddress.bytes(of: String(text.prefix { $0 != "/" })) ?? []
            #expect(AddressBlock(text)?.contains(start) == true, "\(text)")
            #expect(SpecialAddresses.rule(for: start) != nil, "\(text), \(rule)")
        }
        let others: Set<Rule> = [.unknownFamily, .refusedBlock, .port, .unixSocket, .nameBehindProxy]
        #expect(Set(blocks.map(\.rule)).union(others) == Set(Rule.allCases))
    }

    @Test(
        arguments: [[], [127, 0, 0], Array(repeating: 0, count: 15), Array(repeating: 0x20, count: 17)] as [[UInt8]])
    func `bytes that are not an address are refused`(bytes: [UInt8]) {
        #expect(SpecialAddresses.rule(for: bytes) == .unknownFamily)
    }

    @Test(arguments: [
        ("1.2.3.4", "1.2.3.4"), ("0:0:0:0:0:0:0:0", "::"), ("0:0:0:0:0:0:0:1", "::1"), ("1:0:0:0:0:0:0:0", "1::"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0DB8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("0:1:0:0:0:2:0:0", "0:1::2:0:0"),
        ("::ffff:7f00:1", "::ffff:127.0.0.1"),
    ])
    func `an address is written as in RFC 5952`(spelling: String, text: String) throws {
        let bytes = try #require(IPAddress.bytes(of: spelling))
        #expect(IPAddress.text(of: bytes) == text)
        #expect(IPAddress.bytes(of: text) == bytes)
    }
}
