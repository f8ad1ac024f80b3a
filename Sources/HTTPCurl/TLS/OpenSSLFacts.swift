import HTTPCore

/// What OpenSSL says of a connection whose handshake is done.
struct OpenSSLFacts: Sendable {
    private typealias Version = @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
    private typealias Cipher = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias CipherName = @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?
    private typealias AgreedProtocol =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<CUnsignedInt>)
        -> Void
    private typealias Certificate = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias Name = @convention(c) (OpaquePointer) -> OpaquePointer?
    private typealias NameText =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<CChar>, CInt) -> UnsafeMutablePointer<CChar>?
    private typealias Free = @convention(c) (OpaquePointer) -> Void

    private let version: Version
    private let cipher: Cipher
    private let cipherName: CipherName
    private let agreedProtocol: AgreedProtocol
    private let certificate: Certificate
    private let subject: Name
    private let issuer: Name
    private let nameText: NameText
    private let free: Free

    /// Nil where libcurl does not use OpenSSL.
    static let shared: OpenSSLFacts? = {
        let library = SystemLibrary.openSSL
        guard CurlLibrary.shared.usesOpenSSL,
            let version = library.function("SSL_get_version", as: Version.self),
            let cipher = library.function("SSL_get_current_cipher", as: Cipher.self),
            let cipherName = library.function("SSL_CIPHER_get_name", as: CipherName.self),
            let agreedProtocol = library.function("SSL_get0_alpn_selected", as: AgreedProtocol.self),
            // Its name since 3.0, and the one before.
            let certificate = library.function("SSL_get1_peer_certificate", as: Certificate.self)
                ?? library.function("SSL_get_peer_certificate", as: Certificate.self),
            let subject = library.function("X509_get_subject_name", as: Name.self),
            let issuer = library.function("X509_get_issuer_name", as: Name.self),
            let nameText = library.function("X509_NAME_oneline", as: NameText.self),
            let free = library.function("X509_free", as: Free.self)
        else { return nil }
        return OpenSSLFacts(
            version: version, cipher: cipher, cipherName: cipherName, agreedProtocol: agreedProtocol,
            certificate: certificate, subject: subject, issuer: issuer, nameText: nameText, free: free)
    }()

    func facts(of connection: OpaquePointer) -> TLSFacts? {
        guard let version = version(connection), let cipher = cipher(connection), let name = cipherName(cipher) else {
            return nil
        }
        let certificate = certificate(connection)
        defer { certificate.map(free) }
        return TLSFacts(
            version: String(cString: version), cipher: String(cString: name),
            applicationProtocol: applicationProtocol(of: connection),
            subject: certificate.flatMap { text(subject($0)) }, issuer: certificate.flatMap { text(issuer($0)) })
    }

    private func applicationProtocol(of connection: OpaquePointer) -> String? {
        var name: UnsafePointer<UInt8>?
        var length: CUnsignedInt = 0
        agreedProtocol(connection, &name, &length)
        guard length > 0 else { return nil }
        return ASCII.printable(String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self))
    }

    /// `/C=DE/CN=api.example.com`. The word of a server: what cannot be printed is escaped, and what is long is cut.
    private func text(_ name: OpaquePointer?) -> String? {
        guard let name else { return nil }
        var room = [CChar](repeating: 0, count: 256)
        guard nameText(name, &room, CInt(room.count)) != nil else { return nil }
        return ASCII.printable(String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}
