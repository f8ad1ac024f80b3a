#if canImport(CLibcurl)
import HTTPMockServer
import Testing

import HTTPCore
@testable import HTTPCurl

/// The sizes of the pieces that a transfer receives.
@Suite(.enabled(if: CurlLibrary.shared.buffersEachTransfer, "this libcurl has one buffer for all transfers"))
struct ReceivingTests {
    private func transfer(_ url: String, _ version: VersionPolicy = .automatic) throws -> CurlTransfer {
        let key = ConnectionKey(origin: try Request(.get(url)).url.origin, version: version)
        return try CurlTransfer(key, CurlConfiguration(), CurlHeaderLists(userAgent: nil), isShared: true)
    }

    @Test func `a transfer over HTTP/1.1 uses the requested size`() throws {
        for transfer in [try transfer("http://localhost/"), try transfer("https://localhost/", .http1)] {
            #expect(transfer.receiveBuffer == 65_536)
            transfer.receive(atOnce: 4096)
            #expect(transfer.receiveBuffer == 4096)
            transfer.receive(atOnce: 65_536)
            #expect(transfer.receiveBuffer == 65_536)
        }
    }

    @Test func `a transfer that may use HTTP/2 has room for whole frames, whatever the requested size`() throws {
        let transfer = try transfer("https://localhost/")
        transfer.receive(atOnce: 2048)
        #expect(transfer.receiveBuffer == 65_536)
    }
}
#endif
