/// An IP address, or a block of addresses with a common prefix (RFC 4632 §3.1).
package struct AddressBlock: Sendable, Hashable {
    private let bytes: [UInt8]
    private let bits: Int

    /// Its text for `ClientTrust`.
    var trustText: String { "\(bytes)/\(bits)" }

    /// From `10.0.0.0/8`, `fd00::/8`, `127.0.0.1` or `[::1]`. IPv4-mapped addresses are those of IPv4: a connection to one
    /// uses IPv4.
    package init?(_ text: String) {
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/"))
        guard let bytes = IPAddress.bytes(of: String(text[..<(slash ?? text.endIndex)])) else { return nil }
        let digits = slash.map { text[text.utf8.index(after: $0)...] }
        let bits = digits.map { $0.utf8.allSatisfy(ASCII.isDigit) ? Int($0) : nil } ?? bytes.count * 8
        guard let bits, (0...bytes.count * 8).contains(bits) else { return nil }
        let isMapped = IPAddress.isMapped(bytes) && bits >= 96
        self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        self.bits = isMapped ? bits - 96 : bits
    }

    /// Whether it is one address.
    package var isSingle: Bool { bits == bytes.count * 8 }

    package func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else {
            return IPAddress.isMapped(address) && contains(Array(address.suffix(4)))
        }
        return (0..<bytes.count).allSatisfy { index in
            let kept = max(0, min(8, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            return address[index] & mask == bytes[index] & mask
        }
    }
}
