public import HTTPFoundation

extension MockServer {
    /// Whether a server uses TLS, and how.
    public enum Security: Sendable {
        /// Plain http.
        case none
        /// TLS with these options: https.
        case tls(TLS = TLS())
    }

    /// The TLS options of a server. By default the certificate is valid for clients that trust the authority.
    ///
    /// ```swift
    /// var tls = MockServer.TLS()
    /// tls.certificate = .expired
    /// let server = try MockServer(security: .tls(tls))
    /// ```
    public struct TLS: Sendable {
        /// A version of TLS. OpenSSL may have been built without the two old ones.
        public enum Version: Int, Sendable, Hashable, Comparable {
            /// TLS 1.0 (RFC 2246), which clients should refuse.
            case tls1_0 = 0x0301
            /// TLS 1.1 (RFC 4346), which clients should refuse.
            case tls1_1 = 0x0302
            /// TLS 1.2 (RFC 5246).
            case tls1_2 = 0x0303
            /// TLS 1.3 (RFC 8446).
            case tls1_3 = 0x0304

            public static func < (one: Version, other: Version) -> Bool { one.rawValue < other.rawValue }
        }

        /// The certificate of the server, for `names`.
        public enum Certificate: Sendable, Hashable {
            /// Signed by the authority, valid for a month.
            case valid
            /// Signed by the authority, expired yesterday.
            case expired
            /// Signed by the authority, valid from tomorrow.
            case notYetValid
            /// Self-signed.
            case selfSigned
            /// Signed by another authority, which is discarded.
            case byUnknownAuthority
        }

        /// Whether clients are asked for a certificate.
        public enum ClientCertificates: Sendable, Hashable {
            /// No certificate is requested.
            case ignored
            /// A certificate is requested; clients without one are served, too. An invalid one fails the handshake.
            case wanted
            /// A certificate is required: clients without one fail the handshake.
            case required
        }

        /// The kind of the server's certificate; a valid one by default.
        public var certificate = Certificate.valid
        /// The host names and addresses of the certificate: localhost, 127.0.0.1 and ::1 by default. With other names,
        /// the certificate does not match the server; an empty list makes a certificate without names.
        public var names = ["localhost", "127.0.0.1", "::1"]
        /// The accepted versions; TLS 1.2 and 1.3 by default.
        public var versions = Version.tls1_2...Version.tls1_3
        /// Whether clients are asked for a certificate; they are not by default.
        public var clientCertificates = ClientCertificates.ignored
        /// Signs the certificate; nil, the default, makes a new one.
        public var authority: CertificateAuthority?
        /// The authority for client certificates; nil, the default, is the authority of the server itself.
        public var clientAuthority: CertificateAuthority?
        /// Whether the server negotiates ALPN (RFC 7301). If not, every client gets the first of its versions.
        public var negotiatesProtocol = true
        /// Whether a connection ends with close_notify (RFC 8446 §6.1). See also `MockFault.closeWithoutNotify`.
        public var sendsCloseNotify = true

        /// A server with a valid certificate for this machine, TLS 1.2 and 1.3.
        public init() {}
    }

    /// The certificate that the server shows, in PEM; nil without TLS. Its key stays in memory.
    public var certificatePEM: Data? {
        guard let tls = core.tls, let pem = try? tls.library.pem(certificate: tls.leaf.certificate.pointer) else {
            return nil
        }
        return Data(pem)
    }
}
