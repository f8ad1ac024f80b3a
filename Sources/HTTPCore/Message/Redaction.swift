/// What may be printed. Headers go by an allow-list, query values by the look of their names.
package enum Redaction {
    package static let mask = "<redacted>"

    private static let printableHeaders: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
        "cache-control", "connection", "content-encoding", "content-language", "content-length", "content-range",
        "content-type", "date", "etag", "expect", "expires", "host", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "keep-alive", "last-modified", "range", "retry-after", "server", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "vary", "via",
    ]

    package static func headerValue(_ value: String, of name: String) -> String {
        printableHeaders.contains(ASCII.lowercased(name)) ? value : mask
    }

    /// The URL without userinfo and fragment, secret-looking query values masked.
    static func url(_ url: HTTPURL) -> String {
        guard let query = url.query else { return url.string }
        return "\(url.origin)\(url.path)?" + maskedQuery(query)
    }

    /// The same for text that may not even be a URL: whatever stands where user information may is masked, too.
    ///
    /// It goes by bytes: a combining mark behind an `@` does not make it another character here.
    static func urlText(_ text: String) -> String {
        guard let start = authorityStart(text) else {
            guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")), text[..<at].utf8.contains(UInt8(ascii: ":"))
            else {
                return withoutSecrets(text[...])
            }
            return mask + withoutSecrets(text[at...])
        }
        let end = text[start...].utf8.firstIndex(where: ASCII.endsAuthority) ?? text.endIndex
        let isCut = cutsUserinfo(authority: text[start..<end], rest: text[end...])
        guard let at = text[start..<(isCut ? text.endIndex : end)].utf8.lastIndex(of: UInt8(ascii: "@")) else {
            return withoutSecrets(text[...])
        }
        return text[..<start] + mask + withoutSecrets(text[at...])
    }

    /// Whether a `/`, `?` or `#` in user information seems to cut it short: what stands before looks like a host with a
    /// port that is no number, and an `@` follows.
    static func cutsUserinfo(authority: Substring, rest: Substring) -> Bool {
        guard rest.utf8.contains(UInt8(ascii: "@")), !authority.utf8.contains(UInt8(ascii: "@")),
            let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":"))
        else { return false }
        let port = authority[colon...].utf8.dropFirst()
        return !port.allSatisfy(ASCII.isDigit) && !port.contains(UInt8(ascii: "]"))
    }

    /// Behind the `//` that begins the text or follows its scheme.
    private static func authorityStart(_ text: String) -> String.Index? {
        let rest = text.utf8.drop(while: ASCII.isSchemeByte)
        let hierarchy = rest.first == UInt8(ascii: ":") ? rest.dropFirst() : text.utf8[...]
        return hierarchy.starts(with: "//".utf8) ? hierarchy.index(hierarchy.startIndex, offsetBy: 2) : nil
    }

    private static func withoutSecrets(_ text: Substring) -> String {
        let shown = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let mark = shown.firstIndex(of: UInt8(ascii: "?")) else { return String(Substring(shown)) }
        return text[..<mark] + "?" + maskedQuery(Substring(shown[mark...].dropFirst()))
    }

    /// A query, or a form, with secret-looking values masked.
    package static func maskedQuery(_ query: Substring) -> String {
        query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")), looksSecret(Substring(item[..<equals])) else {
                return String(Substring(item))
            }
            return Substring(item[...equals]) + mask
        }.joined(separator: "&")
    }

    private static let secretMarks = [
        "auth", "code", "credential", "jwt", "key", "pass", "pwd", "secret", "session", "sig", "token",
    ]

    /// Whether a text speaks of what must not be printed, as a JSON body with a token in it does.
    static func mentionsSecret(_ text: String) -> Bool {
        let text = ASCII.lowercased(text)
        return ["credential", "jwt", "passw", "secret", "token"].contains { text.utf8.contains($0.utf8) }
    }

    /// Whether a name, or any word of a text, is one that secrets go by.
    package static func looksSecret(_ name: Substring) -> Bool {
        let decoded = ASCII.lowercased(PercentEncoding.decode(name) ?? String(name))
        return secretMarks.contains { decoded.utf8.contains($0.utf8) }
    }

    /// Whether a word in front of a `:`, `=` or `>` is such a name, as in JSON, forms and XML.
    package static func namesSecret(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let start = rest.firstIndex(where: isNameByte) {
            let end = rest[start...].firstIndex { !isNameByte($0) } ?? rest.endIndex
            let next = rest[end...].first { !#"\"' "#.utf8.contains($0) }
            if let next, ":=>".utf8.contains(next), looksSecret(Substring(rest[start..<end])) { return true }
            rest = rest[end...]
        }
        return false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "_-.%".utf8.contains(byte)
    }
}
