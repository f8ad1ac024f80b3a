import HTTPSupport

/// Reads the facts of a connection after its handshake from OpenSSL.
struct OpenSSLSession: Sendable {
    private typealias Object = OpaquePointer
    private typealias Text = @convention(c) (Object) -> UnsafePointer<CChar>?
    private typealias Part = @convention(c) (Object) -> Object?

    private let version: Text
    private let cipher: Part
    private let cipherName: Text
    private let chain: Part
    private let count: @convention(c) (Object) -> CInt
    private let element: @convention(c) (Object, CInt) -> Object?
    private let subject: Part
    private let issuer: Part
    private let nameText: @convention(c) (Object, UnsafeMutablePointer<CChar>, CInt) -> UnsafeMutablePointer<CChar>?
    private let expiry: Part
    private let brokenDownTime: @convention(c) (Object, UnsafeMutablePointer<tm>) -> CInt

    /// Nil unless libcurl uses OpenSSL.
    static let shared = try? OpenSSLSession(CurlLibrary.shared.openSSL)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        version = try library("SSL_get_version")
        cipher = try library("SSL_get_current_cipher")
        cipherName = try library("SSL_CIPHER_get_name")
        chain = try library("SSL_get_peer_cert_chain")
        count = try library("OPENSSL_sk_num")
        element = try library("OPENSSL_sk_value")
        subject = try library("X509_get_subject_name")
        issuer = try library("X509_get_issuer_name")
        nameText = try library("X509_NAME_oneline")
        expiry = try library("X509_get0_notAfter")
        brokenDownTime = try library("ASN1_TIME_to_tm")
    }

    func info(of connection: OpaquePointer) -> TLSInfo? {
        guard let version = version(connection), let cipher = cipher(connection), let name = cipherName(cipher) else {
            return nil
        }
        return TLSInfo(
            version: String(cString: version), cipher: String(cString: name),
            applicationProtocol: OpenSSLConnection.agreedProtocol(of: connection).map {
                String(decoding: $0, as: UTF8.self)
            },
            certificates: certificates(of: connection))
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

/// What OpenSSL knows of a connection before each of its requests.
struct OpenSSLConnection: Sendable {
    private let agreedProtocol:
        @convention(c) (
            OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<CUnsignedInt>
        ) -> Void
    private let pending: @convention(c) (OpaquePointer) -> CInt
    private let shutdown: @convention(c) (OpaquePointer) -> CInt

    /// SSL_RECEIVED_SHUTDOWN.
    private static let receivedShutdown: CInt = 2

    static let shared = try? OpenSSLConnection(CurlLibrary.shared.openSSL)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        agreedProtocol = try library("SSL_get0_alpn_selected")
        pending = try library("SSL_has_pending")
        shutdown = try library("SSL_get_shutdown")
    }

    /// What ALPN negotiated; nil for nothing, and if that cannot be known.
    static func agreedProtocol(of connection: OpaquePointer) -> UnsafeBufferPointer<UInt8>? {
        guard let shared else { return nil }
        var name: UnsafePointer<UInt8>?
        var length: CUnsignedInt = 0
        shared.agreedProtocol(connection, &name, &length)
        return length == 0 ? nil : UnsafeBufferPointer(start: name, count: Int(length))
    }

    /// Whether that is HTTP/2.
    static func speaksHTTP2(_ connection: OpaquePointer) -> Bool? {
        agreedProtocol(of: connection).map { $0.elementsEqual("h2".utf8) }
    }

    /// Whether its end, close_notify, was read.
    static func hasEnded(_ connection: OpaquePointer) -> Bool {
        shared.map { $0.shutdown(connection) & receivedShutdown != 0 } ?? false
    }

    /// Whether it has unread bytes.
    func hasPending(_ connection: OpaquePointer) -> Bool { pending(connection) != 0 }
}
