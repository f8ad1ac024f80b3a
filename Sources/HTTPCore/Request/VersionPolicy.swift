/// The HTTP versions that a request may use.
public enum VersionPolicy: Sendable, Hashable {
    /// HTTP/2 over TLS if the server agrees by ALPN (RFC 9113 §3.2), else HTTP/1.1.
    case automatic
    /// HTTP/1.1 only.
    case http1
    /// HTTP/2 without negotiation, also on plain http (RFC 9113 §3.3): for servers known to support it.
    case http2PriorKnowledge
}
