#if canImport(CLibcurl)
import HTTPMockServer
import Testing

import HTTPCore
@testable import HTTPCurl

/// The properties of versions that are not installed.
struct CurlLibraryTests {
    private func library(_ number: UInt32, tls: String = "") -> CurlLibrary {
        CurlLibrary(version: "", number: number, features: 0, tlsBackend: tls)
    }

    @Test(arguments: [
        ("OpenSSL/3.0.15", true), ("(GnuTLS/3.7.9) OpenSSL/3.0.15", true), ("GnuTLS/3.7.9 (OpenSSL/3.0.15)", false),
        ("GnuTLS/3.7.9", false), ("LibreSSL/3.9.2", false), ("", false),
    ])
    func `of several TLS libraries the one without parentheses is in use`(tls: String, usesOpenSSL: Bool) {
        #expect(library(0x075800, tls: tls).usesOpenSSL == usesOpenSSL)
        #expect(library(0x075800, tls: tls).mayRaiseBrokenPipe == !usesOpenSSL)
    }

    @Test(arguments: [(UInt32(0x075800), true), (0x080600, true), (0x080700, false), (0x080D00, false)])
    func `before 8_7 each transfer has a buffer`(number: UInt32, hasOwn: Bool) {
        #expect(library(number).buffersEachTransfer == hasOwn)
    }

    @Test(arguments: [(UInt32(0x075801), false), (0x0806FF, false), (0x080700, true), (0x081400, true)])
    func `before 8_7 a request with trailers is refused, and no other`(number: UInt32, can: Bool) throws {
        let draft = MutableRequest.post("https://h.example") |> .text("x")
        #expect((library(number).refusal(of: try Request(draft |> .trailers("A") { [:] })) == nil) == can)
        #expect(library(number).refusal(of: try Request(draft)) == nil)
    }
}
#endif
