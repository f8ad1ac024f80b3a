extension HTTPURL {
    /// Refuses a host that is no registered name of letters, digits, `-`, `.`, `_`, `~` (or beyond ASCII: the engine
    /// applies IDNA), no IPv6 address in brackets and no IPv4 address of four decimal numbers.
    static func validateHost(_ host: Substring) throws(URLProblem) {
        guard !host.isEmpty else { throw URLProblem("has no host") }
        if host.utf8.first == UInt8(ascii: "[") {
            guard AddressBlock.address(String(host))?.count == 16 else {
                throw URLProblem("has \(host) for a host: only an IPv6 address stands in brackets")
            }
            return
        }
        for byte in host.utf8 where byte < 0x80 {
            guard PercentEncoding.isUnreserved(byte) else {
                if byte == 0x20 { throw URLProblem("contains a space in its host \"\(host)\"") }
                throw URLProblem("has \"\(Character(Unicode.Scalar(byte)))\" in its host \"\(host)\"")
            }
        }
        guard !endsInNumber(host) || isIPv4(host) else {
            throw URLProblem("has the host \"\(host)\": an IPv4 address is four numbers from 0 to 255, in decimal")
        }
    }

    /// Whether the last label is a number. No name ends so, and what systems make of `127.1`, `0x7f000001` or
    /// `0177.0.0.1` differs: a filter could see another host than the one that is connected to.
    private static func endsInNumber(_ host: Substring) -> Bool {
        let host = host.utf8.last == UInt8(ascii: ".") ? host.utf8.dropLast() : host.utf8[...]
        let start = host.lastIndex(of: UInt8(ascii: ".")).map { host.index(after: $0) } ?? host.startIndex
        let last = host[start...]
        guard let first = last.first, ASCII.isDigit(first) else { return false }
        let isHex = last.starts(with: "0x".utf8) || last.starts(with: "0X".utf8)
        return isHex ? last.dropFirst(2).allSatisfy(ASCII.isHexDigit) : last.allSatisfy(ASCII.isDigit)
    }

    /// Also without a zero in front of a number, which some read as octal.
    private static func isIPv4(_ host: Substring) -> Bool {
        guard AddressBlock.ipv4(host) != nil else { return false }
        var isStart = true
        var startsWithZero = false
        for byte in host.utf8 {
            if startsWithZero, byte != UInt8(ascii: ".") { return false }
            startsWithZero = isStart && byte == UInt8(ascii: "0")
            isStart = byte == UInt8(ascii: ".")
        }
        return true
    }
}
