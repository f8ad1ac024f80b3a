/// The HTTP versions that a request may use.
public enum VersionPolicy: Sendable, Hashable {
    /// HTTP/2 over TLS if the server agrees by ALPN (RFC 9113 §3.2), else HTTP/1.1, as in the clear.
    case automatic
    /// HTTP/1.1 only.
    case http1
}
