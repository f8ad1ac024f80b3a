#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whom a transport trusts and as whom it appears. Certificates and host names are always checked, but for hosts that
/// are named in `unverifiedHosts`.
public struct TLSConfiguration: Sendable {
    /// The authorities that vouch for servers.
    public enum Authorities: Sendable {
        /// The system's; `SSL_CERT_FILE` and `SSL_CERT_DIR` in the environment take their place, as it was when the
        /// configuration was made.
        case system
        /// A PEM file.
        case file(String)
        /// A directory of PEM files under their subject hashes (`openssl rehash`).
        case directory(String)
        /// PEM in memory.
        case bytes(Data)
    }

    /// A version of TLS that can be asked for at least. There is none below 1.2.
    public enum Version: Sendable, Hashable {
        /// TLS 1.2 (RFC 5246).
        case tls1_2
        /// TLS 1.3 (RFC 8446).
        case tls1_3
    }

    /// Which certificate authorities are trusted: the system's by default, or what SSL_CERT_FILE and SSL_CERT_DIR
    /// name.
    public var authorities = Authorities.system
    /// Shown to servers that ask for one: to each host the first that names it in `hosts`, else the first for every host.
    public var clientCertificates: [ClientCertificate] = []
    /// The only one, or the first of several; to set it is to have no other.
    public var clientCertificate: ClientCertificate? {
        get { clientCertificates.first }
        set { clientCertificates = newValue.map { [$0] } ?? [] }
    }
    /// For each host the keys its certificate may have, one of which must match; list a backup. A host without an entry
    /// is not pinned. Redirects are checked by the host they lead to.
    public var pins: [String: [PublicKeyPin]] = [:]
    /// The lowest version that is accepted: TLS 1.2.
    public var minimumVersion = Version.tls1_2
    /// Hosts whose certificate is not checked at all. For a device on one's own bench; never for the open network.
    public var unverifiedHosts: Set<String> = []

    /// `SSL_CERT_FILE`, where it is set.
    package private(set) var environmentFile: String?
    /// `SSL_CERT_DIR`, where it is set.
    package private(set) var environmentDirectory: String?

    /// The defaults, with what the environment of this process says of the system's authorities.
    public init() { self.init(reading: ProcessEnvironment.value) }

    /// The defaults, with `pins`.
    public init(pins: [String: [PublicKeyPin]]) {
        self.init()
        self.pins = pins
    }

    /// The defaults, with what `environment` says of the system's authorities.
    public init(environment: [String: String]) { self.init { environment[$0] } }

    private init(reading variable: (String) -> String?) {
        func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        environmentFile = value("SSL_CERT_FILE")
        environmentDirectory = value("SSL_CERT_DIR")
    }

    /// Only what the program itself asks for.
    package var withoutEnvironment: TLSConfiguration {
        var copy = self
        copy.environmentFile = nil
        copy.environmentDirectory = nil
        return copy
    }
}

extension TLSConfiguration {
    /// Nil when `host` is not pinned.
    package func pins(for host: String) -> [PublicKeyPin]? {
        let entries = pins.filter { HostName.areEqual($0.key, host) }
        return entries.isEmpty ? nil : entries.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// The first pin, by host, that no key could have.
    package func checkPins() throws(Unsupported) {
        for (_, pins) in pins.sorted(by: { $0.key < $1.key }) {
            for pin in pins { try pin.check() }
        }
    }

    package func verifies(_ host: String) -> Bool { !unverifiedHosts.contains { HostName.areEqual($0, host) } }

    /// The certificate to show to `host`; nil for none.
    package func clientCertificate(for host: String) -> ClientCertificate? {
        clientCertificateIndex(for: host).map { clientCertificates[$0] }
    }

    /// Where in `clientCertificates` the certificate to show to `host` is; nil for none.
    package func clientCertificateIndex(for host: String) -> Int? {
        clientCertificates.firstIndex { $0.hosts?.contains { HostName.areEqual($0, host) } ?? false }
            ?? clientCertificates.firstIndex { $0.hosts == nil }
    }
}
