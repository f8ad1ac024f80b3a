import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a client certificate cannot be used. libcurl has one message for a key without its password, with a wrong one, and
/// of another certificate, so the key is read once more.
enum ClientCertificateProblem: Sendable, Hashable {
    case passwordMissing, passwordWrong
    /// The key is readable, and not that of the certificate.
    case otherKey
    case unreadableKey
    /// A PKCS#12 container with a cipher that OpenSSL 3 reads only with its legacy provider, such as RC2.
    case legacyCipher

    /// Nil if it is something else.
    init?(_ certificate: ClientCertificate, engineWords words: String) {
        switch certificate.form {
        case .pkcs12:
            if words.contains("unsupported") || words.contains("RC2") {
                self = .legacyCipher
            } else if words.contains("mac verify") || words.contains("password") {
                self = certificate.password == nil ? .passwordMissing : .passwordWrong
            } else {
                return nil
            }
        case .pem(_, let key):
            guard words.contains("private key") || words.contains("Private key") else { return nil }
            let isEncrypted = String(decoding: key, as: UTF8.self).contains("ENCRYPTED")
            if isEncrypted, certificate.password == nil {
                self = .passwordMissing
            } else if OpenSSLKeyReader.canRead(key, password: certificate.password ?? "") {
                self = .otherKey
            } else {
                self = isEncrypted ? .passwordWrong : .unreadableKey
            }
        }
    }

    var sentence: String {
        switch self {
        case .passwordMissing:
            "the client's private key is encrypted and there is no password for it: give ClientCertificate one"
        case .passwordWrong: "the password does not open the client's private key: correct that of ClientCertificate"
        case .otherKey:
            "the client's private key belongs to another certificate: give the key that the certificate was made for"
        case .unreadableKey: "the client's private key cannot be read: give it in PEM, with its BEGIN and END lines"
        case .legacyCipher:
            "the PKCS#12 container of the client is encrypted with an outdated cipher (RC2) that OpenSSL 3 does not read:"
                + " convert it (openssl pkcs12 -legacy -in old.p12 -nodes -out all.pem, then openssl pkcs12 -export -in"
                + " all.pem -out new.p12)"
        }
    }
}

/// Reads a private key with OpenSSL.
private struct OpenSSLKeyReader: Sendable {
    private typealias MakeBuffer = @convention(c) (UnsafeRawPointer?, CInt) -> OpaquePointer?
    private typealias FreeBuffer = @convention(c) (OpaquePointer?) -> CInt
    private typealias ReadKey =
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias FreeKey = @convention(c) (OpaquePointer?) -> Void
    private typealias ClearErrors = @convention(c) () -> Void

    /// Whether `password` opens `key`, in PEM. False if it cannot be known.
    static func canRead(_ key: Data, password: String) -> Bool {
        guard CurlLibrary.shared.usesOpenSSL,
            let makeBuffer = SystemLibrary.openSSL.function("BIO_new_mem_buf", as: MakeBuffer.self),
            let freeBuffer = SystemLibrary.openSSL.function("BIO_free", as: FreeBuffer.self),
            let readKey = SystemLibrary.openSSL.function("PEM_read_bio_PrivateKey", as: ReadKey.self),
            let freeKey = SystemLibrary.openSSL.function("EVP_PKEY_free", as: FreeKey.self),
            let clearErrors = SystemLibrary.openSSL.function("ERR_clear_error", as: ClearErrors.self)
        else { return false }
        // libcurl reads the errors of the thread later.
        defer { clearErrors() }
        return key.withUnsafeBytes { bytes in
            guard let buffer = makeBuffer(bytes.baseAddress, CInt(clamping: bytes.count)) else { return false }
            defer { _ = freeBuffer(buffer) }
            // With an empty password OpenSSL would not ask for one at the terminal.
            guard let read = password.withCString({ readKey(buffer, nil, nil, $0) }) else { return false }
            freeKey(read)
            return true
        }
    }
}
