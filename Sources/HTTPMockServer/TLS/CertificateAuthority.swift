public import HTTPFoundation
import HTTPSupport

extension MockServer {
    /// A certificate authority for tests, trusted only where a test configures it. Its key never leaves memory.
    ///
    /// A server with TLS makes its own, unless it is given one. Several servers may share one. It may be used from any
    /// thread.
    ///
    /// ```swift
    /// let server = try MockServer(security: .tls()) { _ in .text("hello") }
    /// let authorities = try #require(server.certificateAuthority).trust
    /// let client = try CurlTransport(.init(tls: .init(authorities: authorities)))
    /// ```
    public final class CertificateAuthority: Sendable {
        /// Its certificate in PEM.
        public let pem: Data
        /// The path of a file with `pem`, for clients that need a file. It is removed when the authority is released; a
        /// server keeps its authority.
        public let file: String
        let issued: IssuedCertificate
        private let generation = ProcessGeneration.current

        /// Makes an authority with a new key.
        ///
        /// - Throws: `MockServerError.missingLibrary` if OpenSSL is not installed; `.system` if the file cannot be
        ///   written.
        public init() throws(MockServerError) {
            let library = try OpenSSL.found()
            // A client that trusts two authorities could confuse them if they had the same name.
            let name = "Test authority \(String(UInt64.random(in: 0...(.max)), radix: 36))"
            issued = try library.issue(CertificateTemplate(commonName: name, purpose: .authority), by: nil)
            let bytes = try library.pem(certificate: issued.certificate.pointer)
            pem = Data(bytes)
            file = try ScratchFile.write(bytes)
        }

        /// In a child of its process, the file is still the parent's.
        deinit { if ProcessGeneration.isCurrent(generation) { ScratchFile.remove(file) } }

        /// For `TLSConfiguration.authorities` of a client that trusts only this authority.
        public var trust: TLSConfiguration.Authorities { .bytes(pem) }

        /// A client certificate for servers that trust this authority. It includes the private key, which a client
        /// needs.
        ///
        /// ```swift
        /// configuration.tls.clientCertificates = [try authority.clientCertificate(named: "Ada")]
        /// ```
        ///
        /// - Parameters:
        ///   - name: The common name of its subject.
        ///   - isExpired: Whether it has already expired.
        /// - Throws: `MockServerError.tls` for a name that is not allowed in a certificate.
        public func clientCertificate(
            named name: String, isExpired: Bool = false
        ) throws(MockServerError) -> ClientCertificate {
            let library = try OpenSSL.found()
            let template = CertificateTemplate(
                commonName: name, purpose: .client, validity: isExpired ? .past : .current)
            let made = try library.issue(template, by: issued)
            return ClientCertificate(
                .pem(
                    certificate: Data(try library.pem(certificate: made.certificate.pointer)),
                    key: Data(try library.pem(key: made.key.pointer))))
        }
    }
}
