/// How a `CurlTransport` connects. A value: changing a copy changes no transport.
public struct CurlConfiguration: Sendable, Hashable {
    /// What is trusted, which client certificates are shown, and what else a TLS connection needs. Authorities of your own
    /// are `.unsupported` over the libcurl of macOS, whose LibreSSL trusts the system's as well; those of `SSL_CERT_FILE`
    /// are trusted beside them there.
    public var tls: TLSConfiguration
    /// The proxy; from the environment when this value was made.
    public var proxy: ProxyConfiguration
    /// For requests with the policy `.automatic`.
    public var version: VersionPolicy
    /// Connect to this unix-domain socket, whatever the host of the URL.
    public var unixSocketPath: String?
    /// Addresses that replace the resolution of a name: `["api.example.com": ["127.0.0.1", "::1"]]`. A key may include
    /// a port, `host:8443`; without one it applies to every port. An IPv6 address is no key, nor is a name that begins
    /// with a hyphen.
    public var addressOverrides: [String: [String]]
    /// The allowed destinations: anywhere by default. `.publicInternetOnly` is for URLs from untrusted sources; it also
    /// applies to `addressOverrides`, `proxy` and `unixSocketPath`.
    public var destinations: DestinationPolicy
    /// How many idle connections are kept, and how long.
    public var pool: PoolConfiguration
    /// The IP versions that connections use, to servers and to proxies: either by default.
    public var addressFamily: AddressFamily
    /// The local end of connections: an address or an interface of this machine. Nil, the default, leaves it to the
    /// system's routes.
    public var localEnd: LocalEnd?
    /// Probes on connections on which nothing moves, which find a dead peer; nil for none. On by default.
    public var keepAliveProbes: KeepAliveProbes?
    /// The User-Agent of requests that set none, and of CONNECT to a proxy: `PackageVersion.userAgent` by default. Nil sends
    /// none.
    public var userAgent: String?

    /// A configuration. Omitted settings have their defaults, with the proxies and authorities of the current environment.
    public init(
        tls: TLSConfiguration = TLSConfiguration(), proxy: ProxyConfiguration = .ownEnvironment,
        version: VersionPolicy = .automatic, unixSocketPath: String? = nil, addressOverrides: [String: [String]] = [:],
        destinations: DestinationPolicy = .anywhere, pool: PoolConfiguration = PoolConfiguration(),
        addressFamily: AddressFamily = .any, localEnd: LocalEnd? = nil,
        keepAliveProbes: KeepAliveProbes? = KeepAliveProbes(), userAgent: String? = PackageVersion.userAgent
    ) {
        self.tls = tls
        self.proxy = proxy
        self.version = version
        self.unixSocketPath = unixSocketPath
        self.addressOverrides = addressOverrides
        self.destinations = destinations
        self.pool = pool
        self.addressFamily = addressFamily
        self.localEnd = localEnd
        self.keepAliveProbes = keepAliveProbes
        self.userAgent = userAgent
    }

    /// Which servers a transport with it talks to.
    package var trust: ClientTrust {
        let overrides = addressOverrides.map { "\($0) \($1.joined(separator: " "))" }
        return ClientTrust(
            "libcurl", userAgent: userAgent,
            tls.trustSettings.merging([
                "proxy": proxy.trustText, "socket": unixSocketPath, "addresses": ClientTrust.text(overrides),
                "destinations": destinations.trustText, "family": addressFamily.name, "local": localEnd?.option,
            ]) { $1 })
    }
}

extension CurlTransport: TrustingClient {
    package var trust: ClientTrust { configuration.trust }
}
