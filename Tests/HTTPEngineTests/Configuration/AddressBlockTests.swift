import HTTPEngine
import Testing

import HTTPCore

/// The text forms of IP addresses (RFC 4291 §2.2, RFC 5952).
@Suite struct AddressBlockTests {
    @Test(arguments: [
        "::00001", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "1::2::3", "1.2.3.4::", "::1.2.3.4:5",
        "::1.2.3", "::1.2.3.256", "::g", ":1", "1:", "256.0.0.1", "1.2.3", "1.2.3.4.5", "", "fe80::1%1", "::1\0",
    ])
    func `an invalid address is refused`(text: String) {
        #expect(IPAddress.bytes(of: text) == nil)
    }

    @Test(arguments: [
        ("::", "::"), ("::1", "::1"), ("1:0:0:4:5:0:0:8", "1::4:5:0:0:8"), ("1:0:0:4:0:0:0:8", "1:0:0:4::8"),
        ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"), ("0001:0DB8::", "1:db8::"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
        ("::1.2.3.4", "::102:304"), ("::fffe:1.2.3.4", "::fffe:102:304"),
    ])
    func `an IPv6 address has one text form`(text: String, canonical: String) throws {
        #expect(IPAddress.text(of: try #require(IPAddress.bytes(of: text))) == canonical)
    }

    @Test(arguments: [("10.0.0.0/+8", false), ("10.0.0.0/33", false), ("10.0.0.0/", false), ("10.0.0.0/8", true)])
    func `a block has at most as many bits as its address, in digits`(text: String, isBlock: Bool) {
        #expect((AddressBlock(text) != nil) == isBlock)
    }

    @Test func `a block contains the addresses with its prefix, of its own family`() throws {
        let block = try #require(AddressBlock("10.128.0.0/9"))
        #expect(block.contains([10, 128, 0, 0]) && block.contains([10, 255, 255, 255]))
        #expect(!block.contains([10, 127, 255, 255]) && !block.contains([11, 128, 0, 0]))
        #expect(!block.contains([10, 128] + Array(repeating: 0, count: 14)))
    }
}
