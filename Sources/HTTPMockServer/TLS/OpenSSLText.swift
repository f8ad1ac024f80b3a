import HTTPSupport

/// The functions of libcrypto that turn objects into text and back.
struct OpenSSLText: Sendable {
    typealias WriteKey =
        @convention(c) (
            OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, CInt, OpaquePointer?, OpaquePointer?
        ) -> CInt

    let newBuffer: @convention(c) (OpaquePointer?) -> OpaquePointer?
    let memory: @convention(c) () -> OpaquePointer?
    let read: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, CInt) -> CInt
    let write: @convention(c) (OpaquePointer?, UnsafeRawPointer?, CInt) -> CInt
    let control: @convention(c) (OpaquePointer?, CInt, Int, UnsafeMutableRawPointer?) -> Int
    let freeBuffer: NativeObject.Free
    let writeCertificate: @convention(c) (OpaquePointer?, OpaquePointer?) -> CInt
    let writeKey: WriteKey
    private let oneLine: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, CInt) -> OpaquePointer?
    private let nextError: @convention(c) () -> UInt
    private let describe: @convention(c) (UInt, UnsafeMutablePointer<CChar>, Int) -> Void

    /// BIO_CTRL_PENDING.
    private static let pending: CInt = 10

    init(_ crypto: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        newBuffer = try crypto("BIO_new")
        memory = try crypto("BIO_s_mem")
        read = try crypto("BIO_read")
        write = try crypto("BIO_write")
        control = try crypto("BIO_ctrl")
        freeBuffer = try crypto("BIO_free_all")
        writeCertificate = try crypto("PEM_write_bio_X509")
        writeKey = try crypto("PEM_write_bio_PrivateKey")
        oneLine = try crypto("X509_NAME_oneline")
        nextError = try crypto("ERR_get_error")
        describe = try crypto("ERR_error_string_n")
    }

    /// Removes and returns the contents of a buffer.
    func take(from buffer: OpaquePointer?) -> [UInt8] {
        let count = control(buffer, Self.pending, 0, nil)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { room, used in
            used = max(0, Int(read(buffer, room.baseAddress, CInt(clamping: count))))
        }
    }

    /// A name of a certificate: `/CN=client`.
    func line(_ name: OpaquePointer?) -> String {
        var text = [CChar](repeating: 0, count: 512)
        guard oneLine(name, &text, CInt(text.count)) != nil else { return "" }
        return Self.string(text)
    }

    /// Removes and returns the errors of this thread, the oldest first.
    func lastError() -> String {
        var reasons: [String] = []
        while case let code = nextError(), code != 0 {
            var text = [CChar](repeating: 0, count: 256)
            describe(code, &text, text.count)
            reasons.append(Self.string(text))
        }
        return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
    }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension OpenSSL {
    private func written(_ call: String, _ write: (OpaquePointer?) -> CInt) throws(MockServerError) -> [UInt8] {
        let buffer = try made(text.newBuffer(text.memory()), by: "BIO_new", free: text.freeBuffer)
        try check(write(buffer.pointer), call)
        return text.take(from: buffer.pointer)
    }

    func pem(certificate: OpaquePointer?) throws(MockServerError) -> [UInt8] {
        try written("PEM_write_bio_X509") { text.writeCertificate($0, certificate) }
    }

    func pem(key: OpaquePointer?) throws(MockServerError) -> [UInt8] {
        try written("PEM_write_bio_PrivateKey") { text.writeKey($0, key, nil, nil, 0, nil, nil) }
    }
}
