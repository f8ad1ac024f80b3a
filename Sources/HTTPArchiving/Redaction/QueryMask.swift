import HTTPCore
import HTTPTesting

/// Masks the values of secret query items in a URL or in text that contains URLs, such as lists of pages and signed
/// links. Every other byte stays.
enum QueryMask {
    static func apply(to text: String, _ isSecret: (Substring) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var done = 0
        var (query, item) = (bytes.next(question, from: 0), bytes.next(ampersand, from: 0))
        while let mark = [query, item].compactMap(\.self).min() {
            if mark == query {
                query = bytes.next(question, from: mark + 1)
            } else {
                item = bytes.next(ampersand, from: mark + 1)
            }
            guard let value = secretValue(bytes, from: mark + 1, isSecret), mark >= done else { continue }
            out += bytes[done..<value.lowerBound]
            out += ArchiveRedaction.mask.utf8
            done = value.upperBound
        }
        guard done > 0 else { return text }
        return String(decoding: out + bytes[done...], as: UTF8.self)
    }

    /// Masks a text that is one URL. Its fragment is treated like a query, and a value extends to the next item,
    /// whatever characters it has. User information is masked, too.
    static func applyToURL(_ text: String, _ isSecret: (Substring) -> Bool) -> String {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var place = 0
        if let info = userinfo(bytes) {
            out += bytes[..<info.lowerBound] + ArchiveRedaction.mask.utf8
            place = info.upperBound
        }
        while place < bytes.count {
            out.append(bytes[place])
            place += 1
            guard "?&#".utf8.contains(out[out.count - 1]), let value = secretValue(bytes, from: place, isSecret) else {
                continue
            }
            out += bytes[place..<value.lowerBound] + ArchiveRedaction.mask.utf8
            place = bytes[value.lowerBound...].firstIndex { $0 == ampersand || $0 == UInt8(ascii: "#") } ?? bytes.count
        }
        return String(decoding: out, as: UTF8.self)
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

    /// The range of the value of the item at `start`; nil if there is none, or it is not secret.
    private static func secretValue(
        _ bytes: [UInt8], from start: Int, _ isSecret: (Substring) -> Bool
    ) -> Range<Int>? {
        var end = start
        while end < bytes.count, isNameByte(bytes[end]) { end += 1 }
        guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: "="),
            isSecret(name(Substring(decoding: bytes[start..<end], as: UTF8.self)))
        else { return nil }
        var valueEnd = end + 1
        while valueEnd < bytes.count, !endsValue(bytes[valueEnd]) { valueEnd += 1 }
        return valueEnd > end + 1 ? end + 1..<valueEnd : nil
    }

    /// A text that is one form or query from its first byte.
    static func applyToForm(_ text: String, _ isSecret: (Substring) -> Bool) -> String {
        // By bytes: Unicode joins an `&` with a following combining mark.
        text.utf8.split(separator: ampersand, omittingEmptySubsequences: false).map { item -> String in
            guard let equals = item.firstIndex(of: UInt8(ascii: "=")), isSecret(name(Substring(item[..<equals]))),
                item.index(after: equals) < item.endIndex
            else { return String(Substring(item)) }
            return Substring(item[...equals]) + ArchiveRedaction.mask
        }.joined(separator: "&")
    }

    private static func name(_ text: Substring) -> Substring { FormText.decode(text, isForm: true)[...] }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-_.~%$[]:+*@!".utf8.contains(byte)
    }

    /// A backslash starts the JSON escape of an ampersand (`\u0026`).
    private static func endsValue(_ byte: UInt8) -> Bool { byte <= 0x20 || #"&#>"'<\;,()"#.utf8.contains(byte) }
}
