/// What a client and a `MockServer` agreed on in the TLS handshake of a connection.
public struct TLSDetails: Sendable, Hashable {
    /// A certificate that a client has shown.
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
    /// The host name that the client asked for (SNI, RFC 6066 §3); nil when it asked for none, as for an address.
    public let serverName: String?
    /// What was agreed on by ALPN: `h2` or `http/1.1`; nil when there was no agreement.
    public let negotiatedProtocol: String?
    /// What the client has shown; nil when it has shown nothing or was not asked.
    public let clientCertificate: Certificate?
    /// Whether an earlier session was taken up again.
    public let isResumed: Bool
}
