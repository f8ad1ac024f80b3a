#if canImport(FoundationNetworking)
import HTTPSupport

@testable import HTTPMockServer

/// An authority that OpenSSL trusts in all of this process, besides those of the system: FoundationNetworking takes none.
enum TrustedAuthority {
    private typealias Made =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, OpaquePointer?, CInt, Int, OpaquePointer?) -> Void
    private typealias OnNew =
        @convention(c) (CInt, Int, OpaquePointer?, Made, UnsafeRawPointer?, UnsafeRawPointer?) -> CInt

    /// CRYPTO_EX_INDEX_SSL_CTX.
    private static let contextClass: CInt = 1

    private static let shared = Result {
        let authority = try MockServer.CertificateAuthority()
        let onNew: OnNew = try SystemLibrary.openSSL("CRYPTO_get_ex_new_index")
        _ = onNew(contextClass, 0, authority.issued.certificate.pointer, trust, nil, nil)
        return authority
    }

    /// Called for each new context, with the authority's certificate.
    private static let trust: Made = { context, _, _, _, _, certificate in
        guard let openSSL = OpenSSL.shared, let context, let certificate else { return }
        _ = openSSL.certificates.trust(openSSL.sessions.store(context), certificate)
    }

    /// A server that URLSession trusts.
    static func server(
        _ versions: [HTTPVersion], _ handler: @escaping MockServer.Handler
    ) throws -> MockServer {
        var tls = MockServer.TLS()
        tls.authority = try shared.get()
        return try MockServer(security: .tls(tls), versions: versions, handler: handler)
    }
}
#endif
