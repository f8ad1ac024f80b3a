/// Which HTTP version a request may use.
public enum VersionPolicy: Sendable, Hashable {
    /// HTTP/2 over TLS where the server agrees by ALPN (RFC 9113 §3.2), else HTTP/1.1.
    case automatic
    /// HTTP/1.1 only.
    case http1
    /// HTTP/2 without asking first, also on plain http (RFC 9113 §3.3): for servers known to speak it.
    case http2PriorKnowledge
}
