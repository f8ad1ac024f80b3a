/// What may be printed. Headers go by an allow-list, query values by the look of their names.
enum Redaction {
    static let mask = "<redacted>"

    private static let printableHeaders: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
        "cache-control", "connection", "content-encoding", "content-language", "content-length", "content-range",
        "content-type", "date", "etag", "expect", "expires", "host", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "keep-alive", "last-modified", "range", "retry-after", "server", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "vary", "via",
    ]

    static func headerValue(_ value: String, of name: String) -> String {
        printableHeaders.contains(ASCII.lowercased(name)) ? value : mask
    }

    /// The URL without userinfo and fragment, secret-looking query values masked.
    static func url(_ url: HTTPURL) -> String {
        guard let query = url.query else { return url.string }
        return "\(url.origin)\(url.path)?" + maskedQuery(query)
    }

    /// The same for text that may not even be a URL: whatever stands between `//` and `@` goes, too.
    static func urlText(_ text: String) -> String {
        var shown = text[...]
        if let fragment = shown.firstIndex(of: "#") { shown = shown[..<fragment] }
        var query = ""
        if let mark = shown.firstIndex(of: "?") {
            query = "?" + maskedQuery(shown[shown.index(after: mark)...])
            shown = shown[..<mark]
        }
        guard let slashes = firstRange(of: "//", in: shown) else { return shown + query }
        let authority = shown[slashes.upperBound...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return shown + query }
        return shown[..<slashes.upperBound] + mask + shown[at...] + query
    }

    private static func firstRange(of mark: String, in text: Substring) -> Range<Substring.Index>? {
        var start = text.startIndex
        while start < text.endIndex {
            if text[start...].hasPrefix(mark) { return start..<text.index(start, offsetBy: mark.count) }
            start = text.index(after: start)
        }
        return nil
    }

    private static func maskedQuery(_ query: Substring) -> String {
        query.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "="), looksSecret(item[..<equals]) else { return String(item) }
            return item[...equals] + mask
        }.joined(separator: "&")
    }

    private static let secretMarks = [
        "auth", "code", "credential", "jwt", "key", "pass", "pwd", "secret", "session", "sig", "token",
    ]

    private static func looksSecret(_ name: Substring) -> Bool {
        let decoded = ASCII.lowercased(PercentEncoding.decode(name) ?? String(name))
        return secretMarks.contains { firstRange(of: $0, in: decoded[...]) != nil }
    }
}
