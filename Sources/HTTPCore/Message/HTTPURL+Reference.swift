extension HTTPURL {
    /// Resolves `reference` against this URL (RFC 3986 §5.2), as in a Location field. What cannot be resolved is refused
    /// with `.invalidRequest`, whose reason says what is wrong, and where.
    public func resolving(_ reference: String) throws(HTTPError) -> HTTPURL {
        do throws(URLProblem) { return try resolving(reference, spelling: .strict) } catch {
            throw HTTPError(error, of: reference, "reference")
        }
    }

    package func resolving(_ given: String, spelling: Spelling) throws(URLProblem) -> HTTPURL {
        let reference = spelling == .fromServer ? FieldOctets.percentEncoded(given) : given
        try Self.refuseControls(in: reference)
        if Self.hasScheme(reference) { return try HTTPURL(reference, spelling: spelling) }
        if reference.utf8.starts(with: "//".utf8) {
            let rest = Substring(reference.utf8.dropFirst(2))
            return try HTTPURL(scheme: scheme, afterSlashes: rest, spelling: spelling)
        }
        let (pathAndQuery, fragment) = Self.splitFragment(reference[...])
        let merged = merge(pathAndQuery)
        if spelling == .strict { try PercentEncoding.check(pathAndQuery) }
        let target = try PercentEncoding.target(merged[...], spelling: spelling)
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
    static func hasScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
        for byte in text.utf8 {
            if byte == UInt8(ascii: ":") { return true }
            guard ASCII.isSchemeByte(byte) else { return false }
        }
        return false
    }
}
