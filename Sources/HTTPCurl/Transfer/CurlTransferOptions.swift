import CLibcurl
import HTTPSupport

/// The options of all requests of a transfer, which follow from its origin and the configuration.
struct CurlTransferOptions {
    let key: ConnectionKey
    let configuration: CurlConfiguration
    let proxy: Proxy?
    let overrides: CurlList
    let proxyFields: CurlList

    /// `CURLOPT_QUICK_EXIT`, 7.87: the end does not wait for a blocked resolver. The header of 7.81 lacks the name.
    private static let quickExit = CURLoption(rawValue: 322)

    func apply(to handle: CurlHandle) throws(Unsupported) {
        applyBasics(to: handle)
        handle.set(CURLOPT_HTTP_VERSION, Int(key.mayMultiplex ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        try applyRoute(to: handle)
        try applyProxy(to: handle)
        guard key.origin.scheme == .https || proxy?.kind == .https else { return }
        try CurlTLSOptions(tls: configuration.tls, key: key, proxy: proxy).apply(to: handle)
    }

    private func applyBasics(to handle: CurlHandle) {
        handle.set(CURLOPT_NOSIGNAL, 1)
        handle.set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        handle.set(CURLOPT_FOLLOWLOCATION, 0)
        handle.set(CURLOPT_PATH_AS_IS, 1)
        // It passes chunks on, and still finds their end.
        handle.set(CURLOPT_HTTP_TRANSFER_DECODING, 0)
        handle.set(CURLOPT_BUFFERSIZE, ReceiveBuffer.usual)
        handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Header fields for the server are not sent to its proxy, which gets some of its own.
        handle.set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        handle.set(Self.quickExit, 1)
        handle.set(CURLOPT_MAXAGE_CONN, max(1, Int(configuration.pool.idleTime.components.seconds)))
        if let lifetime = configuration.pool.lifetime { handle.set(CURLOPT_MAXLIFETIME_CONN, lifetime.wholeSeconds) }
        if let probes = configuration.keepAliveProbes {
            handle.set(CURLOPT_TCP_KEEPALIVE, 1)
            handle.set(CURLOPT_TCP_KEEPIDLE, probes.idle.wholeSeconds)
            handle.set(CURLOPT_TCP_KEEPINTVL, probes.interval.wholeSeconds)
        }
    }

    private func applyRoute(to handle: CurlHandle) throws(Unsupported) {
        if let path = configuration.unixSocketPath {
            guard path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
                throw Unsupported("the unix-domain socket \(path)", "the path is too long for this system")
            }
            try handle.require(CURLOPT_UNIX_SOCKET_PATH, path, "the unix-domain socket \(path)")
        }
        switch configuration.usableFamily {
        case .any: break
        case .ipv4: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .ipv6: handle.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
        if configuration.unixSocketPath == nil,
            let refusal = configuration.usableFamily.refusal(of: proxy?.host ?? key.origin.host)
        {
            throw refusal
        }
        if let end = configuration.localEnd { try handle.require(CURLOPT_INTERFACE, end.option, end.words) }
        if let first = overrides.first {
            try handle.check(shim_setopt_pointer(handle.easy, CURLOPT_RESOLVE, first), "an address override")
        }
    }

    /// The proxy, or none: libcurl must not read the environment itself.
    private func applyProxy(to handle: CurlHandle) throws(Unsupported) {
        guard let proxy else {
            // An empty proxy would suffice, but then libcurl reads the exclusions of the environment for each transfer.
            handle.set(CURLOPT_NOPROXY, "*")
            return
        }
        // libcurl would convert it by the locale of the process. It takes the zone of an address.
        let address = String(proxy.host.prefix { $0 != "%" })
        let name = IPAddress.bytes(of: address)?.count == 16 ? address : proxy.host
        if let problem = HostName.problem(name) { throw Unsupported("the proxy \(proxy)", "it \(problem)") }
        guard (1...65535).contains(proxy.port) else {
            throw Unsupported("the proxy \(proxy)", "it has the port \(proxy.port): a port is a number from 1 to 65535")
        }
        try handle.require(CURLOPT_PROXY, proxy.url, "the proxy \(proxy.url)")
        handle.set(CURLOPT_NOPROXY, "")
        if let first = proxyFields.first { handle.set(CURLOPT_PROXYHEADER, pointer: first) }
        if let user = proxy.user {
            try handle.require(CURLOPT_PROXYUSERNAME, user, "a user name for the proxy \(proxy.url)")
            try handle.require(CURLOPT_PROXYPASSWORD, proxy.password ?? "", "a password for the proxy \(proxy.url)")
        }
    }

    /// The fields of a request for a tunnel besides libcurl's own. Where there is no tunnel, those of the request go to the
    /// proxy.
    static func proxyFields(_ proxy: Proxy?, to origin: Origin, userAgent: String?) -> [String] {
        guard let proxy, proxy.opensTunnel(to: origin), let userAgent else { return [] }
        return ["User-Agent: \(userAgent)"]
    }

    /// `host:port:address,address` for the overrides of `origin`; an entry with a port takes precedence, and of
    /// several spellings of a host the first in order. Addresses of another family are left out.
    static func overrides(
        _ overrides: [String: [String]], for origin: Origin, in family: CurlConfiguration.AddressFamily = .any
    ) -> [String] {
        // A dictionary has another order in each process, and several keys may spell one host.
        let overrides = overrides.sorted { $0.key < $1.key }
        let port = ":\(origin.port)".utf8
        let exact = overrides.first { key, _ in
            let host = Substring(key.utf8.dropLast(port.count))
            return key[host.endIndex...].utf8.elementsEqual(port) && HostName.areEqual(String(host), origin.host)
        }
        let found = exact ?? overrides.first { HostName.areEqual($0.key, origin.host) }
        let allowed = found?.value.filter { family.contains(IPAddress.bytes(of: $0) ?? []) }
        guard let addresses = allowed else { return [] }
        let bare = addresses.map { address in
            let needsBrackets = address.utf8.contains(UInt8(ascii: ":")) && address.utf8.first != UInt8(ascii: "[")
            return needsBrackets ? "[\(address)]" : address
        }
        return ["\(origin.host):\(origin.port):\(bare.joined(separator: ","))"]
    }

    /// libcurl would report it in the first request.
    static func check(
        _ overrides: [String: [String]], in family: CurlConfiguration.AddressFamily = .any
    ) throws(Unsupported) {
        for (host, addresses) in overrides.sorted(by: { $0.key < $1.key }) {
            let isBare = IPAddress.bytes(of: host)?.count == 16
            let end = isBare ? host.endIndex : HTTPURL.hostEnd(of: host[...]) ?? host.endIndex
            if let problem = problem(String(host[..<end]), host[end...]) {
                throw Unsupported("\(ASCII.quoted(host)) among the address overrides", problem)
            }
            guard !addresses.isEmpty else {
                throw Unsupported("an override without an address for \(host)", "leave the host out")
            }
            if let wrong = addresses.first(where: { IPAddress.bytes(of: $0) == nil }) {
                throw Unsupported("the override \"\(wrong)\" for \(host)", "it is no IPv4 or IPv6 address")
            }
            guard addresses.contains(where: { family.contains(IPAddress.bytes(of: $0) ?? []) }) else {
                throw Unsupported(
                    "the override for \(host)", "none of its addresses is of \(family.name), which alone is allowed")
            }
        }
    }

    /// What is wrong with a host, or with the text behind it.
    private static func problem(_ host: String, _ port: Substring) -> String? {
        if let problem = HostName.problem(host) { return "it \(problem)" }
        // libcurl before 8.13 ends the name at its first colon; all versions take a hyphen for a removal.
        if IPAddress.bytes(of: host)?.count == 16 { return "it is an IPv6 address: an override is for a name" }
        if HostName.canonical(host).utf8.first == UInt8(ascii: "-") { return "it begins with a hyphen" }
        let number = Int(port.dropFirst()) ?? 0
        let isPort = (1...65535).contains(number) && port.utf8.elementsEqual(":\(number)".utf8)
        return port.isEmpty || isPort ? nil : "its port is not a number from 1 to 65535"
    }

    /// The host to verify in addition to libcurl's own check, which also accepts the common name. A connection through
    /// a TLS proxy is left to libcurl.
    static func checkedHost(_ origin: Origin, _ tls: TLSConfiguration, _ proxy: Proxy?) -> String? {
        guard origin.scheme == .https, proxy?.kind != .https, tls.verifies(origin.host) else { return nil }
        return origin.host
    }
}

extension Proxy {
    /// Whether a connection to `origin` goes through a tunnel that it opens (CONNECT, RFC 9110 §9.3.6).
    func opensTunnel(to origin: Origin) -> Bool {
        guard origin.scheme == .https else { return false }
        switch kind {
        case .http, .https: return true
        case .socks4, .socks4a, .socks5, .socks5h: return false
        }
    }
}
