import HTTPCore
import HTTPSupport

/// Reads the facts of a connection after its handshake from OpenSSL.
struct OpenSSLSession: Sendable {
    private typealias Object = OpaquePointer
    private typealias Text = @convention(c) (Object) -> UnsafePointer<CChar>?
    private typealias Part = @convention(c) (Object) -> Object?
    private typealias AgreedProtocol =
        @convention(c) (Object, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<CUnsignedInt>) -> Void
    private typealias Count = @convention(c) (Object) -> CInt
    private typealias Element = @convention(c) (Object, CInt) -> Object?
    private typealias NameText =
        @convention(c) (Object, UnsafeMutablePointer<CChar>, CInt) -> UnsafeMutablePointer<CChar>?
    private typealias BrokenDownTime = @convention(c) (Object, UnsafeMutablePointer<tm>) -> CInt

    private let version: Text
    private let cipher: Part
    private let cipherName: Text
    private let agreedProtocol: AgreedProtocol
    private let chain: Part
    private let count: Count
    private let element: Element
    private let subject: Part
    private let issuer: Part
    private let nameText: NameText
    private let expiry: Part
    private let brokenDownTime: BrokenDownTime

    /// Nil unless libcurl uses OpenSSL.
    static let shared: OpenSSLSession? = {
        let library = SystemLibrary.openSSL
        guard CurlLibrary.shared.usesOpenSSL,
            let version = library.function("SSL_get_version", as: Text.self),
            let cipher = library.function("SSL_get_current_cipher", as: Part.self),
            let cipherName = library.function("SSL_CIPHER_get_name", as: Text.self),
            let agreedProtocol = library.function("SSL_get0_alpn_selected", as: AgreedProtocol.self),
            let chain = library.function("SSL_get_peer_cert_chain", as: Part.self),
            let count = library.function("OPENSSL_sk_num", as: Count.self),
            let element = library.function("OPENSSL_sk_value", as: Element.self),
            let subject = library.function("X509_get_subject_name", as: Part.self),
            let issuer = library.function("X509_get_issuer_name", as: Part.self),
            let nameText = library.function("X509_NAME_oneline", as: NameText.self),
            let expiry = library.function("X509_get0_notAfter", as: Part.self),
            let brokenDownTime = library.function("ASN1_TIME_to_tm", as: BrokenDownTime.self)
        else { return nil }
        return OpenSSLSession(
            version: version, cipher: cipher, cipherName: cipherName, agreedProtocol: agreedProtocol, chain: chain,
            count: count, element: element, subject: subject, issuer: issuer, nameText: nameText, expiry: expiry,
            brokenDownTime: brokenDownTime)
    }()

    func info(of connection: OpaquePointer) -> TLSInfo? {
        guard let version = version(connection), let cipher = cipher(connection), let name = cipherName(cipher) else {
            return nil
        }
        return TLSInfo(
            version: String(cString: version), cipher: String(cString: name),
            applicationProtocol: applicationProtocol(of: connection), certificates: certificates(of: connection))
    }

    private func applicationProtocol(of connection: OpaquePointer) -> String? {
        var name: UnsafePointer<UInt8>?
        var length: CUnsignedInt = 0
        agreedProtocol(connection, &name, &length)
        guard length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    /// The chain belongs to the connection and must not be freed.
    private func certificates(of connection: OpaquePointer) -> [TLSInfo.Certificate] {
        guard let chain = chain(connection) else { return [] }
        return (0..<min(8, max(0, count(chain)))).compactMap { element(chain, $0) }.map { certificate in
            TLSInfo.Certificate(
                subject: text(subject(certificate)), issuer: text(issuer(certificate)),
                expiry: time(expiry(certificate)))
        }
    }

    private func text(_ name: OpaquePointer?) -> String {
        var room = [CChar](repeating: 0, count: 256)
        guard let name, nameText(name, &room, CInt(room.count)) != nil else { return "" }
        return String(decoding: room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func time(_ time: OpaquePointer?) -> Int64? {
        var parts = tm()
        guard let time, brokenDownTime(time, &parts) == 1 else { return nil }
        return Int64(timegm(&parts))
    }
}
