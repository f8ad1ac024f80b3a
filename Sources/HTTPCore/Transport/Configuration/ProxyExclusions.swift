/// Hosts that are reached without a proxy: what `no_proxy` lists.
struct ProxyExclusions: Sendable, Hashable {
    private let names: [String]
    private let blocks: [AddressBlock]
    private let coverAll: Bool

    init(_ entries: [String]) {
        let entries = entries.map { ASCII.lowercased(ASCII.trimmed($0[...])) }.filter { !$0.isEmpty }
        coverAll = entries.contains("*")
        blocks = entries.compactMap(AddressBlock.init)
        names = entries.filter { AddressBlock($0) == nil }.map(Self.name).filter { !$0.isEmpty }
    }

    /// From names separated by commas or blanks.
    init(list: String) { self.init(list.split { $0 == "," || $0.isWhitespace }.map(String.init)) }

    /// `.example.com` and `*.example.com` mean what `example.com` does.
    private static func name(_ entry: String) -> String {
        let name = entry.drop { $0 == "*" }.drop { $0 == "." }
        return String(name.hasSuffix(".") ? name.dropLast() : name)
    }

    /// Whether `host` is one of the names or below one, or an address in one of the blocks.
    func contain(_ host: String) -> Bool {
        if coverAll { return true }
        if let address = AddressBlock.address(host) { return blocks.contains { $0.contains(address) } }
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        return names.contains { host == $0 || host.hasSuffix("." + $0) }
    }
}

/// An IP address, or all that share its first bits (RFC 4632 §3.1).
struct AddressBlock: Sendable, Hashable {
    private let bytes: [UInt8]
    private let bits: Int

    /// From `10.0.0.0/8`, `fd00::/8`, `127.0.0.1` or `[::1]`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = Self.address(String(parts[0])) else { return nil }
        let bits = parts.count == 2 ? Int(parts[1]) : bytes.count * 8
        guard parts.last?.first != "+", let bits, (0...bytes.count * 8).contains(bits) else { return nil }
        self.bytes = bytes
        self.bits = bits
    }

    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        return (0..<bytes.count).allSatisfy { index in
            let kept = max(0, min(8, bits - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            return address[index] & mask == bytes[index] & mask
        }
    }

    /// The 4 or 16 bytes of an address, in brackets or not; nil for a name.
    static func address(_ text: String) -> [UInt8]? {
        let inner = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
        return inner.contains(":") ? ipv6(inner) : ipv4(inner)
    }

    private static func ipv4(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { $0.utf8.allSatisfy(ASCII.isDigit) ? UInt8($0) : nil }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    private static func ipv6(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2, let head = groups(halves[0], mayEndInIPv4: halves.count == 1),
            let tail = groups(halves.count == 2 ? halves[1] : "", mayEndInIPv4: true)
        else { return nil }
        let missing = 16 - head.count - tail.count
        guard halves.count == 2 ? missing >= 2 : missing == 0 else { return nil }
        return head + Array(repeating: 0, count: missing) + tail
    }

    private static func groups(_ text: Substring, mayEndInIPv4: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            // An IPv4 address may stand for the last two groups (RFC 4291 §2.2).
            if part.contains("."), mayEndInIPv4, index == parts.count - 1, let last = ipv4(String(part)) {
                bytes += last
            } else {
                guard (1...4).contains(part.count), part.utf8.allSatisfy(ASCII.isHexDigit),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }
}
