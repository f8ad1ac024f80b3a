#if canImport(CLibcurl)
import HTTPMockServer
import Testing

@testable import HTTPCurl

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
