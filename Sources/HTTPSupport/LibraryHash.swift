#if canImport(CryptoKit)
import CryptoKit
#endif

/// An incremental hash, computed by CryptoKit on Apple's systems, otherwise by OpenSSL's libcrypto, which is loaded
/// with libcurl. It loads no library itself. Used by one thread at a time.
package final class LibraryHash {
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

    /// Nil if no library in the process has the algorithm.
    package static func begin(_ algorithm: HashAlgorithm) -> LibraryHash? {
        #if canImport(CryptoKit)
        if let hash = cryptoKit(algorithm) { return hash }
        #endif
        return OpenSSLHash.shared?.begin(algorithm)
    }

    /// The hash of `bytes` in lower-case hexadecimal; nil if no library in the process has the algorithm.
    package static func hexadecimal(_ algorithm: HashAlgorithm, of bytes: [UInt8]) -> String? {
        guard let hash = begin(algorithm), bytes.withUnsafeBytes(hash.update) else { return nil }
        return hash.finish()
    }

    package static func isAvailable(_ algorithm: HashAlgorithm) -> Bool { begin(algorithm) != nil }

    /// False if the library fails.
    package func update(_ bytes: UnsafeRawBufferPointer) -> Bool { add(bytes) }

    /// The hash in lower-case hexadecimal; nil if the library fails. May be called once.
    package func finish() -> String? { close()?.map { $0.digits(2, radix: 16) }.joined() }

    private struct OpenSSLHash {
        /// EVP_MAX_MD_SIZE: the maximum length of a hash.
        static let longest = 64

        let make: @convention(c) () -> UnsafeMutableRawPointer?
        let free: @convention(c) (UnsafeMutableRawPointer?) -> Void
        let start: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, OpaquePointer?) -> CInt
        let update: @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> CInt
        let finish:
            @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedInt>?)
                -> CInt

        static let shared = try? OpenSSLHash(.openSSL)

        init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
            make = try library("EVP_MD_CTX_new")
            free = try library("EVP_MD_CTX_free")
            start = try library("EVP_DigestInit_ex")
            update = try library("EVP_DigestUpdate")
            finish = try library("EVP_DigestFinal_ex")
        }

        func begin(_ algorithm: HashAlgorithm) -> LibraryHash? {
            let symbol =
                switch algorithm {
                case .md5: "EVP_md5"
                case .sha256: "EVP_sha256"
                case .sha512_256: "EVP_sha512_256"
                }
            typealias Method = @convention(c) () -> OpaquePointer?
            guard let method = SystemLibrary.openSSL.function(symbol, as: Method.self)?(), let context = make() else {
                return nil
            }
            guard start(context, method, nil) == 1 else {
                free(context)
                return nil
            }
            return LibraryHash(
                add: { [update] bytes in update(context, bytes.baseAddress, bytes.count) == 1 },
                close: { [finish] in
                    var result = [UInt8](repeating: 0, count: Self.longest)
                    var count: CUnsignedInt = 0
                    return finish(context, &result, &count) == 1 ? Array(result.prefix(Int(count))) : nil
                },
                free: { [free] in free(context) })
        }
    }
}

#if canImport(CryptoKit)
extension LibraryHash {
    /// CryptoKit has no SHA-512/256.
    private static func cryptoKit(_ algorithm: HashAlgorithm) -> LibraryHash? {
        switch algorithm {
        case .md5: LibraryHash(CryptoKit.Insecure.MD5())
        case .sha256: LibraryHash(CryptoKit.SHA256())
        case .sha512_256: nil
        }
    }

    private convenience init(_ function: some CryptoKit.HashFunction) {
        var function = function
        self.init(
            add: { bytes in
                function.update(bufferPointer: bytes)
                return true
            },
            close: { Array(function.finalize()) },
            free: {})
    }
}
#endif

/// The algorithms that Digest authentication uses (RFC 7616 §6.1), the weakest first.
package enum HashAlgorithm: Sendable, Hashable, CaseIterable, Comparable {
    case md5, sha256, sha512_256

    package var name: String {
        switch self {
        case .md5: "MD5"
        case .sha256: "SHA-256"
        case .sha512_256: "SHA-512-256"
        }
    }
}
