/// The contents of a certificate.
struct CertificateTemplate {
    enum Purpose { case authority, server, client }

    /// Its validity, in seconds from now.
    struct Validity {
        let start: Int
        let end: Int

        private static let day = 86_400
        static let current = Validity(start: -day, end: 30 * day)
        static let past = Validity(start: -2 * day, end: -day)
        static let future = Validity(start: day, end: 2 * day)
    }

    var commonName: String
    var purpose: Purpose
    /// DNS names and addresses of a server.
    var names: [String] = []
    var validity = Validity.current

    /// The extensions by their names in OpenSSL's configuration, with their values (RFC 5280 §4.2).
    var extensions: [(name: String, value: String)] {
        switch purpose {
        case .authority:
            [
                ("basicConstraints", "critical,CA:TRUE"), ("keyUsage", "critical,keyCertSign,cRLSign"),
                ("subjectKeyIdentifier", "hash"),
            ]
        case .server, .client:
            [
                ("basicConstraints", "critical,CA:FALSE"), ("keyUsage", "critical,digitalSignature"),
                ("extendedKeyUsage", purpose == .server ? "serverAuth" : "clientAuth"),
                ("subjectKeyIdentifier", "hash"), ("authorityKeyIdentifier", "keyid"),
            ] + (names.isEmpty ? [] : [("subjectAltName", names.map(Self.alternative).joined(separator: ","))])
        }
    }

    /// The first name that is neither a DNS name nor an address.
    var unusableName: String? { names.first { !Self.isUsable($0) } }

    private static func alternative(_ name: String) -> String { isAddress(name) ? "IP:\(name)" : "DNS:\(name)" }

    private static func isAddress(_ name: String) -> Bool {
        name.contains(":") || name.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    /// A comma or a newline would start another entry.
    private static func isUsable(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "*.-_:".utf8.contains($0) }
    }
}

/// A certificate and its private key, in memory.
struct IssuedCertificate: Sendable {
    let certificate: NativeObject
    let key: NativeObject
}

extension OpenSSL {
    private static let utf8Text: CInt = 0x1000
    /// At least the size of the library's X509V3_CTX in any version.
    private static let extensionContextSize = 512

    /// Makes a key and a certificate for it, signed by `issuer` or self-signed.
    func issue(
        _ template: CertificateTemplate, by issuer: IssuedCertificate?
    ) throws(MockServerError) -> IssuedCertificate {
        if let name = template.unusableName {
            throw .tls(call: "a certificate", reason: "\"\(name)\" is neither a host name nor an address")
        }
        let key = try makeKey()
        let certificate = try made(certificates.new(), by: "X509_new", free: certificates.free)
        let signer = issuer ?? IssuedCertificate(certificate: certificate, key: key)
        try describe(certificate.pointer, as: template)
        try check(certificates.setKey(certificate.pointer, key.pointer), "X509_set_pubkey")
        let issuerName = certificates.subject(signer.certificate.pointer)
        try check(certificates.setIssuer(certificate.pointer, issuerName), "X509_set_issuer_name")
        for (name, value) in template.extensions {
            try add(name, value, to: certificate.pointer, issuer: signer.certificate.pointer)
        }
        try check(certificates.sign(certificate.pointer, signer.key.pointer, certificates.sha256()), "X509_sign")
        return IssuedCertificate(certificate: certificate, key: key)
    }

    private func describe(_ certificate: OpaquePointer?, as template: CertificateTemplate) throws(MockServerError) {
        try check(certificates.setVersion(certificate, 2), "X509_set_version")
        let number = UInt64.random(in: 1...UInt64(Int64.max))
        try check(certificates.setNumber(certificates.serial(certificate), number), "ASN1_INTEGER_set_uint64")
        _ = certificates.setTime(certificates.notBefore(certificate), template.validity.start)
        _ = certificates.setTime(certificates.notAfter(certificate), template.validity.end)
        let name = Array(template.commonName.utf8)
        let subject = certificates.subject(certificate)
        let result = certificates.addName(subject, "CN", Self.utf8Text, name, CInt(name.count), -1, 0)
        try check(result, "X509_NAME_add_entry_by_txt")
    }

    private func add(
        _ name: String, _ value: String, to certificate: OpaquePointer?, issuer: OpaquePointer?
    ) throws(MockServerError) {
        let context = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.extensionContextSize, alignment: 16)
        defer { context.deallocate() }
        context.initializeMemory(as: UInt8.self, repeating: 0)
        certificates.prepareExtensions(context.baseAddress, issuer, certificate, nil, nil, 0)
        let call = "X509V3_EXT_conf_nid(\(name), \(value))"
        let made = try made(
            certificates.newExtension(nil, context.baseAddress, certificates.number(name), value), by: call,
            free: certificates.freeExtension)
        try check(certificates.addExtension(certificate, made.pointer, -1), "X509_add_ext")
    }
}
