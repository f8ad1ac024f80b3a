#if canImport(CLibcurl)
import CLibcurl
import HTTPCore
import HTTPMockServer
import Testing

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

    @Test(arguments: [
        ("(SecureTransport) LibreSSL/3.3.6", "x86_64-apple-darwin24.0", true), ("LibreSSL/3.9.2", "Darwin", true),
        ("(SecureTransport) OpenSSL/3.2.0", "aarch64-apple-darwin23.0.0", false),
        ("SecureTransport (LibreSSL/3.3.6)", "x86_64-apple-darwin24.0", false),
        ("LibreSSL/3.9.2", "x86_64-alpine-linux-musl", false), ("OpenSSL/3.0.15", "x86_64-pc-linux-gnu", false),
    ])
    func `where the system's authorities count whatever is set, own ones are refused`(
        tls: String, host: String, isRefused: Bool
    ) {
        let library = CurlLibrary(version: "8.7.1", number: 0x080701, features: 0, tlsBackend: tls, host: host)
        let refusal = library.refusalOfAuthorities
        #expect((refusal != nil) == isRefused)
        guard isRefused else { return }
        #expect(refusal?.feature == "TLSConfiguration.authorities")
        #expect(refusal?.reason.contains("URLSessionTransport(tls: …)") == true)
    }

    @Test(arguments: [(UInt32(0x075800), true), (0x080600, true), (0x080700, false), (0x080D00, false)])
    func `before 8_7 each transfer has a buffer`(number: UInt32, hasOwn: Bool) {
        #expect(library(number).buffersEachTransfer == hasOwn)
    }

    @Test(arguments: [(UInt32(0x0806FF), false), (0x080700, true), (0x080C01, true), (0x080D00, false)])
    func `from 8_7 to 8_12 only a body that stays in memory goes over HTTP/2`(number: UInt32, avoids: Bool) throws {
        let draft = MutableRequest.get("https://h.example")
        for destination in [BodyDestination.file("/tmp/x"), .discard, .stream { _ in BodySink { _ in } }] {
            #expect(library(number).avoidsHTTP2(for: try Request(draft |> .destination(destination))) == avoids)
        }
        #expect(!library(number).avoidsHTTP2(for: try Request(draft)))
    }

    @Test(arguments: [(UInt32(0x080CFF), true), (0x080D00, false), (0x080DFF, false), (0x080E00, true)])
    func `over 8_13 there is no HTTP/2`(number: UInt32, isThere: Bool) {
        let library = CurlLibrary(version: "", number: number, features: CURL_VERSION_HTTP2, tlsBackend: "")
        #expect(library.hasHTTP2 == isThere)
    }

    @Test(arguments: [(UInt32(0x075801), false), (0x0806FF, false), (0x080700, true), (0x081400, true)])
    func `before 8_7 a request with trailers is refused, and no other`(number: UInt32, can: Bool) throws {
        let draft = MutableRequest.post("https://h.example") |> .text("x")
        #expect((library(number).refusal(of: try Request(draft |> .trailers("A") { [:] })) == nil) == can)
        #expect(library(number).refusal(of: try Request(draft)) == nil)
    }
}

@Suite struct BrokenPipeTests {
    private func library(_ number: UInt32, _ tlsBackend: String) -> CurlLibrary {
        CurlLibrary(version: "", number: number, features: 0, tlsBackend: tlsBackend)
    }

    @Test(arguments: ["OpenSSL/3.0.11", "OpenSSL/1.1.1n"])
    func `from 7_87 on libcurl writes for OpenSSL, without a signal`(backend: String) {
        #expect(library(0x075600, backend).mayRaiseBrokenPipe)
        #expect(!library(0x075700, backend).mayRaiseBrokenPipe)
        #expect(!library(0x080000, backend).mayRaiseBrokenPipe)
    }

    @Test(arguments: ["GnuTLS/3.7.9", "(SecureTransport) LibreSSL/3.3.6", "BoringSSL", ""])
    func `other libraries are assumed to raise a signal`(backend: String) {
        #expect(library(0x080000, backend).mayRaiseBrokenPipe)
    }
}
#endif
