/// OpenSSL 3 or 1.1, as far as a server with a throw-away authority needs it.
struct OpenSSL: Sendable {
    let keys: OpenSSLKeys
    let certificates: OpenSSLCertificates
    let text: OpenSSLText
    let sessions: OpenSSLSessions

    private static let cryptoNames = [
        "libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.3.dylib", "/opt/homebrew/opt/openssl@3/lib/libcrypto.3.dylib",
        "/usr/local/opt/openssl@3/lib/libcrypto.3.dylib",
    ]
    private static let sessionNames = [
        "libssl.so.3", "libssl.so.1.1", "libssl.3.dylib", "/opt/homebrew/opt/openssl@3/lib/libssl.3.dylib",
        "/usr/local/opt/openssl@3/lib/libssl.3.dylib",
    ]
    static let advice =
        "install OpenSSL 3 or 1.1: apt-get install libssl3, apk add libssl3, dnf install openssl-libs, or brew install "
        + "openssl@3"

    static let shared: OpenSSL? = {
        guard let crypto = NativeLibrary(anyOf: cryptoNames), let ssl = NativeLibrary(anyOf: sessionNames) else {
            return nil
        }
        return try? OpenSSL(crypto, ssl)
    }()

    private init(_ crypto: NativeLibrary, _ ssl: NativeLibrary) throws(NativeLibrary.MissingFunction) {
        keys = try OpenSSLKeys(crypto)
        certificates = try OpenSSLCertificates(crypto)
        text = try OpenSSLText(crypto)
        sessions = try OpenSSLSessions(ssl)
    }

    /// The library of this process.
    static func found() throws(MockServerError) -> OpenSSL {
        guard let shared else { throw .missingLibrary("libssl and libcrypto (OpenSSL)", advice: advice) }
        return shared
    }

    /// What went wrong in the last call on this thread, in the library's words.
    func failure(of call: String) -> MockServerError { .tls(call: call, reason: text.lastError()) }

    /// `object`, or the failure of the call that should have made it.
    func made(
        _ pointer: OpaquePointer?, by call: String, free: NativeObject.Free
    ) throws(MockServerError) -> NativeObject {
        guard let object = NativeObject(pointer, free: free) else { throw failure(of: call) }
        return object
    }

    func check(_ result: CInt, _ call: String) throws(MockServerError) {
        if result <= 0 { throw failure(of: call) }
    }
}
