/// The allowed destinations of a transport: a guard against server-side request forgery, for programs that call URLs
/// from untrusted sources.
///
///     configuration.destinations = .publicInternetOnly
///     configuration.destinations = .publicInternetOnly(
///         allowing: .hosts("metrics.internal"), .blocks("10.1.0.0/16"), .ports(80, 443))
///
/// The policy checks addresses, not names or spellings: each resolved address before a socket is opened for it, and
/// again when a kept connection is reused, on every redirect. Refused addresses are skipped. If none is left, the call
/// fails with `.destinationRefused`, which names host, address and rule, and is not retried. Names are still resolved,
/// so a name server sees them.
///
/// A policy is a value that any thread may use. Only `CurlTransport` supports one: URLSession does not reveal
/// addresses, so `URLSessionTransport` has no such setting.
public struct DestinationPolicy: Sendable, Hashable {
    /// Any address, port and socket; the default of a transport.
    public static let anywhere = DestinationPolicy(isGuard: false)

    /// Public addresses only, on any port. See `DestinationFailure.Rule` for what is refused.
    public static let publicInternetOnly = DestinationPolicy(isGuard: true)

    /// Public addresses except the blocks in `refusing` (for example the program's own network, `"198.51.100.0/24"`),
    /// plus the allowances.
    ///
    /// A transport throws `.unsupported` for an invalid host, block or port.
    public static func publicInternetOnly(
        allowing allowances: Allowance..., refusing blocks: [String] = []
    ) -> DestinationPolicy { publicInternetOnly(allowing: allowances, refusing: blocks) }

    /// The same with a list.
    public static func publicInternetOnly(
        allowing allowances: [Allowance], refusing blocks: [String] = []
    ) -> DestinationPolicy {
        var policy = DestinationPolicy(isGuard: true)
        for allowance in allowances { policy.take(allowance) }
        policy.refusedBlocks = policy.parsed(blocks)
        return policy
    }

    /// An allowed destination beyond the public internet, or the allowed ports.
    public struct Allowance: Sendable, Hashable {
        fileprivate enum Kind: Sendable, Hashable {
            case hosts([String])
            case blocks([String])
            case ports([Int])
            case unixSockets([String])
            case trustedProxy
        }

        fileprivate let kind: Kind

        /// Hosts that are allowed at any address, because the program trusts their names.
        ///
        /// A name matches itself; `*.example.com` matches the names below it. With a port, `gate:8080`, it matches only
        /// that port, whether or not `ports` lists it. An address matches a URL with that address.
        public static func hosts(_ names: String...) -> Allowance { hosts(names) }

        /// The same with a list.
        public static func hosts(_ names: [String]) -> Allowance { Allowance(kind: .hosts(names)) }

        /// Allowed blocks of addresses (`10.1.0.0/16`, `fd12:3456::/32`) or single addresses, whatever the host.
        ///
        /// The metadata service of a cloud is allowed only by its exact address, not by a block that contains it.
        public static func blocks(_ blocks: String...) -> Allowance { .blocks(blocks) }

        /// The same with a list.
        public static func blocks(_ blocks: [String]) -> Allowance { Allowance(kind: .blocks(blocks)) }

        /// The allowed ports; all by default. They do not apply to the port of a proxy.
        public static func ports(_ ports: Int...) -> Allowance { .ports(ports) }

        /// The same with a list, which is not empty.
        public static func ports(_ ports: [Int]) -> Allowance { Allowance(kind: .ports(ports)) }

        /// Allowed paths of unix-domain sockets, spelled as in `CurlConfiguration.unixSocketPath`.
        public static func unixSockets(_ paths: String...) -> Allowance { unixSockets(paths) }

        /// The same with a list.
        public static func unixSockets(_ paths: [String]) -> Allowance { Allowance(kind: .unixSockets(paths)) }

        /// Allows the configured proxy at any address and lets it resolve names: the proxy itself is the guard.
        ///
        /// Without this, the proxy must have an allowed address or be named in `hosts`. Only names in `hosts`, and
        /// addresses in URLs, can then be requested through it, because names that a proxy resolves cannot be checked
        /// here. An address in a URL is always checked. A SOCKS proxy of the kinds `socks4` and `socks5` resolves nothing
        /// and gets addresses that this transport cannot check: names go through it only if `hosts` lists them.
        public static let trustedProxy = Allowance(kind: .trustedProxy)
    }

    /// Whether it refuses anything.
    package let isGuard: Bool
    private var hosts: [HostRule] = []
    private var blocks: [AddressBlock] = []
    private var refusedBlocks: [AddressBlock] = []
    /// Nil for all ports.
    private var ports: Set<Int>?
    private var unixSockets: Set<String> = []
    package private(set) var trustsProxy = false
    private var problems: [Problem] = []

    private init(isGuard: Bool) { self.isGuard = isGuard }

