import HTTPTesting

/// Masks the values of secret query items, and user information, in a URL or in text that contains URLs, such as lists of
/// pages and signed links. Every other byte stays.
enum QueryMask {
    /// `isItem`: Whether an item may begin with the text, as in a form that is not declared as one.
    static func apply(to text: String, isItem: Bool = false, _ isSecret: (Substring) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var done = 0
        func mask(from start: Int) {
            guard start >= done, let value = secretValue(bytes, from: start, isSecret) else { return }
            out += bytes[done..<value.lowerBound]
            out += ArchiveRedaction.mask.utf8
            done = value.upperBound
        }
        if isItem { mask(from: 0) }
        var marks = separators.map { bytes.next($0, from: 0) }
        while let mark = marks.compactMap(\.self).min() {
            for (index, separator) in separators.enumerated() where marks[index] == mark {
                marks[index] = bytes.next(separator, from: mark + 1)
            }
            mask(from: mark + 1)
        }
        // Last, so that masking twice is as good as once: a value may have the slash that ends an authority.
        return String(decoding: withoutUserinfo(out + bytes[done...]), as: UTF8.self)
    }

    private static func withoutUserinfo(_ bytes: [UInt8]) -> [UInt8] {
        var (out, done): ([UInt8], Int) = ([], 0)
        for authority in Redaction.authorities(in: bytes) {
            guard let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")), at > authority.lowerBound else {
                continue
            }
            out += bytes[done..<authority.lowerBound] + ArchiveRedaction.mask.utf8
            done = at
        }
        return done == 0 ? bytes : out + bytes[done...]
    }

    /// The deepest nesting of encoded URLs in values of URLs: each level is read on its own.
    private static let depthLimit = 4

    /// Masks a text that is one URL. Its fragment is treated like a query, and a secret value extends to the next `&` or
    /// `#`, whatever characters it has; that of a path segment's parameter ends with the parameter. User information is
    /// masked, too, and so are secrets of URLs that are values. `mask` is for decoded values, which may be JSON.
    static func applyToURL(
        _ text: String, depth: Int = 0, _ isSecret: (Substring) -> Bool, content mask: (String) -> String
    ) -> String {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var place = 0
        if let info = userinfo(bytes) {
            out += bytes[..<info.lowerBound] + ArchiveRedaction.mask.utf8
            place = info.upperBound
        }
        var isPath = true
        while place < bytes.count {
            let byte = bytes[place]
            out.append(byte)
            place += 1
            guard separators.contains(byte) else { continue }
            isPath = isPath && byte == semicolon
            // A second question mark begins an item, too, but not within a secret.
            var item = bytes[place...].prefix { !separators.contains($0) && !(isPath && $0 == UInt8(ascii: "/")) }
            if !isPath, hasSecret(item, isSecret) { item = bytes[place...].prefix { $0 != ampersand && $0 != hash } }
            guard let masked = maskedItem(item, depth, isSecret, content: mask) else { continue }
            out += masked
            place = item.endIndex
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func hasSecret(_ item: ArraySlice<UInt8>, _ isSecret: (Substring) -> Bool) -> Bool {
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return false }
        return isSecret(name(Substring(decoding: item[..<equals], as: UTF8.self)))
    }

    /// An item without its secrets; nil if it has none.
    private static func maskedItem(
        _ item: ArraySlice<UInt8>, _ depth: Int, _ isSecret: (Substring) -> Bool, content mask: (String) -> String
    ) -> [UInt8]? {
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")), equals + 1 < item.endIndex else { return nil }
        if hasSecret(item, isSecret) { return Array(item[...equals]) + ArchiveRedaction.mask.utf8 }
        guard depth < depthLimit else { return nil }
        let value = Substring(decoding: item[(equals + 1)...], as: UTF8.self)
        let isEncoded = value.utf8.contains(UInt8(ascii: "%"))
        let url = isEncoded ? FormText.decode(value, isForm: true) : String(value)
        let masked = mask(applyToURL(url, depth: depth + 1, isSecret, content: mask))
        guard masked != url else { return nil }
        return Array(item[...equals]) + (isEncoded ? PercentEncoding.component(masked) : masked).utf8
    }

    /// The range of user information: between the slashes before the authority and its last `@`.
    private static func userinfo(_ bytes: [UInt8]) -> Range<Int>? {
        let slash = UInt8(ascii: "/")
        guard let first = bytes.firstIndex(where: { "/?#".utf8.contains($0) }), bytes[first] == slash,
            first == 0 || bytes[first - 1] == UInt8(ascii: ":"), first + 1 < bytes.count, bytes[first + 1] == slash
        else { return nil }
        let authority = bytes[(first + 2)...].prefix { !"/?#".utf8.contains($0) }
        return authority.lastIndex(of: UInt8(ascii: "@")).map { authority.startIndex..<$0 }
    }

    private static let question = UInt8(ascii: "?")
    private static let ampersand = UInt8(ascii: "&")
    private static let hash = UInt8(ascii: "#")
    /// It begins a parameter of a path segment (RFC 3986 §3.3), and in older queries an item.
    private static let semicolon = UInt8(ascii: ";")
    private static let separators = [question, ampersand, hash, semicolon]

    /// The range of the value of the item at `start`; nil if there is none, or it is not secret.
    private static func secretValue(_ bytes: [UInt8], from start: Int, _ isSecret: (Substring) -> Bool) -> Range<Int>? {
        var end = start
        while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
        guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: "="),
            isSecret(name(Substring(decoding: bytes[start..<end], as: UTF8.self)))
        else { return nil }
        var valueEnd = end + 1
        while valueEnd < bytes.count, !endsValue(bytes[valueEnd]) { valueEnd += 1 }
        return valueEnd > end + 1 ? end + 1..<valueEnd : nil
    }

    /// A text that is one form or query from its first byte. `mask` is for decoded values, which may be JSON.
    static func applyToForm(
        _ text: String, _ isSecret: (Substring) -> Bool, content mask: (String) -> String
    ) -> String {
        // By bytes: Unicode joins an `&` with a following combining mark.
        Array(text.utf8).split(separator: ampersand, omittingEmptySubsequences: false).map { item in
            String(decoding: maskedItem(item, 0, isSecret, content: mask) ?? Array(item), as: UTF8.self)
        }.joined(separator: "&")
    }

    private static func name(_ text: Substring) -> Substring { FormText.decode(text, isForm: true)[...] }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-_.~%$[]:+*@!".utf8.contains(byte)
    }

    /// A backslash starts the JSON escape of an ampersand (`\u0026`).
    private static func endsValue(_ byte: UInt8) -> Bool { byte <= 0x20 || #"&#>"'<\;,()"#.utf8.contains(byte) }
}
