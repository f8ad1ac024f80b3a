import HTTPFoundation
import HTTPSupport

/// Why a client certificate cannot be used. libcurl reads it when it connects, and has one message for a key without its
/// password, with a wrong one, and of another certificate. So it is read when its transport is made.
enum ClientCertificateProblem: Sendable, Hashable {
    case passwordMissing, passwordWrong
    /// The key is readable, and not that of the certificate.
    case otherKey
    case unreadableKey
    /// A PKCS#12 container with a cipher that OpenSSL 3 reads only with its legacy provider, such as RC2.
    case legacyCipher

    /// Nil if nothing is known to be wrong.
    init?(_ certificate: ClientCertificate) {
        let (reader, password) = (OpenSSLReader.shared, certificate.password)
        switch certificate.form {
        case .pkcs12(let container):
            switch reader?.open(container, password: password ?? "") {
            case .locked: self = password == nil ? .passwordMissing : .passwordWrong
            case .unsupported: self = .legacyCipher
            case .opened, nil: return nil
            }
        case .pem(let chain, let key):
            let isEncrypted = String(decoding: key, as: UTF8.self).contains("ENCRYPTED")
            switch reader?.read(key, password: password ?? "", for: chain) {
            case .unreadable where !isEncrypted: self = .unreadableKey
            case .unreadable: self = password == nil ? .passwordMissing : .passwordWrong
            case .ofOther: self = .otherKey
            case .fits, nil: return nil
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
    }

    enum Key {
        case unreadable
        /// It is that of another certificate.
        case ofOther
        /// As far as the certificate can be read.
        case fits
    }

    private typealias Free = @convention(c) (OpaquePointer?) -> Void

    private let makeBuffer: @convention(c) (UnsafeRawPointer?, CInt) -> OpaquePointer?
    private let freeBuffer: @convention(c) (OpaquePointer?) -> CInt
    private let readKey:
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<CChar>?) -> OpaquePointer?
    private let freeKey: Free
    private let readCertificate:
        @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?) -> OpaquePointer?
    private let isOf: @convention(c) (_ certificate: OpaquePointer?, _ key: OpaquePointer?) -> CInt
    private let readContainer: @convention(c) (OpaquePointer?, OpaquePointer?) -> OpaquePointer?
    private let verifyMAC: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, CInt) -> CInt
    private let parse:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?,
            UnsafeMutablePointer<OpaquePointer?>?, OpaquePointer?
        ) -> CInt
    private let freeContainer: Free
    private let freeCertificate: Free
    private let clearErrors: @convention(c) () -> Void

    /// Nil unless libcurl uses OpenSSL.
    static let shared = try? OpenSSLReader(CurlLibrary.shared.openSSL)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        makeBuffer = try library("BIO_new_mem_buf")
        freeBuffer = try library("BIO_free")
        readKey = try library("PEM_read_bio_PrivateKey")
        freeKey = try library("EVP_PKEY_free")
        readCertificate = try library("PEM_read_bio_X509")
        isOf = try library("X509_check_private_key")
        readContainer = try library("d2i_PKCS12_bio")
        verifyMAC = try library("PKCS12_verify_mac")
        parse = try library("PKCS12_parse")
        freeContainer = try library("PKCS12_free")
        freeCertificate = try library("X509_free")
        clearErrors = try library("ERR_clear_error")
    }

    /// Calls `body` with a buffer of `bytes`, and clears the errors that it leaves: libcurl reads those of the thread.
    private func reading<Value>(_ bytes: Data, _ body: (OpaquePointer) -> Value?) -> Value? {
        defer { clearErrors() }
        return bytes.withUnsafeBytes { bytes in
            guard let buffer = makeBuffer(bytes.baseAddress, CInt(clamping: bytes.count)) else { return nil }
            defer { _ = freeBuffer(buffer) }
            return body(buffer)
        }
    }

    /// What `key` is, opened with `password`, beside the first certificate of `chain`, in PEM.
    func read(_ key: Data, password: String, for chain: Data) -> Key {
        // With an empty password OpenSSL would not ask for one at the terminal.
        let key = reading(key) { buffer in password.withCString { readKey(buffer, nil, nil, $0) } }
        guard let key else { return .unreadable }
        defer { freeKey(key) }
        let doesFit = reading(chain) { buffer -> Bool? in
            guard let certificate = readCertificate(buffer, nil, nil, nil) else { return nil }
            defer { freeCertificate(certificate) }
            return isOf(certificate, key) == 1
        }
        return doesFit == false ? .ofOther : .fits
    }

    /// Nil if it is no container, or if that cannot be known.
    func open(_ container: Data, password: String) -> Container? {
        reading(container) { buffer in
            guard let parcel = readContainer(buffer, nil) else { return nil }
            defer { freeContainer(parcel) }
            return password.withCString { password in
                var (key, certificate): (OpaquePointer?, OpaquePointer?)
                if parse(parcel, password, &key, &certificate, nil) == 1 {
                    freeKey(key)
                    freeCertificate(certificate)
                    return .opened
                }
                // Without a password a container has that of no or of an empty text. One without a MAC
                // has nothing to verify, so it is parsed first.
                let isOpen = verifyMAC(parcel, password, -1) == 1
                return isOpen || password.pointee == 0 && verifyMAC(parcel, nil, 0) == 1 ? .unsupported : .locked
            }
        }
    }
}
