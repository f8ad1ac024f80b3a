import HTTPSupport

/// The functions of libcrypto that make certificates.
struct OpenSSLCertificates: Sendable {
    typealias Get = @convention(c) (OpaquePointer?) -> OpaquePointer?
    typealias Set = @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt

    let new: @convention(c) () -> OpaquePointer?
    let free: NativeObject.Free
    let setVersion: @convention(c) (OpaquePointer?, Int) -> CInt
    let serial: Get
    let setNumber: @convention(c) (OpaquePointer?, UInt64) -> CInt
    let notBefore: Get
    let notAfter: Get
    let setTime: @convention(c) (OpaquePointer?, Int) -> OpaquePointer?
    let setKey: Set
    let subject: Get
    let setIssuer: Set
    let addName:
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>, CInt, UnsafePointer<UInt8>, CInt, CInt, CInt) -> CInt
    let prepareExtensions:
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, OpaquePointer?, CInt
        ) -> Void
    let number: @convention(c) (UnsafePointer<CChar>) -> CInt
    let newExtension:
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<CChar>) -> OpaquePointer?
    let addExtension: @convention(c) (OpaquePointer?, OpaquePointer?, CInt) -> CInt
    let freeExtension: NativeObject.Free
    let sha256: @convention(c) () -> OpaquePointer?
    /// Adds a certificate to those that a store trusts.
    let trust: Set
    let sign: @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?) -> CInt

    init(_ crypto: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        new = try crypto("X509_new")
        free = try crypto("X509_free")
        setVersion = try crypto("X509_set_version")
        serial = try crypto("X509_get_serialNumber")
        setNumber = try crypto("ASN1_INTEGER_set_uint64")
        notBefore = try crypto("X509_getm_notBefore")
        notAfter = try crypto("X509_getm_notAfter")
        setTime = try crypto("X509_gmtime_adj")
        setKey = try crypto("X509_set_pubkey")
        subject = try crypto("X509_get_subject_name")
        setIssuer = try crypto("X509_set_issuer_name")
        addName = try crypto("X509_NAME_add_entry_by_txt")
        prepareExtensions = try crypto("X509V3_set_ctx")
        number = try crypto("OBJ_txt2nid")
        newExtension = try crypto("X509V3_EXT_conf_nid")
        addExtension = try crypto("X509_add_ext")
        freeExtension = try crypto("X509_EXTENSION_free")
        sha256 = try crypto("EVP_sha256")
        trust = try crypto("X509_STORE_add_cert")
        sign = try crypto("X509_sign")
    }
}
