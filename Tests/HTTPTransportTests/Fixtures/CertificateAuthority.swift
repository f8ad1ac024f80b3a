import Foundation
import HTTPTesting
import Synchronization

/// Keys and certificates, made once for each run of the tests.
struct CertificateAuthority: Sendable {
    let directory: ScratchDirectory
    /// The PEM file of the authority's own certificate.
    let file: String

    /// The authority that the tests trust.
    static let trusted = make("Straightline Test CA")
    /// Another one, which they do not trust.
    static let unknown = make("Somebody Else's CA")

    private static func make(_ name: String) -> CertificateAuthority {
        // No test gets here on a machine without the program.
        do { return try CertificateAuthority(name) } catch { fatalError("no certificates for the tests: \(error)") }
    }

    private init(_ name: String) throws {
        directory = try ScratchDirectory()
        ScratchDirectory.removeAtExit(directory.path)
        file = directory.file("ca.pem")
        try directory.write(Self.settings, to: "ca.cnf")
        try directory.write("", to: "index.txt")
        try Self.openssl(directory, ["genpkey"] + Self.newKey + ["-out", "ca.key"])
        try Self.openssl(
            directory,
            ["req", "-x509", "-config", "ca.cnf", "-extensions", "v3_ca", "-new", "-key", "ca.key", "-days", "3650"]
                + ["-subj", "/CN=\(name)", "-out", "ca.pem"])
    }

    private static let signing = NSLock()

    /// When a certificate is valid.
    enum Validity: String { case now, past, future }

    /// A key and a certificate that this authority signs.
    func issue(
        _ name: String, subject: String, names: String? = nil, validity: Validity = .now
    ) throws -> Identity {
        let (start, end) =
            switch validity {
            case .now: ("20200101000000Z", "20491231000000Z")
            case .past: ("20100101000000Z", "20110101000000Z")
            case .future: ("20470101000000Z", "20491231000000Z")
            }
        // The program updates a list of signed certificates, so only one may run at a time.
        Self.signing.lock()
        defer { Self.signing.unlock() }
        let extensions = names.map { "subjectAltName=\($0)\n" } ?? "basicConstraints=CA:FALSE\n"
        try directory.write(extensions, to: "\(name).ext")
        try request(name, subject: subject)
        try Self.openssl(
            directory,
            ["ca", "-batch", "-config", "ca.cnf", "-notext", "-startdate", start, "-enddate", end]
                + ["-extfile", "\(name).ext", "-in", "\(name).csr", "-out", "\(name).pem"])
        return Identity(directory: directory, name: name)
    }

    /// A key and a self-signed certificate.
    func issueSelfSigned(_ name: String, subject: String, names: String) throws -> Identity {
        try directory.write("subjectAltName=\(names)\n", to: "\(name).ext")
        try request(name, subject: subject)
        try Self.openssl(
            directory,
            ["x509", "-req", "-days", "3650", "-extfile", "\(name).ext", "-in", "\(name).csr"]
                + ["-signkey", "\(name).key", "-out", "\(name).pem"])
        return Identity(directory: directory, name: name)
    }

    private func request(_ name: String, subject: String) throws {
        try Self.openssl(directory, ["genpkey"] + Self.newKey + ["-out", "\(name).key"])
        try Self.openssl(
            directory,
            ["req", "-new", "-config", "ca.cnf", "-key", "\(name).key", "-subj", subject, "-out", "\(name).csr"])
    }

    private static let newKey = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]

    @discardableResult
    static func openssl(_ directory: ScratchDirectory, _ arguments: [String]) throws -> Data {
        guard let openssl = Program.openssl else { throw Program.Failure(description: Needs.opensslAdvice) }
        return try openssl.run(arguments, in: directory.path)
    }

    private static let settings = """
        [ca]
        default_ca = tests
        [tests]
        database = index.txt
        new_certs_dir = .
        certificate = ca.pem
        private_key = ca.key
        default_md = sha256
        rand_serial = yes
        unique_subject = no
        policy = policy
        [policy]
        commonName = optional
        [req]
        distinguished_name = name
        [name]
        [v3_ca]
        basicConstraints = critical,CA:TRUE
        keyUsage = critical,keyCertSign,cRLSign
        subjectKeyIdentifier = hash

        """
}

extension ScratchDirectory {
    /// For files that live as long as the process and are never released.
    static func removeAtExit(_ path: String) {
        paths.withLock { $0.append(path) }
        registerOnce
    }

    private static let paths = Mutex<[String]>([])
    private static let registerOnce: Void = {
        atexit {
            for path in ScratchDirectory.paths.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
        }
    }()
}
