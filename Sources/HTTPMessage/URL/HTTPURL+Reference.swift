extension HTTPURL {
    package func resolving(_ given: String, spelling: Spelling) throws(URLProblem) -> HTTPURL {
        let reference = spelling == .fromServer ? FieldOctets.percentEncoded(given) : given
        try Self.refuseControls(in: reference)
        if Self.hasScheme(reference) { return try HTTPURL(reference, spelling: spelling) }
        if reference.utf8.starts(with: "//".utf8) {
            let rest = Substring(reference.utf8.dropFirst(2))
            return try HTTPURL(scheme: scheme, afterSlashes: rest, spelling: spelling)
        }
        let (pathAndQuery, fragment) = Self.splitFragment(reference[...])
        // Not the path of this URL, which a server may have given.
        if spelling == .strict { try PercentEncoding.check(pathAndQuery) }
        let target = PercentEncoding.target(merge(pathAndQuery)[...])
        return HTTPURL(origin: origin, target: target, fragment: fragment, userinfo: userinfo)
    }

    private func merge(_ reference: Substring) -> String {
        switch reference.utf8.first {
        case nil: target
        case UInt8(ascii: "/"): String(reference)
        case UInt8(ascii: "?"): String(path + reference)
        default: String(directory + reference)
        }
    }

    /// The path up to and including its last slash.
    private var directory: Substring {
        let path = path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return path[...slash]
    }

    /// Whether `text` begins with a scheme: scheme characters and a colon before any `/`, `?` or `#` (RFC 3986 §4.2).
    package static func hasScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
        for byte in text.utf8 {
            if byte == UInt8(ascii: ":") { return true }
            guard ASCII.isSchemeByte(byte) else { return false }
        }
        return false
    }
}

/// Removal of `.` and `..` from a path (RFC 3986 §5.2.4).
enum DotSegments {
    /// Whether `target` contains `/.`, plain or as `/%2e`, which every server treats alike. Nearly no target does, and
    /// then it need not be split.
    static func mayOccur(in target: String) -> Bool {
        var previous: UInt8 = 0
        for byte in target.utf8 {
            if byte == UInt8(ascii: "?") { return false }
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
            previous = byte
        }
        return false
    }

    /// `target` without its dot segments. It starts with `/` and may have a query. A `..` at the root is dropped.
    static func removed(fromTarget target: String) -> String {
        let queryStart = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var kept: [Substring] = []
        var endsInDirectory = false
        for segment in target[..<queryStart].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let dots = decoded(segment)
            endsInDirectory = dots == "." || dots == ".."
            if dots == ".." {
                _ = kept.popLast()
            } else if dots != "." {
                kept.append(segment)
            }
        }
        if endsInDirectory, !kept.isEmpty { kept.append("") }
        return "/" + kept.joined(separator: "/") + target[queryStart...]
    }

    /// Whether `segment` is `.` or `..`. Nearly no segment begins like one, so it is rarely decoded.
    static func isOne(_ segment: Substring) -> Bool {
        guard let first = segment.utf8.first, first == UInt8(ascii: ".") || first == UInt8(ascii: "%"),
            segment.utf8.count <= "%2e%2e".utf8.count
        else { return false }
        let dots = decoded(segment)
        return dots == "." || dots == ".."
    }

    /// `segment` in lower case with its encoded dots written as dots: enough to tell whether it is a dot segment.
    private static func decoded(_ segment: Substring) -> String {
        ASCII.lowercased(segment).split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
    }
}
