import Testing

@testable import HTTPCore

struct ReceiveBufferTests {
    @Test func `few transfers receive large pieces, many smaller ones, and those of a crowd small ones`() {
        #expect([1, 16, 17, 1000, 1001].map(ReceiveBuffer.size) == [65_536, 65_536, 16_384, 16_384, 2048])
    }

    @Test func `only more than a thousand are a crowd`() {
        #expect([1, 1000, 1001].map(ReceiveBuffer.isCrowd) == [false, false, true])
    }
}
