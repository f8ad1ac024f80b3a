/// A SHA-256 in the making, by the library that comes with the engine: OpenSSL's libcrypto, or CommonCrypto on Apple's
/// systems. Used by one thread at a time.
final class ContentHash {
    private typealias MakeContext = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias FreeContext = @convention(c) (UnsafeMutableRawPointer?) -> Void
    private typealias Algorithm = @convention(c) () -> OpaquePointer?
    private typealias Start = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, OpaquePointer?) -> CInt
    private typealias Update = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> CInt
    private typealias Finish =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedInt>?) ->
        CInt
    private typealias AppleStart = @convention(c) (UnsafeMutableRawPointer?) -> CInt
    private typealias AppleUpdate = @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, UInt32) -> CInt
    private typealias AppleFinish = @convention(c) (UnsafeMutablePointer<UInt8>, UnsafeMutableRawPointer?) -> CInt

    private static let length = 32

    private let add: (UnsafeRawBufferPointer) -> Bool
    private let close: () -> [UInt8]?
    private let free: () -> Void

    private init(
        add: @escaping (UnsafeRawBufferPointer) -> Bool, close: @escaping () -> [UInt8]?, free: @escaping () -> Void
    ) {
        self.add = add
        self.close = close
        self.free = free
    }

    deinit { free() }

    /// Nil where nothing in the process can do it.
    static func sha256() -> ContentHash? { openSSL() ?? commonCrypto() }

    /// False when the library fails.
    func update(_ bytes: UnsafeRawBufferPointer) -> Bool { add(bytes) }

    /// In lower-case hexadecimal; nil when the library fails. Called once.
    func finish() -> String? {
        close().map { bytes in
            let digits = Array("0123456789abcdef".utf8)
            return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
        }
    }

    private static func openSSL() -> ContentHash? {
        guard let make = SystemLibrary.openSSL.function("EVP_MD_CTX_new", as: MakeContext.self),
            let free = SystemLibrary.openSSL.function("EVP_MD_CTX_free", as: FreeContext.self),
            let algorithm = SystemLibrary.openSSL.function("EVP_sha256", as: Algorithm.self)?(),
            let start = SystemLibrary.openSSL.function("EVP_DigestInit_ex", as: Start.self),
            let update = SystemLibrary.openSSL.function("EVP_DigestUpdate", as: Update.self),
            let finish = SystemLibrary.openSSL.function("EVP_DigestFinal_ex", as: Finish.self), let context = make()
        else { return nil }
        guard start(context, algorithm, nil) == 1 else {
            free(context)
            return nil
        }
        return ContentHash(
            add: { update(context, $0.baseAddress, $0.count) == 1 },
            close: {
                var result = [UInt8](repeating: 0, count: length)
                return finish(context, &result, nil) == 1 ? result : nil
            },
            free: { free(context) })
    }

    private static func commonCrypto() -> ContentHash? {
        guard let start = SystemLibrary.commonCrypto.function("CC_SHA256_Init", as: AppleStart.self),
            let update = SystemLibrary.commonCrypto.function("CC_SHA256_Update", as: AppleUpdate.self),
            let finish = SystemLibrary.commonCrypto.function("CC_SHA256_Final", as: AppleFinish.self)
        else { return nil }
        // A CC_SHA256_CTX has 104 bytes.
        let context = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 16)
        guard start(context) == 1 else {
            context.deallocate()
            return nil
        }
        return ContentHash(
            add: { bytes in UInt32(exactly: bytes.count).map { update(context, bytes.baseAddress, $0) == 1 } ?? false },
            close: {
                var result = [UInt8](repeating: 0, count: length)
                return finish(&result, context) == 1 ? result : nil
            },
            free: { context.deallocate() })
    }
}
