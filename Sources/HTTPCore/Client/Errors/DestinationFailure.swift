/// A destination that the transport's `DestinationPolicy` refuses. No socket was opened for it, nothing was sent, and
/// the call is not retried.
public struct DestinationFailure: Error, Sendable, Hashable {
    /// Why a destination is refused. Addresses are classified by IANA's special-purpose address registries (RFC 6890
    /// and its updates).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Rule: Sendable, Hashable, CaseIterable {
        /// 0.0.0.0/8 and `::`, which reach the local machine (RFC 791 §3.2, RFC 4291 §2.5.2).
        case unspecified
        /// 127.0.0.0/8 and `::1` (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
        case loopback
        /// 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 (RFC 1918).
        case privateUse
        /// 100.64.0.0/10 (RFC 6598).
        case carrierGradeNAT
        /// 169.254.0.0/16 and fe80::/10 (RFC 3927, RFC 4291 §2.5.6).
        case linkLocal
        /// fc00::/7 (RFC 4193).
        case uniqueLocal
        /// fec0::/10 (RFC 3879).
        case siteLocal
        /// Addresses where clouds serve configuration and credentials to their machines: 169.254.169.254, 168.63.129.16
        /// and others.
        case cloudMetadata
        /// 224.0.0.0/4 and ff00::/8 (RFC 5771, RFC 4291 §2.7).
        case multicast
        /// 255.255.255.255 (RFC 919 §7).
        case broadcast
        /// 192.0.0.0/24 and 2001::/23 (RFC 6890, RFC 2928).
        case protocolAssignment
        /// 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24, 2001:db8::/32 and 3fff::/20 (RFC 5737, RFC 3849, RFC 9637).
        case documentation
        /// 198.18.0.0/15 and 2001:2::/48 (RFC 2544, RFC 5180).
        case benchmarking
        /// 2002::/16 and 192.88.99.0/24, which embed an IPv4 address or lead to a relay (RFC 3056, RFC 7526).
        case sixToFour
        /// 2001::/32, which embeds an IPv4 address (RFC 4380).
        case teredo
        /// ::/96, which embeds an IPv4 address (RFC 4291 §2.5.5.1).
        case ipv4Compatible
        /// 64:ff9b:1::/48, which a local translator turns into any IPv4 address (RFC 8215).
        case localTranslation
        /// 100::/64 and 100:0:0:1::/64 (RFC 6666, RFC 9780).
        case discard
        /// 5f00::/16 (RFC 9602).
        case segmentRouting
        /// 240.0.0.0/4, and IPv6 outside of 2000::/3 (RFC 1112 §4, RFC 4291 §2.4).
        case reserved
        /// An address that is neither IPv4 nor IPv6.
        case unknownFamily
        /// A block listed in the policy's `refusing`.
        case refusedBlock
        /// A port that the policy does not allow.
        case port
        /// A unix-domain socket that the policy does not allow.
        case unixSocket
        /// A name that goes through a proxy, so that its address cannot be checked: the proxy would resolve it, or get an
        /// address.
        case nameBehindProxy
    }

    /// The host of the URL, or of the proxy if `isProxy`; for a unix-domain socket its path.
    public let host: String
    /// The refused address; nil if the host, the port or the path alone was refused.
    public let address: String?
    /// The port of the destination, 1 to 65535.
    public let port: Int
    /// The violated rule of the `DestinationPolicy`.
    public let rule: Rule
    /// Whether the refused destination is the proxy.
    public let isProxy: Bool
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A refusal by `rule`; `address` is nil if the host, the port or the path alone was refused.
    public init(
        _ rule: Rule, host: String, address: String? = nil, port: Int, isProxy: Bool = false, record: CallRecord
    ) {
        self.rule = rule
        self.host = host
        self.address = address
        self.port = port
        self.isProxy = isProxy
        self.record = record
    }
}

extension DestinationFailure: CallFailure, DescribedPayload {
    var error: HTTPError { .destinationRefused(self) }
    var verb: String? { "was not sent" }
    var shortReason: String { "destination refused" }

    var sentence: String {
        let shown = ASCII.printable(host)
        return switch rule {
        case .port:
            "port \(port) of the host \"\(shown)\" is not among the allowed ones: add it to DestinationPolicy's .ports"
        case .unixSocket: "the unix-domain socket \(shown) is not allowed: add it to DestinationPolicy's .unixSockets"
        case .nameBehindProxy:
            "the proxy\(record.proxy.map { " \($0)" } ?? "") would reach the host \"\(shown)\", whose address cannot be"
                + " judged before: add the host to DestinationPolicy's .hosts, or let the proxy judge with .trustedProxy,"
                + " for which it must get names (socks4 and socks5 get addresses; use socks4a or socks5h)"
        case .unspecified: refusal("this machine (0.0.0.0/8, ::)")
        case .loopback: refusal("a loopback address (127.0.0.0/8, ::1)")
        case .privateUse: refusal("a private address (RFC 1918)")
        case .carrierGradeNAT: refusal("an address behind a carrier's NAT (100.64.0.0/10)")
        case .linkLocal: refusal("a link-local address (169.254.0.0/16, fe80::/10)")
        case .uniqueLocal: refusal("a unique local address (fc00::/7)")
        case .siteLocal: refusal("a site-local address (fec0::/10)")
        case .cloudMetadata: refusal("the metadata service of a cloud")
        case .multicast: refusal("a multicast address (224.0.0.0/4, ff00::/8)")
        case .broadcast: refusal("the broadcast address")
        case .protocolAssignment: refusal("an address for protocol assignments (192.0.0.0/24, 2001::/23)")
        case .documentation: refusal("an address for documentation (RFC 5737, RFC 3849, RFC 9637)")
        case .benchmarking: refusal("an address for benchmarks (198.18.0.0/15, 2001:2::/48)")
        case .sixToFour: refusal("a 6to4 address (2002::/16, 192.88.99.0/24)")
        case .teredo: refusal("a Teredo address (2001::/32)")
        case .ipv4Compatible: refusal("an IPv4-compatible address (::/96)")
        case .localTranslation: refusal("an address for local translation (64:ff9b:1::/48)")
        case .discard: refusal("an address for discarding (100::/64)")
        case .segmentRouting: refusal("an address for segment routing (5f00::/16)")
        case .reserved: refusal("a reserved address (240.0.0.0/4, outside of 2000::/3)")
        case .unknownFamily: refusal("neither IPv4 nor IPv6")
        case .refusedBlock: refusal("in a block that the policy refuses")
        }
    }

    /// The sentence for an address of this kind.
    private func refusal(_ kind: String) -> String { "\(peer), which is \(kind); \(remedy)" }

    private var peer: String {
        let (kind, shown) = (isProxy ? "the proxy" : "the host", ASCII.printable(host))
        guard let address else { return "\(kind) \"\(shown)\" has an unknown kind of address" }
        return HostName.areEqual(host, address) ? "\(kind) is \(address)" : "\(kind) \"\(shown)\" leads to \(address)"
    }

    private var remedy: String {
        // A block that the policy refuses comes before one that it allows.
        let name =
            switch (rule, isProxy) {
            case (.refusedBlock, false): ".hosts"
            case (.refusedBlock, true): ".hosts or .trustedProxy"
            case (_, false): ".hosts or .blocks"
            case (_, true): ".hosts, .blocks or .trustedProxy"
            }
        return "if that is meant, DestinationPolicy's \(name) allows it"
    }
}
