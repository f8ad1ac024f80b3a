/// The shared TLS state of a server: its certificate, versions and trusted authorities.
package final class TLSContext: Sendable {
    let library: OpenSSL
    let options: MockServer.TLS
    let leaf: IssuedCertificate
    private let context: NativeObject
    /// Must live as long as `context`, which points to it.
    private let offer: ProtocolOffer

    private static let setMinimumVersion: CInt = 123
    private static let setMaximumVersion: CInt = 124
    private static let verifyPeer: CInt = 0x01
    private static let failWithoutPeer: CInt = 0x02

    /// - Parameters:
    ///   - authority: Signs the certificate and, unless the options say otherwise, verifies client certificates. It is
    ///     not kept, so that its file is removed with the server even if a connection lives a moment longer.
    ///   - versions: The versions to offer by ALPN, the preferred one first.
    package init(
        _ options: MockServer.TLS, _ authority: MockServer.CertificateAuthority, versions: [HTTPVersion]
    ) throws(MockServerError) {
        let library = try OpenSSL.found()
        let leaf = try Self.leaf(options, authority.issued, library)
        let sessions = library.sessions
        context = try library.made(
            sessions.newContext(sessions.serverMethod()), by: "SSL_CTX_new", free: sessions.freeContext)
        offer = ProtocolOffer(versions.map { $0 >= .http2 ? "h2" : "http/1.1" })
        self.library = library
        self.options = options
        self.leaf = leaf
        try setUp((options.clientAuthority ?? authority).issued)
    }

    func newSession() throws(MockServerError) -> TLSSession { try TLSSession(library, context.pointer) }

    private func setUp(_ clientAuthority: IssuedCertificate) throws(MockServerError) {
        let (sessions, pointer) = (library.sessions, context.pointer)
        try library.check(sessions.useCertificate(pointer, leaf.certificate.pointer), "SSL_CTX_use_certificate")
        try library.check(sessions.useKey(pointer, leaf.key.pointer), "SSL_CTX_use_PrivateKey")
        if options.versions.lowerBound < .tls1_2 {
            // At its default security level the library has no signature algorithm for these versions.
            try library.check(sessions.setCiphers(pointer, "ALL:@SECLEVEL=0"), "SSL_CTX_set_cipher_list")
        }
        try limit(Self.setMinimumVersion, options.versions.lowerBound)
        try limit(Self.setMaximumVersion, options.versions.upperBound)
        let name = Array("mock-server".utf8)
        _ = sessions.setSessionName(pointer, name, CUnsignedInt(name.count))
        if options.negotiatesProtocol {
            let offer = Unmanaged.passUnretained(offer).toOpaque()
            sessions.setSelectProtocol(pointer, ProtocolOffer.select, offer)
        }
        try askClients(trusting: clientAuthority)
    }

    private func limit(_ command: CInt, _ version: MockServer.TLS.Version) throws(MockServerError) {
        let result = library.sessions.controlContext(context.pointer, command, version.rawValue, nil)
        try library.check(CInt(result), "SSL_CTX_ctrl (version)")
    }

    private func askClients(trusting authority: IssuedCertificate) throws(MockServerError) {
        let mode: CInt
        switch options.clientCertificates {
        case .ignored: return
        case .wanted: mode = Self.verifyPeer
        case .required: mode = Self.verifyPeer | Self.failWithoutPeer
        }
        let (sessions, pointer) = (library.sessions, context.pointer)
        let trusted = authority.certificate.pointer
        let result = library.certificates.trust(sessions.store(pointer), trusted)
        try library.check(result, "X509_STORE_add_cert")
        try library.check(sessions.addClientAuthority(pointer, trusted), "SSL_CTX_add_client_CA")
        sessions.setVerify(pointer, mode, nil)
    }

    private static func leaf(
        _ options: MockServer.TLS, _ authority: IssuedCertificate, _ library: OpenSSL
    ) throws(MockServerError) -> IssuedCertificate {
        var template = CertificateTemplate(commonName: "mock server", purpose: .server, names: options.names)
        switch options.certificate {
        case .valid: break
        case .expired: template.validity = .past
        case .notYetValid: template.validity = .future
        case .selfSigned: return try library.issue(template, by: nil)
        case .byUnknownAuthority:
            let other = CertificateTemplate(commonName: "Another authority", purpose: .authority)
            return try library.issue(template, by: try library.issue(other, by: nil))
        }
        return try library.issue(template, by: authority)
    }
}
