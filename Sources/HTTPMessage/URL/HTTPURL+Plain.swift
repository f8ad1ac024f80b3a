extension HTTPURL {
    /// Parses a URL in the usual spelling: `http://` or `https://`, a lower-case host, an optional port, and a path and
    /// query that need no change. Nil for any other URL, which may be valid: the general parser takes it.
    ///
    /// The result is that of the general parser, but takes one pass over the bytes without temporary copies.
    package static func plain(_ text: String, appending items: [QueryItem] = []) -> HTTPURL? {
        text.utf8.withContiguousStorageIfAvailable { PlainScan(text: $0).url(appending: items) } ?? nil
    }
}

/// One pass over the bytes of a URL. Each step returns nil for anything unusual.
private struct PlainScan {
    let text: UnsafeBufferPointer<UInt8>

    func url(appending items: [QueryItem]) -> HTTPURL? {
        guard let (scheme, hostStart) = scheme(), let hostEnd = hostEnd(from: hostStart),
            let (port, pathStart) = port(from: hostEnd), isPlainTarget(from: pathStart)
        else { return nil }
        let target = UnsafeBufferPointer(rebasing: text[pathStart...])
        return HTTPURL(
            origin: Origin(plainHost: string(hostStart..<hostEnd), scheme: scheme, port: port),
            target: HTTPURL.target(target, appending: items))
    }

    private func scheme() -> (Origin.Scheme, end: Int)? {
        if starts(with: "https://") { return (.https, 8) }
        return starts(with: "http://") ? (.http, 7) : nil
    }

    /// The end of the host. Nil if the host is empty, contains anything but lower-case letters, digits, `-`, `.`, `_`
    /// and `~`, has an empty or overlong label, or could be a number.
    private func hostEnd(from start: Int) -> Int? {
        var end = start
        var labelStart = start
        while let byte = byte(at: end), Self.isPlainHostByte(byte) {
            end += 1
            if byte == UInt8(ascii: ".") {
                guard (1...HostName.longestLabel).contains(end - labelStart - 1) else { return nil }
                labelStart = end
            }
        }
        guard end - start <= HostName.longest, end - labelStart <= HostName.longestLabel else { return nil }
        guard end > start, let first = byte(at: labelStart), labelStart < end, !ASCII.isDigit(first) else {
            return IPAddress.ipv4Number(text[start..<end]) == nil ? nil : end
        }
        return end
    }

    /// The port, nil for none, and its end.
    private func port(from start: Int) -> (Int?, end: Int)? {
        guard byte(at: start) == UInt8(ascii: ":") else { return endsAuthority(start) ? (nil, start) : nil }
        var port = 0
        var end = start + 1
        while let byte = byte(at: end), ASCII.isDigit(byte), end - start <= 5 {
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
            end += 1
        }
        return (1...65535).contains(port) && endsAuthority(end) ? (port, end) : nil
    }

    private func endsAuthority(_ place: Int) -> Bool { byte(at: place).map(ASCII.endsAuthority) ?? true }

    /// Whether the path and query need no change: no byte to encode, no escape that could be broken or be a dot, no dot
    /// segment, no fragment.
    private func isPlainTarget(from start: Int) -> Bool {
        var previous: UInt8 = 0
        for byte in text[start...] {
            guard PercentEncoding.isPlainURLByte(byte) else { return false }
            if byte == UInt8(ascii: "."), previous == UInt8(ascii: "/") { return false }
            previous = byte
        }
        return true
    }

    @inline(__always)
    private func byte(at place: Int) -> UInt8? { place < text.count ? text[place] : nil }

    private func starts(with prefix: StaticString) -> Bool {
        guard text.count > prefix.utf8CodeUnitCount else { return false }
        for place in 0..<prefix.utf8CodeUnitCount where text[place] != prefix.utf8Start[place] { return false }
        return true
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: text[range]), as: UTF8.self)
    }

    @inline(__always)
    private static func isPlainHostByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) && ASCII.lowercased(byte) == byte
    }
}
