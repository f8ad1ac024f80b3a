import HTTPSupport

/// The parts of OpenSSL 3 or 1.1 that a test server needs.
package struct OpenSSL: Sendable {
    let keys: OpenSSLKeys
    let certificates: OpenSSLCertificates
    let text: OpenSSLText
    let sessions: OpenSSLSessions

    /// The prefix and suffix of the names of both libraries. They come in pairs, because an object of one version must
    /// not be passed to the other.
    private static let places = [
        ("lib", ".so.3"), ("lib", ".so.1.1"), ("lib", ".3.dylib"), ("/opt/homebrew/opt/openssl@3/lib/lib", ".3.dylib"),
        ("/usr/local/opt/openssl@3/lib/lib", ".3.dylib"),
    ]
    package static let advice =
        "install OpenSSL 3 or 1.1: apt-get install libssl3, apk add libssl3, dnf install openssl-libs, or brew install "
        + "openssl@3"

    package static let shared: OpenSSL? = {
        for (start, end) in places {
            guard let ssl = SystemLibrary(anyOf: [start + "ssl" + end]),
                let crypto = SystemLibrary(anyOf: [start + "crypto" + end])
            else { continue }
            return try? OpenSSL(crypto, ssl)
        }
        return nil
    }()

    private init(_ crypto: SystemLibrary, _ ssl: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        crypto.disableExitHandler()
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

    /// The library's error message of the last call on this thread.
    func failure(of call: String) -> MockServerError { .tls(call: call, reason: text.lastError()) }

    /// `object`, or the error of the call that should have returned it.
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
