/// The HTTP version of a response.
public struct HTTPVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The major version: 1, 2 or 3.
    public let major: Int
    /// The minor version; 0 from HTTP/2 on.
    public let minor: Int

    /// A version by its two numbers.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// HTTP/1.0 (RFC 1945): one exchange per connection unless both sides agree to keep it.
    public static let http1_0 = HTTPVersion(major: 1, minor: 0)
    /// HTTP/1.1 (RFC 9112).
    public static let http1_1 = HTTPVersion(major: 1, minor: 1)
    /// HTTP/2 (RFC 9113).
    public static let http2 = HTTPVersion(major: 2, minor: 0)
    /// HTTP/3 (RFC 9114). No engine of this package reports it: Apple's URLSession may speak it, and does not say so.
    public static let http3 = HTTPVersion(major: 3, minor: 0)

    public static func < (lhs: HTTPVersion, rhs: HTTPVersion) -> Bool {
        (lhs.major, lhs.minor) < (rhs.major, rhs.minor)
    }

    public var description: String { major >= 2 ? "HTTP/\(major)" : "HTTP/\(major).\(minor)" }
}

/// The HTTP versions that a request may use.
public enum VersionPolicy: Sendable, Hashable {
    /// HTTP/2 over TLS if the server agrees by ALPN (RFC 9113 §3.2), else HTTP/1.1, as in the clear.
    case automatic
    /// HTTP/1.1 only.
    case http1
}
