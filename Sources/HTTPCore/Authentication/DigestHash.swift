/// Hash functions that are in the process already: those of OpenSSL's libcrypto, which comes with libcurl, or of
/// CommonCrypto, which is part of Apple's systems. Nothing is loaded for it, and none is written by hand.
enum DigestHash {
    /// The hash of `bytes` in lower-case hexadecimal; nil when nothing in the process has the algorithm.
    static func hex(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> String? {
        return (openSSL(algorithm, bytes) ?? commonCrypto(algorithm, bytes)).map(hex)
    }

    static func isAvailable(_ algorithm: DigestAlgorithm) -> Bool { hex(algorithm, []) != nil }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private typealias Method = @convention(c) () -> OpaquePointer?
    private typealias Digest =
        @convention(c) (
            UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedInt>?, OpaquePointer?,
            OpaquePointer?
        ) -> CInt
    private typealias AppleDigest =
        @convention(c) (UnsafeRawPointer?, UInt32, UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8>?

    private static let digest = SystemLibrary.openSSL.function("EVP_Digest", as: Digest.self)

    /// EVP_MAX_MD_SIZE: no hash of OpenSSL is longer.
    private static let longest = 64

    private static func openSSL(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8]? {
        let symbol =
            switch algorithm {
            case .md5: "EVP_md5"
            case .sha256: "EVP_sha256"
            case .sha512_256: "EVP_sha512_256"
            }
        guard let digest, let method = SystemLibrary.openSSL.function(symbol, as: Method.self).flatMap({ $0() }) else {
            return nil
        }
        var result = [UInt8](repeating: 0, count: longest)
        var count: CUnsignedInt = 0
        guard digest(bytes, bytes.count, &result, &count, method, nil) == 1 else { return nil }
        return Array(result.prefix(Int(count)))
    }

    private static func commonCrypto(_ algorithm: DigestAlgorithm, _ bytes: [UInt8]) -> [UInt8]? {
        let (symbol, count): (String, Int)
        switch algorithm {
        case .md5: (symbol, count) = ("CC_MD5", 16)
        case .sha256: (symbol, count) = ("CC_SHA256", 32)
        case .sha512_256: return nil
        }
        guard let function = SystemLibrary.commonCrypto.function(symbol, as: AppleDigest.self),
            let length = UInt32(exactly: bytes.count)
        else { return nil }
        var result = [UInt8](repeating: 0, count: count)
        return function(bytes, length, &result) == nil ? nil : result
    }
}
