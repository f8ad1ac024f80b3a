/// Scheme, host and port: what a connection belongs to and what credentials are bound to (RFC 6454 §4, RFC 9110 §4.3).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The schemes of HTTP (RFC 9110 §4.2). There are no others.
    public enum Scheme: String, Sendable, Hashable {
        /// In the clear.
        case http
        /// Over TLS.
        case https

        /// 80 for http, 443 for https.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// Whether requests go in the clear or over TLS.
    public let scheme: Scheme
    /// In ASCII and in lower case; a name of another script is in A-labels, an IPv6 address in its brackets.
    public let host: String
    /// 1 to 65535; the scheme's own port where the URL names none.
    public let port: Int

    /// An origin of a scheme, a host and a port.
    ///
    /// - Parameters:
    ///   - scheme: Whether requests go in the clear or over TLS.
    ///   - host: A name beyond ASCII is converted to A-labels, as `HTTPURL` does (UTS 46). What has none (or where
    ///     libidn2 is missing) is percent-encoded and then is the origin of no URL.
    ///   - port: Nil for the scheme's own.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.scheme = scheme
        self.host = HostName.ascii(host)
        self.port = port ?? scheme.defaultPort
    }

    /// For a host that is known to be ASCII in lower case.
    init(plainHost: String, scheme: Scheme, port: Int?) {
        self.scheme = scheme
        host = plainHost
        self.port = port ?? scheme.defaultPort
    }

    /// `host`, or `host:port` where the port is not the scheme's own: the form a Host header takes.
    public var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }

    public var description: String { ByteWriter.string(longest: longestText) { write(to: &$0) } }

    /// How many bytes `write(to:)` writes at most.
    var longestText: Int { "https://:".utf8.count + host.utf8.count + 20 }

    func write(to writer: inout ByteWriter) {
        writer.append(scheme.rawValue)
        writer.append("://")
        writer.append(host)
        guard port != scheme.defaultPort else { return }
        writer.append(UInt8(ascii: ":"))
        writer.append(Int64(port))
    }
}
