import HTTPSupport

/// The addresses of the Internet Protocol, as text and as bytes in network order.
package enum IPAddress {
    /// The 4 or 16 bytes of an address, in brackets or not; nil for a name.
    package static func bytes(of text: String) -> [UInt8]? {
        let bytes = text.utf8
        let isBracketed = bytes.count > 1 && bytes.first == UInt8(ascii: "[") && bytes.last == UInt8(ascii: "]")
        let inner = isBracketed ? Substring(bytes.dropFirst().dropLast()) : text[...]
        return inner.utf8.contains(UInt8(ascii: ":")) ? ipv6(inner) : ipv4(inner)
    }

    /// Four numbers from 0 to 255 between dots. Leading zeros are refused, because some parsers read them as octal.
    package static func ipv4(_ text: some StringProtocol) -> [UInt8]? {
        ipv4Number(text.utf8).map { number in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
    }

    /// The same as one number, which takes no memory.
    static func ipv4Number(_ text: some Sequence<UInt8>) -> UInt32? {
        var (address, dots): (UInt32, Int) = (0, 0)
        var number: UInt32?
        for byte in text {
            if byte == UInt8(ascii: "."), let part = number, dots < 3 {
                address = address << 8 | part
                dots += 1
                number = nil
            } else {
                guard ASCII.isDigit(byte), number != 0 else { return nil }
                let next = (number ?? 0) * 10 + UInt32(byte - UInt8(ascii: "0"))
                guard next <= 255 else { return nil }
                number = next
            }
        }
        guard let number, dots == 3 else { return nil }
        return address << 8 | number
    }

    private static func ipv6(_ text: Substring) -> [UInt8]? {
        // Darwin's `inet_pton` also takes zones, groups of more than four digits and leading zeros of an IPv4 address.
        let groups = text.utf8.split(separator: UInt8(ascii: ":"))
        guard
            groups.allSatisfy({ $0.count <= 4 && $0.allSatisfy(ASCII.isHexDigit) || ipv4Number($0) != nil })
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, String(text), &bytes) == 1 ? bytes : nil
    }

    /// The text of an IPv4 address of 4 bytes, or of an IPv6 address of 16 bytes in the form of RFC 5952.
    package static func text(of address: [UInt8]) -> String {
        guard address.count == 16 else { return address.map(String.init).joined(separator: ".") }
        if isMapped(address) { return "::ffff:" + text(of: Array(address.suffix(4))) }
        let groups = stride(from: 0, to: address.count, by: 2).map { Int(address[$0]) << 8 | Int(address[$0 + 1]) }
        let words = groups.map { String($0, radix: 16) }
        // The longest run of zeros, the first of equal ones; a single zero is not shortened.
        var gap = 0..<0
        var start = 0
        for end in 0...groups.count where end == groups.count || groups[end] != 0 {
            if end - start > max(1, gap.count) { gap = start..<end }
            start = end + 1
        }
        guard !gap.isEmpty else { return words.joined(separator: ":") }
        return words[..<gap.lowerBound].joined(separator: ":") + "::"
            + words[gap.upperBound...].joined(separator: ":")
    }

    /// Whether an IPv6 address is IPv4-mapped, `::ffff:0:0/96`: a connection to it uses IPv4.
    package static func isMapped(_ address: [UInt8]) -> Bool {
        address.count == 16 && address[..<10].allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
    }
}
