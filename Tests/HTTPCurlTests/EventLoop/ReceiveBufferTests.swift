import Testing

@testable import HTTPCore
@testable import HTTPCurl

struct ReceiveBufferTests {
    @Test func `few transfers receive large pieces, many smaller ones, and those of a crowd the smallest`() {
        let sizes = [1, 16, 17, 1000, 1001].map { ReceiveBuffer.size(of: $0, after: 0) }
        #expect(sizes == [65_536, 65_536, 4096, 4096, 2048])
    }

    @Test func `behind a large body also one of many receives large pieces`() {
        #expect(ReceiveBuffer.size(of: 1000, after: 16_384) == 4096)
        #expect(ReceiveBuffer.size(of: 1000, after: 16_385) == 65_536)
        #expect(ReceiveBuffer.size(of: 1001, after: 16_385) == 2048)
    }
}
