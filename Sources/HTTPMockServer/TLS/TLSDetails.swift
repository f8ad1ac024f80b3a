/// The result of the TLS handshake of a connection.
public struct TLSDetails: Sendable, Hashable {
    /// A client certificate.
    public struct Certificate: Sendable, Hashable {
        /// The subject in OpenSSL's form: `/CN=Ada`.
        public let subject: String
        /// The certificate in PEM.
        public let pem: String
    }

    /// The version as OpenSSL writes it: `TLSv1.3`.
    public let version: String
    /// The name of the cipher suite.
    public let cipher: String
    /// The host name that the client requested (SNI, RFC 6066 §3); nil if it requested none, as for an address.
    public let serverName: String?
    /// The protocol negotiated by ALPN: `h2` or `http/1.1`; nil for none.
    public let negotiatedProtocol: String?
    /// The certificate of the client; nil if it sent none or none was requested.
    public let clientCertificate: Certificate?
    /// Whether the session was resumed.
    public let isResumed: Bool
}
