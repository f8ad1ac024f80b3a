import Testing

@testable import HTTPCurl

struct ReceiveBufferTests {
    @Test func `few transfers receive large pieces at first, many smaller ones, and thousands the smallest`() {
        let sizes = [1, 16, 17, 1000, 1001].map { ReceiveBuffer.size(of: $0, after: nil) }
        #expect(sizes == [65_536, 65_536, 4096, 4096, 2048])
    }

    @Test func `after a large body one of many transfers receives large pieces, too`() {
        #expect(ReceiveBuffer.size(of: 1000, after: 16_384) == 4096)
        #expect(ReceiveBuffer.size(of: 1000, after: 16_385) == 65_536)
        #expect(ReceiveBuffer.size(of: 1001, after: 16_385) == 2048)
    }

    @Test func `behind a small body one of few receives no more than that at once`() {
        #expect(ReceiveBuffer.size(of: 1, after: 0) == 16_384)
        #expect(ReceiveBuffer.size(of: 16, after: 16_384) == 16_384)
        #expect(ReceiveBuffer.size(of: 1, after: 16_385) == 65_536)
    }
}
