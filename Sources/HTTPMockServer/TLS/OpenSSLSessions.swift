import HTTPSupport

/// The functions of libssl that serve connections.
struct OpenSSLSessions: Sendable {
    typealias Get = @convention(c) (OpaquePointer?) -> OpaquePointer?
    typealias GetText = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    typealias Set = @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
    typealias Act = @convention(c) (OpaquePointer?) -> CInt
    typealias SelectProtocol =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, CUnsignedInt, UnsafeMutableRawPointer?
        ) -> CInt
    typealias Verify = @convention(c) (CInt, OpaquePointer?) -> CInt

    let serverMethod: @convention(c) () -> OpaquePointer?
    let newContext: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let freeContext: NativeObject.Free
    let controlContext: @convention(c) (OpaquePointer?, CInt, Int, UnsafeMutableRawPointer?) -> Int
    let useCertificate: Set
    let useKey: Set
    let setCiphers: @convention(c) (OpaquePointer?, UnsafePointer<CChar>) -> CInt
    let setVerify: @convention(c) (OpaquePointer?, CInt, Verify?) -> Void
    let store: Get
    let addClientAuthority: Set
    let setSessionName: @convention(c) (OpaquePointer?, UnsafePointer<UInt8>, CUnsignedInt) -> CInt
    let setSelectProtocol: @convention(c) (OpaquePointer?, SelectProtocol?, UnsafeMutableRawPointer?) -> Void
    let new: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let free: NativeObject.Free
    let setBuffers: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> Void
    let setAccepting: @convention(c) (OpaquePointer?) -> Void
    let handshake: Act
    let read: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, CInt) -> CInt
    let write: @convention(c) (OpaquePointer?, UnsafeRawPointer?, CInt) -> CInt
    let shutdown: Act
    let error: @convention(c) (OpaquePointer?, CInt) -> CInt
    let selectedProtocol:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<CUnsignedInt>
        ) -> Void
    let version: GetText
    let cipher: Get
    let cipherName: GetText
    let serverName: @convention(c) (OpaquePointer?, CInt) -> UnsafePointer<CChar>?
    let isResumed: Act
    let peerCertificate: Get

    init(_ ssl: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        serverMethod = try ssl("TLS_server_method")
        newContext = try ssl("SSL_CTX_new")
        freeContext = try ssl("SSL_CTX_free")
        controlContext = try ssl("SSL_CTX_ctrl")
        useCertificate = try ssl("SSL_CTX_use_certificate")
        useKey = try ssl("SSL_CTX_use_PrivateKey")
        setCiphers = try ssl("SSL_CTX_set_cipher_list")
        setVerify = try ssl("SSL_CTX_set_verify")
        store = try ssl("SSL_CTX_get_cert_store")
        addClientAuthority = try ssl("SSL_CTX_add_client_CA")
        setSessionName = try ssl("SSL_CTX_set_session_id_context")
        setSelectProtocol = try ssl("SSL_CTX_set_alpn_select_cb")
        new = try ssl("SSL_new")
        free = try ssl("SSL_free")
        setBuffers = try ssl("SSL_set_bio")
        setAccepting = try ssl("SSL_set_accept_state")
        handshake = try ssl("SSL_do_handshake")
        read = try ssl("SSL_read")
        write = try ssl("SSL_write")
        shutdown = try ssl("SSL_shutdown")
        error = try ssl("SSL_get_error")
        selectedProtocol = try ssl("SSL_get0_alpn_selected")
        version = try ssl("SSL_get_version")
        cipher = try ssl("SSL_get_current_cipher")
        cipherName = try ssl("SSL_CIPHER_get_name")
        serverName = try ssl("SSL_get_servername")
        isResumed = try ssl("SSL_session_reused")
        // The name since OpenSSL 3, and the earlier one.
        if let found: Get = try? ssl("SSL_get1_peer_certificate") {
            peerCertificate = found
        } else {
            peerCertificate = try ssl("SSL_get_peer_certificate")
        }
    }
}
