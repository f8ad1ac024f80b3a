import HTTPSupport

extension CurlConfiguration {
    /// The IP versions that connections may use.
    public enum AddressFamily: Sendable, Hashable {
        /// Either. The addresses of a name are tried in turn, IPv6 first, with a short head start.
        case any
        /// IPv4 alone: a host without an IPv4 address cannot be reached.
        case ipv4
        /// IPv6 alone: a host without an IPv6 address cannot be reached.
        case ipv6
    }

    /// Where connections come from.
    public enum LocalEnd: Sendable, Hashable {
        /// An IPv4 or IPv6 address of this machine. Connections use its IP version alone.
        case address(String)
        /// A network interface of this machine, such as `eth0`. On Linux the connection is bound to the device if the
        /// process has the right to do so, else to an address of it.
        case interface(String)
    }

    /// Probes on a connection on which nothing moves, so that a peer that is gone is noticed, and a router does not forget
    /// the connection (RFC 9293 §3.8.4). The system sends them.
    public struct KeepAliveProbes: Sendable, Hashable {
        /// The silence before the first one, 30 s by default; in whole seconds, at least one.
        public var idle: Duration
        /// The time between two, 10 s by default; in whole seconds, at least one. The system decides after how many
        /// unanswered ones the connection is broken: usually 9 on Linux, so after 2 minutes in all. An HTTP/2 connection is
        /// broken, too, if its peer acknowledges, or reads, nothing for `idle` and nine of these.
        public var interval: Duration

        /// Probes at these times.
        public init(idle: Duration = .seconds(30), interval: Duration = .seconds(10)) {
            (self.idle, self.interval) = (idle, interval)
        }

        /// The system gives up on bytes that nobody acknowledges after the time that unanswered probes take. Meanwhile it sends
        /// no probes, and would try for a quarter of an hour.
        func limitSending(on socket: CInt) {
            let seconds = min(idle.wholeSeconds, 100_000) + 9 * min(interval.wholeSeconds, 100_000)
            #if canImport(Darwin)
            var time = CInt(seconds)
            let option = TCP_RXT_CONNDROPTIME
            #else
            var time = CInt(seconds * 1000)
            let option = TCP_USER_TIMEOUT
            #endif
            setsockopt(socket, CInt(IPPROTO_TCP), option, &time, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// The IP versions that connections can use: a local address has one.
    var usableFamily: AddressFamily {
        guard addressFamily == .any, case .address(let text)? = localEnd, let address = IPAddress.bytes(of: text) else {
            return addressFamily
        }
        return address.count == 4 ? .ipv4 : .ipv6
    }
}

extension CurlConfiguration.AddressFamily {
    /// Whether it has `address`, of 4 or 16 bytes.
    func contains(_ address: [UInt8]) -> Bool {
        switch self {
        case .any: true
        case .ipv4: address.count == 4
        case .ipv6: address.count == 16
        }
    }

    /// As in a sentence.
    var name: String {
        switch self {
        case .any: "any IP version"
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }

    /// Why a connection to `host` is impossible; nil if it is a name, whose addresses are not known yet.
    func refusal(of host: String) -> Unsupported? {
        guard let address = IPAddress.bytes(of: host), !contains(address) else { return nil }
        return Unsupported(
            "\(host) over \(name)",
            "it is an address of the other IP version: CurlConfiguration.addressFamily or localEnd allows \(name)")
    }
}

extension CurlConfiguration.LocalEnd {
    /// As libcurl wants it.
    var option: String {
        switch self {
        case .address(let address): "host!" + address
        case .interface(let name): "if!" + name
        }
    }

    /// What is wrong with it.
    func defect(in family: CurlConfiguration.AddressFamily) -> Unsupported? {
        switch self {
        case .address(let text):
            guard let address = IPAddress.bytes(of: text), !text.utf8.contains(UInt8(ascii: "[")) else {
                return Unsupported("the local address \(ASCII.quoted(text))", "it is no IPv4 or IPv6 address")
            }
            guard family.contains(address) else {
                return Unsupported("the local address \(text)", "connections are to use \(family.name) alone")
            }
            return nil
        case .interface(let name):
            guard !name.isEmpty, name.utf8.count < 16, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x2F })
            else {
                return Unsupported(
                    "the interface \(ASCII.quoted(name))", "the name of an interface has 1 to 15 visible characters")
            }
            return nil
        }
    }

    /// For an error: `the local address 192.0.2.1`.
    var words: String {
        switch self {
        case .address(let address): "the local address \(address)"
        case .interface(let name): "the interface \(name)"
        }
    }
}

extension Duration {
    /// At least 1, for options of libcurl.
    var wholeSeconds: Int { Int(clamping: max(1, components.seconds)) }
}
