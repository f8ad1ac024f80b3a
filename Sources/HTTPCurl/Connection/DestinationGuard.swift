/// Applies a `DestinationPolicy` to one origin: pure decisions, on addresses as bytes.
struct DestinationGuard: Sendable {
    /// A refused destination and the reason.
    struct Refusal: Sendable, Hashable {
        let rule: DestinationFailure.Rule
        let host: String
        var address: String?
        let port: Int
        var isProxy = false
    }

    private let policy: DestinationPolicy
    private let host: String
    private let port: Int
    private let proxy: Proxy?
    private let unixSocketPath: String?
    /// Whether the origin is allowed by its name.
    private let isNamed: Bool

    /// Nil if the policy refuses nothing.
    init?(_ policy: DestinationPolicy, origin: Origin, proxy: Proxy? = nil, unixSocketPath: String? = nil) {
        guard policy.isGuard else { return nil }
        self.policy = policy
        (host, port) = (origin.host, origin.port)
        self.proxy = proxy
        self.unixSocketPath = unixSocketPath
        isNamed = policy.allows(host: origin.host, port: origin.port)
    }

    /// The verdict before resolution.
    var refusal: Refusal? {
        if let unixSocketPath {
            guard !policy.allows(unixSocket: unixSocketPath) else { return nil }
            return Refusal(rule: .unixSocket, host: unixSocketPath, port: port)
        }
        if !isNamed {
            guard policy.allows(port: port) else { return Refusal(rule: .port, host: host, port: port) }
            if let address = IPAddress.bytes(of: host) {
                if let rule = policy.rule(against: address) { return originRefusal(rule, address) }
            } else if let proxy, !policy.trustsProxy || !proxy.resolvesNames {
                return Refusal(rule: .nameBehindProxy, host: host, port: port)
            }
        }
        return proxy.flatMap { IPAddress.bytes(of: $0.host) }.flatMap(refusal(of:))
    }

    /// The verdict on the address of a connection. `address` has 4 or 16 bytes; another length is neither IPv4 nor
    /// IPv6.
    func refusal(of address: [UInt8]) -> Refusal? {
        // Decided by its path alone.
        if unixSocketPath != nil { return nil }
        guard let proxy else {
            return isNamed ? nil : policy.rule(against: address).map { originRefusal($0, address) }
        }
        guard !policy.allows(proxy) else { return nil }
        return policy.rule(against: address).map {
            Refusal(rule: $0, host: proxy.host, address: Self.text(address), port: proxy.port, isProxy: true)
        }
    }

    private func originRefusal(_ rule: DestinationFailure.Rule, _ address: [UInt8]) -> Refusal {
        Refusal(rule: rule, host: host, address: Self.text(address), port: port)
    }

    private static func text(_ address: [UInt8]) -> String? {
        address.count == 4 || address.count == 16 ? IPAddress.text(of: address) : nil
    }
}

extension DestinationFailure {
    init(_ refusal: DestinationGuard.Refusal, record: CallRecord) {
        self.init(
            refusal.rule, host: refusal.host, address: refusal.address, port: refusal.port, isProxy: refusal.isProxy,
            record: record)
    }
}
