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

    public enum Version: Sendable, Hashable { case tls1_2, tls1_3 }

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

/// The SHA-256 of a public key (SubjectPublicKeyInfo in DER), as RFC 7469 §2.4 writes it.
public struct PublicKeyPin: Sendable, Hashable {
    /// 44 characters of base64.
    public let base64: String

    /// `.unsupported` unless `base64` is the encoding of 32 bytes: a misspelled pin that was left out would be missing on
    /// the day the key changes.
    public init(sha256 base64: String) throws(HTTPError) {
        guard Data(base64Encoded: base64)?.count == 32 else {
            throw .unsupported(
                Unsupported("the pin \"\(ASCII.printable(base64))\"", "it is not the base64 of 32 bytes"))
        }
        self.base64 = base64
    }
}

/// A certificate and its key, by which a client shows who it is.
public struct ClientCertificate: Sendable {
    public enum Form: Sendable {
        /// PEM texts: the certificate with its chain, and the key.
        case pem(certificate: Data, key: Data)
        /// A PKCS#12 container with both.
        case pkcs12(Data)
    }

    public let form: Form
    /// Opens the key or the container.
    public let password: String?
    /// The hosts that may see it; nil for every host that asks.
    public let hosts: Set<String>?

    public init(_ form: Form, password: String? = nil, hosts: Set<String>? = nil) {
        self.form = form
        self.password = password
        self.hosts = hosts
    }
}

extension ClientCertificate {
    /// PEM files, as most tools write them. They are read at once, so that a change on the disk takes a new configuration.
    ///
    /// - Parameters:
    ///   - certificate: The path of the certificate, with its chain behind it.
    ///   - key: The path of the key; nil where the first file has it as well.
    ///   - password: Opens the key.
    ///   - hosts: The hosts that may see it; nil for every host that asks.
    /// - Throws: `.unsupported` for a file that cannot be read, is larger than 1 MiB, or has no PEM block.
    public static func pem(
        certificate: String, key: String? = nil, password: String? = nil, hosts: Set<String>? = nil
    ) throws(HTTPError) -> ClientCertificate {
        let chain = try pemFile(certificate, "the client certificate")
        let key = try key.map { path throws(HTTPError) in try pemFile(path, "the client key") } ?? chain
        return ClientCertificate(.pem(certificate: chain, key: key), password: password, hosts: hosts)
    }

    /// A PKCS#12 file (`.p12`, `.pfx`) with certificate and key; otherwise like `pem(certificate:key:password:hosts:)`.
    public static func pkcs12(
        file path: String, password: String? = nil, hosts: Set<String>? = nil
    ) throws(HTTPError) -> ClientCertificate {
        ClientCertificate(.pkcs12(try file(path, "the PKCS#12 file")), password: password, hosts: hosts)
    }

    private static let fileLimit = 1 << 20

    private static func pemFile(_ path: String, _ role: String) throws(HTTPError) -> Data {
        let data = try file(path, role)
        guard String(decoding: data, as: UTF8.self).contains("-----BEGIN ") else {
            throw .unsupported(Unsupported("\(role) \(ASCII.quoted(path))", "it has no PEM block"))
        }
        return data
    }

    private static func file(_ path: String, _ role: String) throws(HTTPError) -> Data {
        func failure(_ words: String) -> HTTPError { .unsupported(Unsupported("\(role) \(ASCII.quoted(path))", words)) }
        do throws(BodyProblem) {
            let file = try FileReader(path)
            guard file.size <= Int64(fileLimit) else { throw BodyProblem(.sourceTooLong(expected: 0, atLeast: 0)) }
            var bytes = [UInt8](repeating: 0, count: fileLimit + 1)
            var count = 0
            while count < bytes.count {
                let read = try bytes.withUnsafeMutableBytes { room in
                    Result { () throws(BodyProblem) in
                        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
                    }
                }.get()
                if read == 0 { break }
                count += read
            }
            return Data(bytes[..<count])
        } catch {
            if case .sourceTooLong = error.reason { throw failure("it is larger than 1 MiB") }
            throw failure("it cannot be read: \(error.underlying.map { "\($0)" } ?? "\(error.reason)")")
        }
    }
}

extension ClientCertificate: CustomStringConvertible, CustomReflectable {
    /// Its form and hosts; key and password only masked, also where a debugger or `dump` looks.
    public var description: String {
        let name =
            switch form {
            case .pem: "PEM"
            case .pkcs12: "PKCS#12"
            }
        return "\(name) certificate for \(hosts.map { $0.sorted().joined(separator: ", ") } ?? "every host")"
    }

    public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
}

extension TLSConfiguration {
    /// Nil when `host` is not pinned.
    package func pins(for host: String) -> [PublicKeyPin]? {
        let entries = pins.filter { HostName.areEqual($0.key, host) }
        return entries.isEmpty ? nil : entries.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    package func verifies(_ host: String) -> Bool { !unverifiedHosts.contains { HostName.areEqual($0, host) } }

    /// The certificate to show to `host`; nil for none.
    package func clientCertificate(for host: String) -> ClientCertificate? {
        clientCertificates.first { $0.hosts?.contains { HostName.areEqual($0, host) } ?? false }
            ?? clientCertificates.first { $0.hosts == nil }
    }
}
