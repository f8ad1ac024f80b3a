@testable import HTTPSupport
import Foundation
import Testing

@testable import HTTPCurl

@Suite struct SystemLibraryTests {
    private typealias Unknown = @convention(c) () -> Void

    private func file(of name: String, in library: SystemLibrary) -> String? {
        library.function(name, as: Unknown.self)
            .flatMap { SystemLibrary.path(of: unsafeBitCast($0, to: UnsafeMutableRawPointer.self)) }
            .map { URL(filePath: $0).lastPathComponent }
    }

    @Test(
        .enabled(if: CurlLibrary.shared.usesOpenSSL, "this libcurl uses another TLS library"),
        arguments: [
            (SystemLibrary.openSSL, "SSL_CTX_set_info_callback", "libssl."), (.openSSL, "EVP_sha256", "libcrypto."),
            (.zlib, "inflate", "libz."), (.brotli, "BrotliDecoderDecompressStream", "libbrotlidec."),
            (.zstd, "ZSTD_decompressStream", "libzstd."), (.libpsl, "psl_builtin", "libpsl."),
            (.libidn2, "idn2_lookup_u8", "libidn2."),
        ])
    func `a function is that of the library of its name, if libcurl depends on it`(
        library: SystemLibrary, name: String, start: String
    ) {
        guard let file = file(of: name, in: library) else { return }
        #expect(file.hasPrefix(start))
    }

    @Test(.enabled(if: CurlLibrary.shared.usesOpenSSL, "this libcurl uses another TLS library"))
    func `OpenSSL is found if libcurl uses it`() {
        #expect(file(of: "SSL_CTX_clear_options", in: .openSSL) != nil)
        #expect(file(of: "EVP_MD_CTX_new", in: .openSSL) != nil)
    }

    @Test func `a function that the library lacks is not searched in others`() {
        #expect(SystemLibrary.zlib.function("EVP_sha256", as: Unknown.self) == nil)
        #expect(SystemLibrary.libpsl.function("SSL_CTX_new", as: Unknown.self) == nil)
        #expect(SystemLibrary.openSSL.function("no_such_function", as: Unknown.self) == nil)
    }

    @Test func `the page of functions lists exactly those that the sources look up`() throws {
        let package = URL(filePath: #filePath).appending(path: "../../..").standardized
        let page = try String(
            contentsOf: package.appending(path: "docs/system-libraries.md"), encoding: .utf8)
        let listed = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        var used: Set<String> = []
        let files = FileManager.default.enumerator(
            at: package.appending(path: "Sources"), includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            // The page is for clients; what the server of tests needs beside is in no program that is shipped.
            guard !file.path.contains("/HTTPMockServer/") else { continue }
            let source = try String(contentsOf: file, encoding: .utf8)
            guard source.contains("SystemLibrary") else { continue }
            used.formUnion(
                source.matches(
                    of:
                        /"((?:SSL|BIO|ERR|EVP|PEM|d2i|PKCS12|X509|ASN1|CRYPTO|OPENSSL|CC|ZSTD|BrotliDecoder|psl|idn2|(?:in|de)flate)[_A-Za-z0-9]*)"/
                ).map { String($0.1) })
        }
        #expect(Set(listed) == used)
        #expect(listed.count == Set(listed).count)
    }
}
