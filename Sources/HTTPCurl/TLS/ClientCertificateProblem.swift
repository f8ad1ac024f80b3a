import HTTPCore
import HTTPSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a client certificate cannot be used. libcurl has one message for a key without its password, with a wrong one, and
/// of another certificate, and the reason that it adds may be left of an earlier failure on its thread. So the key or the
/// container is read once more.
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
        case .pkcs12(let container):
            switch OpenSSLReader.open(container, password: certificate.password ?? "") {
            case .locked: self = certificate.password == nil ? .passwordMissing : .passwordWrong
            case .unsupported: self = .legacyCipher
            case .opened, .unknown: return nil
            }
        case .pem(_, let key):
            guard words.contains("private key") || words.contains("Private key") else { return nil }
            let isEncrypted = String(decoding: key, as: UTF8.self).contains("ENCRYPTED")
            if isEncrypted, certificate.password == nil {
                self = .passwordMissing
            } else if OpenSSLReader.canRead(key, password: certificate.password ?? "") {
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

/// Reads private keys and PKCS#12 containers with OpenSSL.
private struct OpenSSLReader: Sendable {
    enum Container {
        case opened
        /// The password is not that of the container.
        case locked
        /// The password is right, and what it protects cannot be read.
        case unsupported
        /// It is no container, or it cannot be known.
        case unknown
    }

    private typealias MakeBuffer = @convention(c) (UnsafeRawPointer?, CInt) -> OpaquePointer?
    private typealias FreeBuffer = @convention(c) (OpaquePointer?) -> CInt
    private typealias ReadKey =
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<CChar>?) -> OpaquePointer?
    private typealias ReadContainer = @convention(c) (OpaquePointer?, OpaquePointer?) -> OpaquePointer?
    private typealias VerifyMAC = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt
    private typealias Parse =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?,
            UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?
        ) -> CInt
    private typealias Free = @convention(c) (OpaquePointer?) -> Void
    private typealias ClearErrors = @convention(c) () -> Void

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        SystemLibrary.openSSL.function(name, as: type)
    }

    /// Calls `body` with a buffer of `bytes`, and clears the errors that it leaves: libcurl reads those of the thread.
    private static func reading<Value>(_ bytes: Data, _ body: (OpaquePointer) -> Value?) -> Value? {
        guard CurlLibrary.shared.usesOpenSSL,
            let makeBuffer = function("BIO_new_mem_buf", as: MakeBuffer.self),
            let freeBuffer = function("BIO_free", as: FreeBuffer.self),
            let clearErrors = function("ERR_clear_error", as: ClearErrors.self)
        else { return nil }
        defer { clearErrors() }
        return bytes.withUnsafeBytes { bytes in
            guard let buffer = makeBuffer(bytes.baseAddress, CInt(clamping: bytes.count)) else { return nil }
            defer { _ = freeBuffer(buffer) }
            return body(buffer)
        }
    }

    /// Whether `password` opens `key`, in PEM. False if it cannot be known.
    static func canRead(_ key: Data, password: String) -> Bool {
        let canRead = reading(key) { buffer -> Bool? in
            guard let readKey = function("PEM_read_bio_PrivateKey", as: ReadKey.self),
                let freeKey = function("EVP_PKEY_free", as: Free.self)
            else { return nil }
            // With an empty password OpenSSL would not ask for one at the terminal.
            guard let read = password.withCString({ readKey(buffer, nil, nil, $0) }) else { return false }
            freeKey(read)
            return true
        }
        return canRead ?? false
    }

    static func open(_ container: Data, password: String) -> Container {
        let opened = reading(container) { buffer -> Container? in
            guard let read = function("d2i_PKCS12_bio", as: ReadContainer.self),
                let verifyMAC = function("PKCS12_verify_mac", as: VerifyMAC.self),
                let parse = function("PKCS12_parse", as: Parse.self),
                let free = function("PKCS12_free", as: Free.self),
                let freeKey = function("EVP_PKEY_free", as: Free.self),
                let freeCertificate = function("X509_free", as: Free.self), let parcel = read(buffer, nil)
            else { return nil }
            defer { free(parcel) }
            return password.withCString { password in
                // Without a password a container has that of no or of an empty text.
                let isOpen = verifyMAC(parcel, password, -1) == 1
                guard isOpen || password.pointee == 0 && verifyMAC(parcel, nil, 0) == 1 else { return .locked }
                var (key, certificate): (OpaquePointer?, OpaquePointer?)
                guard parse(parcel, password, &key, &certificate, nil) == 1 else { return .unsupported }
                freeKey(key)
                freeCertificate(certificate)
                return .opened
            }
        }
        return opened ?? .unknown
    }
}
