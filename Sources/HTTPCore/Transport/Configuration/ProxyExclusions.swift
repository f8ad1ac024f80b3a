/// Hosts that are reached without a proxy: what `no_proxy` lists.
struct ProxyExclusions: Sendable, Hashable {
    fileprivate struct Entry: Sendable, Hashable {
        enum Host: Sendable, Hashable {
            case any
            /// This name and those below it.
            case name(String)
            case block(AddressBlock)
        }

        let host: Host
        /// Nil for every port.
        let port: Int?
    }

    fileprivate let entries: [Entry]

    init(_ entries: [String]) { self.entries = entries.compactMap { Entry($0) } }

    /// From names separated by commas or blanks.
    init(list: String) { self.init(list.split { $0 == "," || $0.isWhitespace }.map(String.init)) }

    func contain(_ origin: Origin) -> Bool {
        let name = HostName.canonical(origin.host)
        let address = AddressBlock.address(name)
        return entries.contains { $0.covers(name, address) && ($0.port ?? origin.port) == origin.port }
    }
}

extension ProxyExclusions.Entry {
    /// From a name, an address or a block, with `:port` behind it or not. `.name` and `*.name` mean the same as `name`.
    fileprivate init?(_ text: String) {
        var text = ASCII.lowercased(ASCII.trimmed(text[...]))
        port = Self.splitPort(&text)
        if text == "*" {
            host = .any
        } else if let block = AddressBlock(text) {
            host = .block(block)
        } else {
            let name = HostName.canonical(String(text.drop { $0 == "*" }.drop { $0 == "." }))
            guard !name.isEmpty else { return nil }
            host = .name(name)
        }
    }

    private static func splitPort(_ text: inout String) -> Int? {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            text[..<colon].hasSuffix("]") || !text[..<colon].contains(":")
        else { return nil }
        text = String(text[..<colon])
        return port
    }

    fileprivate func covers(_ name: String, _ address: [UInt8]?) -> Bool {
        switch host {
        case .any: true
        case .name(let suffix): address == nil && (name == suffix || name.hasSuffix("." + suffix))
        case .block(let block): address.map(block.contains) ?? false
        }
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

    /// Four numbers from 0 to 255 between dots.
    static func ipv4(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var number: Int?
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), let part = number, bytes.count < 3 {
                bytes.append(UInt8(part))
                number = nil
            } else {
                guard ASCII.isDigit(byte) else { return nil }
                let next = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
                guard next <= 255 else { return nil }
                number = next
            }
        }
        guard let number, bytes.count == 3 else { return nil }
        return bytes + [UInt8(number)]
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
            if part.contains("."), mayEndInIPv4, index == parts.count - 1, let last = ipv4(part) {
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
