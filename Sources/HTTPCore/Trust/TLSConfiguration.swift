public import HTTPFoundation
import HTTPSupport

/// The TLS settings of a transport. Certificates and host names are always verified, except for `unverifiedHosts`.
public struct TLSConfiguration: Sendable, Hashable {
    /// The trusted certificate authorities.
    public enum Authorities: Sendable, Hashable {
        /// The system's, or those named by `SSL_CERT_FILE` and `SSL_CERT_DIR` when the configuration was made.
        case system
        /// A PEM file.
        case file(String)
        /// A directory of PEM files named by subject hash (`openssl rehash`).
        case directory(String)
        /// PEM in memory.
        case bytes(Data)
    }

    /// A minimum version of TLS.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls1_2
        /// TLS 1.3 (RFC 8446).
        case tls1_3
    }

    /// The trusted authorities: by default the system's, or those named by `SSL_CERT_FILE` and `SSL_CERT_DIR`.
    public var authorities = Authorities.system
    /// The certificates for servers that request one. A host gets the first that names it in `hosts`, otherwise the
    /// first without `hosts`.
    public var clientCertificates: [ClientCertificate] = []
    /// The allowed public keys of each host. One key of the certificate must match; list a backup. A host without an
    /// entry is not pinned. Each redirect is checked for its own host.
    public var pins: [String: [PublicKeyPin]] = [:]
    /// The minimum accepted version, TLS 1.2 by default.
    public var minimumVersion = Version.tls1_2
    /// Hosts whose certificates are not verified. For a device under development; never use it on an open network.
    public var unverifiedHosts: Set<String> = []

    /// `SSL_CERT_FILE`, if set.
    package var environmentFile: String?
    /// `SSL_CERT_DIR`, if set.
    package var environmentDirectory: String?

    /// A configuration for this environment. Omitted settings have their defaults.
    public init(
        authorities: Authorities = .system, clientCertificates: [ClientCertificate] = [],
        pins: [String: [PublicKeyPin]] = [:], minimumVersion: Version = .tls1_2, unverifiedHosts: Set<String> = []
    ) {
        self.init(reading: ProcessEnvironment.value)
        self.authorities = authorities
        self.clientCertificates = clientCertificates
        self.pins = pins
        self.minimumVersion = minimumVersion
        self.unverifiedHosts = unverifiedHosts
    }

    /// The defaults, whatever the environment: what a service states that states nothing.
    static let unstated = TLSConfiguration(environment: [:])

    /// The defaults, with the authorities of `environment`.
    public init(environment: [String: String]) { self.init { environment[$0] } }

    private init(reading variable: (String) -> String?) {
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        environmentFile = value("SSL_CERT_FILE")
        environmentDirectory = value("SSL_CERT_DIR")
    }
}

/// The SHA-256 of a public key (SubjectPublicKeyInfo in DER), in 44 characters of base64 (RFC 7469 §2.4).
///
/// A string literal is a pin too. An invalid literal is kept, and the transport refuses it. If it were dropped, the pin
/// would be missing when the key changes.
public struct PublicKeyPin: Sendable, Hashable {
    /// The SHA-256 of the key's SubjectPublicKeyInfo in base64, 44 characters (RFC 7469 §2.4).
    public let base64: String

    /// Throws `.unsupported` unless `base64` is that of 32 bytes.
    public init(sha256 base64: String) throws(HTTPError) {
        self.init(stringLiteral: base64)
        do { try check() } catch { throw .unsupported(error) }
    }

    /// Whether it is the hash of this SubjectPublicKeyInfo in DER.
    package func matches(_ subjectPublicKeyInfo: some Collection<UInt8>) -> Bool {
        Data(base64Encoded: base64) == Data(SHA256.bytes(of: subjectPublicKeyInfo))
    }

    package func check() throws(Unsupported) {
        // Foundation takes surplus padding.
        guard base64.utf8.count == 44, Data(base64Encoded: base64)?.count == 32 else {
            throw Unsupported("the pin \(ASCII.quoted(base64))", "it is not the base64 of 32 bytes")
        }
    }
}

extension PublicKeyPin: ExpressibleByStringLiteral {
    public init(stringLiteral base64: String) { self.base64 = base64 }
}