    private mutating func take(_ allowance: Allowance) {
        switch allowance.kind {
        case .hosts(let names):
            for name in names {
                do { hosts.append(try HostRule(name)) } catch {
                    problems.append(Problem(value: name, reason: error.words))
                }
            }
        case .blocks(let texts): blocks += parsed(texts)
        case .ports(let numbers):
            ports = (ports ?? []).union(numbers)
            problems += numbers.filter { !(1...65535).contains($0) }.map {
                Problem(value: "\($0)", reason: "it is not a port: ports go from 1 to 65535")
            }
            if numbers.isEmpty { problems.append(Problem(value: ".ports()", reason: "it names no port")) }
        case .unixSockets(let paths): unixSockets.formUnion(paths)
        case .trustedProxy: trustsProxy = true
        }
    }

    private mutating func parsed(_ texts: [String]) -> [AddressBlock] {
        texts.compactMap { text in
            let block = AddressBlock(text)
            if block == nil {
                problems.append(Problem(value: text, reason: "it is neither an address nor a block such as 10.0.0.0/8"))
            }
            return block
        }
    }

    /// An invalid part of a policy.
    fileprivate struct Problem: Sendable, Hashable {
        let value: String
        let reason: String
    }

    /// Its text for `ClientTrust`; nil if it refuses nothing.
    package var trustText: String? {
        guard isGuard else { return nil }
        var rules = hosts.map { "host \($0.trustText)" } + blocks.map { "block \($0.trustText)" }
        rules += refusedBlocks.map { "refused \($0.trustText)" } + unixSockets.map { "socket \($0)" }
        if let ports { rules += ["ports"] + ports.map { "port \($0)" } }
        if trustsProxy { rules.append("proxy") }
        return "guard " + (ClientTrust.text(rules) ?? "")
    }

    /// Throws its first invalid part.
    package func check() throws(Unsupported) {
        guard let problem = problems.first else { return }
        throw Unsupported("\(ASCII.quoted(problem.value)) in the policy of destinations", problem.reason)
    }

    // MARK: Judging

    /// Whether an origin is allowed by name, at any address. `host` may be in brackets.
    package func allows(host: String, port: Int) -> Bool {
        hosts.contains { $0.covers(host, port: port) && ($0.port != nil || allows(port: port)) }
    }

    package func allows(_ proxy: Proxy) -> Bool {
        trustsProxy || hosts.contains { $0.covers(proxy.host, port: proxy.port) }
    }

    package func allows(port: Int) -> Bool { ports?.contains(port) ?? true }

    package func allows(unixSocket path: String) -> Bool { unixSockets.contains(path) }

    /// Why an address of 4 or 16 bytes is refused; nil if it is allowed.
    package func rule(against address: [UInt8]) -> DestinationFailure.Rule? {
        let address = IPAddress.isMapped(address) ? Array(address.suffix(4)) : address
        let end = SpecialAddresses.forwarded(address) ?? address
        if refusedBlocks.contains(where: { $0.contains(address) || $0.contains(end) }) { return .refusedBlock }
        guard let rule = SpecialAddresses.rule(for: address) else { return nil }
        let isAllowed = blocks.contains { $0.contains(address) && ($0.isSingle || rule != .cloudMetadata) }
        return isAllowed ? nil : rule
    }
}

/// A host allowed at any address: a name, `*.` and a name, or an address; for one port or all.
private struct HostRule: Sendable, Hashable {
    private let name: String
    private let address: [UInt8]?
    private let isSuffix: Bool
    let port: Int?

    var trustText: String { "\(isSuffix) \(port ?? 0) \(address ?? []) \(name)" }

    struct Malformed: Error { let words: String }

    init(_ text: String) throws(Malformed) {
        var host = text.utf8[...]
        let colonByte = UInt8(ascii: ":")
        if let colon = host.lastIndex(of: colonByte),
            !host[..<colon].contains(colonByte) || host[..<colon].last == UInt8(ascii: "]")
        {
            guard let port = Int(Substring(host[host.index(after: colon)...])), (1...65535).contains(port) else {
                throw Malformed(words: "it has no port after its colon")
            }
            self.port = port
            host = host[..<colon]
        } else {
            port = nil
        }
        isSuffix = host.starts(with: "*.".utf8)
        let spelled = String(Substring(isSuffix ? host.dropFirst(2) : host))
        if let problem = HostName.problem(spelled) { throw Malformed(words: "it \(problem)") }
        name = HostName.canonical(spelled)
        address = IPAddress.bytes(of: name)
        guard !isSuffix || address == nil else {
            throw Malformed(words: "it is not a host: write a name, *.name or an address, with or without :port")
        }
    }

    /// `host` is that of a URL or of a proxy.
    func covers(_ host: String, port: Int) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        let host = HostName.canonical(host)
        if isSuffix { return host != name && HostName.isName(host, in: name) && IPAddress.bytes(of: host) == nil }
        return host == name || (address != nil && IPAddress.bytes(of: host) == address)
    }
}
