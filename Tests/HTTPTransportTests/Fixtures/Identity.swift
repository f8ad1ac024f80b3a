import Foundation
import HTTPCore
import HTTPTesting

/// A private key and its certificate, as PEM files.
struct Identity: Sendable {
    let directory: ScratchDirectory
    let name: String

    var certificate: String { directory.file("\(name).pem") }
    var key: String { directory.file("\(name).key") }

    private static let localNames = "DNS:localhost,IP:127.0.0.1,IP:::1"
    private static let authority = CertificateAuthority.trusted

    /// For localhost and its addresses, signed by the trusted authority.
    static let good = make { try authority.issue("good", subject: "/CN=server", names: localNames) }
    /// The same with another key.
    static let second = make { try authority.issue("second", subject: "/CN=server", names: localNames) }
    /// For the names of `a.example.test` and `b.example.test`.
    static let named = make {
        try authority.issue("named", subject: "/CN=server", names: "DNS:a.example.test,DNS:b.example.test")
    }
    static let expired = make {
        try authority.issue("expired", subject: "/CN=server", names: localNames, validity: .past)
    }
    static let notYetValid = make {
        try authority.issue("future", subject: "/CN=server", names: localNames, validity: .future)
    }
    /// For another host.
    static let other = make { try authority.issue("other", subject: "/CN=localhost", names: "DNS:other.example") }
    /// Names localhost only as its common name.
    static let commonNameOnly = make { try authority.issue("common", subject: "/CN=localhost") }
    /// For an international host, by its A-labels.
    static let international = make {
        try authority.issue("international", subject: "/CN=server", names: "DNS:xn--bcher-kva.example")
    }
    /// Names that host only as its common name.
    static let internationalCommonName = make {
        try authority.issue("internationalCommon", subject: "/CN=xn--bcher-kva.example")
    }
    static let selfSigned = make {
        try authority.issueSelfSigned("self", subject: "/CN=server", names: localNames)
    }
    /// Signed by an untrusted authority.
    static let unknown = make {
        try CertificateAuthority.unknown.issue("unknown", subject: "/CN=server", names: localNames)
    }
    /// A client certificate, signed by the trusted authority.
    static let client = make { try authority.issue("client", subject: "/CN=Client One") }
    /// A client certificate, signed by an authority that the server does not trust.
    static let strangeClient = make { try CertificateAuthority.unknown.issue("strange", subject: "/CN=Stranger") }

    private static func make(_ issue: () throws -> Identity) -> Identity {
        do { return try issue() } catch { fatalError("no certificate for the tests: \(error)") }
    }
}

extension Identity {
    func certificateBytes() throws -> Data { Data(try directory.read("\(name).pem")) }
    func keyBytes() throws -> Data { Data(try directory.read("\(name).key")) }

    /// The key in PEM, encrypted with `password`.
    func encryptedKey(password: String) throws -> Data {
        try CertificateAuthority.openssl(
            directory, ["pkey", "-in", "\(name).key", "-aes256", "-passout", "pass:\(password)"])
    }

    /// A PKCS#12 container with key and certificate.
    func pkcs12(password: String) throws -> Data {
        try CertificateAuthority.openssl(
            directory,
            ["pkcs12", "-export", "-inkey", "\(name).key", "-in", "\(name).pem", "-passout", "pass:\(password)"])
    }

    /// The pin of the key.
    func pin() throws -> PublicKeyPin {
        let scratch = try ScratchDirectory()
        try CertificateAuthority.openssl(
            directory, ["pkey", "-in", "\(name).key", "-pubout", "-outform", "DER", "-out", scratch.file("der")])
        let hash = try CertificateAuthority.openssl(scratch, ["dgst", "-sha256", "-binary", "der"])
        return try PublicKeyPin(sha256: hash.base64EncodedString())
    }
}
