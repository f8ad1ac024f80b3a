#if canImport(CLibcurl)
import Testing

@testable import HTTPCore

/// What is known of versions that are not here.
struct CurlLibraryTests {
    private func library(_ number: UInt32) -> CurlLibrary {
        CurlLibrary(version: "", number: number, features: 0, tlsBackend: "")
    }

    @Test(arguments: [(UInt32(0x075800), true), (0x080600, true), (0x080700, false), (0x080D00, false)])
    func `before 8_7 each transfer has a buffer`(number: UInt32, hasOwn: Bool) {
        #expect(library(number).buffersEachTransfer == hasOwn)
    }

    @Test(arguments: [(UInt32(0x075701), true), (0x075800, false), (0x075801, false), (0x080000, true)])
    func `only 7_88 cannot use connections of prior knowledge again`(number: UInt32, can: Bool) {
        #expect(library(number).reusesPriorKnowledge == can)
    }
}
#endif
