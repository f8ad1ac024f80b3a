import HTTPCore

/// How a `CurlTransport` connects. A value: changing a copy changes no transport.
public struct CurlConfiguration: Sendable {
    /// Which servers are trusted, and with which certificates the client appears.
    public var tls = TLSConfiguration()
    /// As the environment said when this value was made.
    public var proxy = ProxyConfiguration.ownEnvironment
    /// For requests whose own policy is `.automatic`.
    public var version = VersionPolicy.automatic
    /// Connect to this unix-domain socket, whatever the host of the URL.
    public var unixSocketPath: String?
    /// Addresses to use in place of what a name resolves to: `["api.example.com": ["127.0.0.1", "::1"]]`. A key may
    /// name a port, `host:8443`; without one it holds for every port.
    public var addressOverrides: [String: [String]] = [:]
    /// Where connections may lead: anywhere. `.publicInternetOnly` is for URLs that somebody else chose; it judges what
    /// `addressOverrides`, `proxy` and `unixSocketPath` lead to as well.
    public var destinations = DestinationPolicy.anywhere
    /// How many idle connections are kept, and for how long.
    public var pool = PoolConfiguration()
    /// Sent as User-Agent where a request sets none: `Straightline.userAgent` by default. Nil sends none.
    public var userAgent: String? = Straightline.userAgent

    /// The defaults, with the proxies and authorities of the environment as it is now.
    public init() {}

    /// The defaults, with `tls`.
    public init(tls: TLSConfiguration) { self.tls = tls }
}
