public import HTTPFoundation

/// A client certificate and its key.
public struct ClientCertificate: Sendable, Hashable {
    /// The format of certificate and key.
    public enum Form: Sendable, Hashable {
        /// PEM texts: the certificate with its chain, and the key.
        case pem(certificate: Data, key: Data)
        /// A PKCS#12 container with certificate and key.
        case pkcs12(Data)
    }

    /// The certificate and its key.
    public let form: Form
    /// The password of the key or the container.
    public let password: String?
    /// The hosts it is sent to; nil for every host that asks.
    public let hosts: Set<String>?

    /// A certificate for `hosts`; nil for every host that asks. `password` opens an encrypted key or the container.
    public init(_ form: Form, password: String? = nil, hosts: Set<String>? = nil) {
        self.form = form
        self.password = password
        self.hosts = hosts
    }

    /// Reads PEM files. They are read at once: a later change of a file needs a new configuration.
    ///
    /// - Parameters:
    ///   - certificate: The path of the certificate, followed by its chain.
    ///   - key: The path of the key; nil if it is in the first file.
    ///   - password: The password of the key.
    ///   - hosts: The hosts it is sent to; nil for every host that asks.
    /// - Throws: `.unsupported` for a file that cannot be read, is larger than 1 MiB, or has no PEM block.
    public static func pem(
        certificate: some FileLocation, key: (some FileLocation)? = String?.none, password: String? = nil,
        hosts: Set<String>? = nil
    ) throws(HTTPError) -> ClientCertificate {
        let chain = try pemFile(certificate.filePath, "the client certificate")
        let key = try key.map { path throws(HTTPError) in try pemFile(path.filePath, "the client key") } ?? chain
        return ClientCertificate(.pem(certificate: chain, key: key), password: password, hosts: hosts)
    }

    /// Reads a PKCS#12 file (`.p12`, `.pfx`) with certificate and key. Otherwise like
    /// `pem(certificate:key:password:hosts:)`.
    public static func pkcs12(
        file path: some FileLocation, password: String? = nil, hosts: Set<String>? = nil
    ) throws(HTTPError) -> ClientCertificate {
        ClientCertificate(.pkcs12(try file(path.filePath, "the PKCS#12 file")), password: password, hosts: hosts)
    }

    private static func pemFile(_ path: String, _ role: String) throws(HTTPError) -> Data {
        let data = try file(path, role)
        guard String(decoding: data, as: UTF8.self).contains("-----BEGIN ") else {
            throw .unsupported(Unsupported("\(role) \(ASCII.quoted(path))", "it has no PEM block"))
        }
        return data
    }

    private static func file(_ path: String, _ role: String) throws(HTTPError) -> Data {
        func failure(_ words: String) -> HTTPError { .unsupported(Unsupported("\(role) \(ASCII.quoted(path))", words)) }
        let bytes: [UInt8]?
        do { bytes = try FileReader(path).bytes(atMost: 1 << 20) } catch {
            throw failure("it cannot be read: \(error.underlying.map { "\($0)" } ?? "\(error.reason)")")
        }
        guard let bytes else { throw failure("it is larger than 1 MiB") }
        return Data(bytes)
    }
}

extension ClientCertificate: Redacted {
    /// The format and hosts. Key and password are masked, also in a debugger and in `dump`.
    public var description: String {
        let name =
            switch form {
            case .pem: "PEM"
            case .pkcs12: "PKCS#12"
            }
        return "\(name) certificate for \(hosts.map { $0.sorted().joined(separator: ", ") } ?? "every host")"
    }
}
