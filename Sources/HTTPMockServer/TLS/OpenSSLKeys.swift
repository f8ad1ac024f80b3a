import HTTPSupport

/// The functions of libcrypto that make keys.
struct OpenSSLKeys: Sendable {
    let newContext: @convention(c) (CInt, OpaquePointer?) -> OpaquePointer?
    let startGeneration: @convention(c) (OpaquePointer?) -> CInt
    let setText: @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt
    let generate: @convention(c) (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>) -> CInt
    let freeContext: NativeObject.Free
    let free: NativeObject.Free

    /// EVP_PKEY_EC.
    fileprivate static let ellipticCurve: CInt = 408

    init(_ crypto: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        newContext = try crypto("EVP_PKEY_CTX_new_id")
        startGeneration = try crypto("EVP_PKEY_keygen_init")
        setText = try crypto("EVP_PKEY_CTX_ctrl_str")
        generate = try crypto("EVP_PKEY_keygen")
        freeContext = try crypto("EVP_PKEY_CTX_free")
        free = try crypto("EVP_PKEY_free")
    }
}

extension OpenSSL {
    /// A new private key on the curve P-256, which every client supports. Making one takes well under a millisecond.
    func makeKey() throws(MockServerError) -> NativeObject {
        let call = "EVP_PKEY_keygen"
        let context = try made(keys.newContext(OpenSSLKeys.ellipticCurve, nil), by: call, free: keys.freeContext)
        try check(keys.startGeneration(context.pointer), call)
        try check(keys.setText(context.pointer, "ec_paramgen_curve", "P-256"), call)
        var key: OpaquePointer?
        try check(keys.generate(context.pointer, &key), call)
        return try made(key, by: call, free: keys.free)
    }
}
