/// Addresses that are not on the public internet, by the IANA special-purpose address registries (RFC 6890 and its
/// updates), and addresses at which clouds serve credentials to their machines.
enum SpecialAddresses {
    typealias Rule = DestinationFailure.Rule

    /// Why an address of 4 or 16 bytes is not on the public internet; nil if it is.
    static func rule(for address: [UInt8]) -> Rule? {
        switch address.count {
        case 4: return first(of: ipv4, with: address)
        case 16:
            if IPAddress.isMapped(address) { return rule(for: Array(address.suffix(4))) }
            if let rule = first(of: ipv6, with: address) { return rule }
            if let end = forwarded(address) { return rule(for: end) }
            // The rest of the address space is unassigned (RFC 4291 §2.4).
            return globalUnicast?.contains(address) == true ? nil : .reserved
        default: return .unknownFamily
        }
    }

    /// The IPv4 address to which a translator forwards, the last bytes of `address` (RFC 6052 §2.1); nil for any other.
    static func forwarded(_ address: [UInt8]) -> [UInt8]? {
        translated?.contains(address) == true ? Array(address.suffix(4)) : nil
    }

    private static func first(of entries: [Entry], with address: [UInt8]) -> Rule? {
        entries.first { $0.block.contains(address) }?.rule
    }

    private typealias Entry = (block: AddressBlock, rule: Rule)

    /// A test checks that no block is misspelled.
    private static func parsed(_ entries: [(text: String, rule: Rule)]) -> [Entry] {
        entries.compactMap { entry in AddressBlock(entry.text).map { ($0, entry.rule) } }
    }

    private static let ipv4 = parsed(ipv4Blocks)
    private static let ipv6 = parsed(ipv6Blocks)
    private static let globalUnicast = AddressBlock("2000::/3")
    private static let translated = AddressBlock("64:ff9b::/96")

    // The first match counts, so a single address comes before its block.

    static let ipv4Blocks: [(text: String, rule: Rule)] = [
        // AWS, Azure, Google Cloud, Oracle, DigitalOcean and others; then AWS containers and pods, Alibaba, Oracle
        // Classic, and Azure's WireServer, which has a public address; Scaleway; Tencent.
        ("169.254.169.254", .cloudMetadata), ("169.254.170.2", .cloudMetadata), ("169.254.170.23", .cloudMetadata),
        ("100.100.100.200", .cloudMetadata), ("192.0.0.192", .cloudMetadata), ("168.63.129.16", .cloudMetadata),
        ("169.254.42.42", .cloudMetadata), ("169.254.0.23", .cloudMetadata), ("169.254.10.10", .cloudMetadata),
        ("0.0.0.0/8", .unspecified),
        ("10.0.0.0/8", .privateUse), ("172.16.0.0/12", .privateUse), ("192.168.0.0/16", .privateUse),
        ("100.64.0.0/10", .carrierGradeNAT),
        ("127.0.0.0/8", .loopback),
        ("169.254.0.0/16", .linkLocal),
        ("192.0.0.0/24", .protocolAssignment),
        ("192.0.2.0/24", .documentation), ("198.51.100.0/24", .documentation), ("203.0.113.0/24", .documentation),
        ("192.88.99.0/24", .sixToFour),
        ("198.18.0.0/15", .benchmarking),
        ("224.0.0.0/4", .multicast),
        ("255.255.255.255", .broadcast),
        ("240.0.0.0/4", .reserved),
    ]

    static let ipv6Blocks: [(text: String, rule: Rule)] = [
        // AWS and its pods; Google Cloud; Scaleway, Oracle, OpenStack, Akamai and Alibaba.
        ("fd00:ec2::254", .cloudMetadata), ("fd00:ec2::23", .cloudMetadata), ("fd20:ce::254", .cloudMetadata),
        ("fd00:42::42", .cloudMetadata), ("fd00:c1::a9fe:a9fe", .cloudMetadata), ("fe80::a9fe:a9fe", .cloudMetadata),
        ("fd00:a9fe:a9fe::1", .cloudMetadata), ("fd00:100::100:200", .cloudMetadata),
        ("::", .unspecified),
        ("::1", .loopback),
        ("::/96", .ipv4Compatible),
        ("64:ff9b:1::/48", .localTranslation),
        ("100::/64", .discard), ("100:0:0:1::/64", .discard),
        ("2001::/32", .teredo),
        ("2001:2::/48", .benchmarking),
        ("2001::/23", .protocolAssignment),
        ("2001:db8::/32", .documentation), ("3fff::/20", .documentation),
        ("2002::/16", .sixToFour),
        ("5f00::/16", .segmentRouting),
        ("fc00::/7", .uniqueLocal),
        ("fe80::/10", .linkLocal),
        ("fec0::/10", .siteLocal),
        ("ff00::/8", .multicast),
    ]
}
