#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MockServer {
    /// Whether and how a server secures its connections.
    public enum Security: Sendable {
        /// Not at all: plain http.
        case none
        /// By TLS, as the options say: https.
        case tls(TLS = TLS())

        var options: TLS? { if case .tls(let options) = self { options } else { nil } }
    }

    /// How a server speaks TLS. The defaults make a server that a client finds nothing wrong with, once it trusts the
    /// authority.
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

        /// What certificate the server shows. Each is for the `names`.
        public enum Certificate: Sendable, Hashable {
            /// One by the authority, in force for a month.
            case valid
            /// One by the authority that expired yesterday.
            case expired
            /// One by the authority that comes into force tomorrow.
            case notYetValid
            /// One that is its own authority.
            case selfSigned
            /// One by another authority, which is thrown away.
            case byUnknownAuthority
        }

        /// Whether clients are asked for a certificate.
        public enum ClientCertificates: Sendable, Hashable {
            /// No certificate is asked for.
            case ignored
            /// One is asked for; who has none is served all the same. A bad one ends the handshake.
            case wanted
            /// One is asked for; who has none is refused in the handshake.
            case required
        }

        /// What is the matter with the server's certificate; a valid one by default.
        public var certificate = Certificate.valid
        /// The host names and addresses that the certificate is for: localhost, 127.0.0.1 and ::1 by default. Others in
        /// their place make a certificate with the wrong name; none makes one without any.
        public var names = ["localhost", "127.0.0.1", "::1"]
        /// The versions to agree to; TLS 1.2 and 1.3 by default.
        public var versions = Version.tls1_2...Version.tls1_3
        /// Whether clients are asked for a certificate; they are not by default.
        public var clientCertificates = ClientCertificates.ignored
        /// Signs the certificate; nil, the default, makes a new one.
        public var authority: CertificateAuthority?
        /// Whose word on clients is taken; nil, the default, is the authority of the server itself.
        public var clientAuthority: CertificateAuthority?
        /// Whether the server takes part in ALPN (RFC 7301). When not, every client gets the first of its versions.
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
