import HTTPSupport

/// Scheme, host and port: the scope of connections and credentials (RFC 6454 §4, RFC 9110 §4.3).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The schemes of HTTP (RFC 9110 §4.2).
    public enum Scheme: String, Sendable, Hashable {
        /// Plain HTTP.
        case http
        /// Over TLS.
        case https

        /// 80 for http, 443 for https.
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The scheme.
    public let scheme: Scheme
    /// The host in lower-case ASCII. An international name is in A-labels, an IPv6 address in brackets.
    public let host: String
    /// The port, 1 to 65535: the scheme's default if the URL has none.
    public let port: Int

    /// An origin of a scheme, a host and a port.
    ///
    /// - Parameters:
    ///   - scheme: The scheme.
    ///   - host: An international name is converted to A-labels, as in `HTTPURL` (UTS 46). If that fails, or libidn2 is
    ///     missing, the name is percent-encoded and the origin equals that of no URL. An IPv6 address may have its brackets
    ///     or not.
    ///   - port: Nil for the scheme's default.
    public init(scheme: Scheme, host: String, port: Int? = nil) {
        self.init(plainHost: HostName.ascii(host), scheme: scheme, port: port)
    }

    /// For a host that is known to be lower-case ASCII.
    package init(plainHost: String, scheme: Scheme, port: Int?) {
        self.scheme = scheme
        host = plainHost
        self.port = port ?? scheme.defaultPort
    }

    /// `host`, or `host:port` if the port is not the scheme's default: the form of a Host header.
    public var authority: String { port == scheme.defaultPort ? host : "\(host):\(port)" }

    public var description: String { ByteWriter.string(longest: longestText) { write(to: &$0) } }

    /// The maximum number of bytes that `write(to:)` writes.
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
