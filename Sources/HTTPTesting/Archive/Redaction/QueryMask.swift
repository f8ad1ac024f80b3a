/// Masks the values of secret query items, in a URL or in text that has URLs in it, as pages of lists and signed links
/// do. Every other byte stays.
enum QueryMask {
    static func apply(to text: String, _ isSecret: (Substring) -> Bool) -> String {
        let bytes = text.utf8
        var out = ""
        var rest = text[...]
        while let mark = rest.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }) {
            let start = bytes.index(after: mark)
            out += text[rest.startIndex..<start]
            rest = text[start...]
            guard let equals = rest.utf8.firstIndex(where: { !isNameByte($0) }), equals > start,
                bytes[equals] == UInt8(ascii: "="), isSecret(name(text[start..<equals]))
            else { continue }
            let valueStart = bytes.index(after: equals)
            let end = text[valueStart...].utf8.firstIndex(where: endsValue) ?? text.endIndex
            out += text[start..<valueStart]
            if end > valueStart { out += ArchiveRedaction.mask }
            rest = text[end...]
        }
        return out + rest
    }

    /// A text that is one form or query, from its first byte on.
    static func applyToForm(_ text: String, _ isSecret: (Substring) -> Bool) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")), isSecret(name(item[..<equals])),
                item.utf8.index(after: equals) < item.endIndex
            else { return String(item) }
            return item[...equals] + ArchiveRedaction.mask
        }.joined(separator: "&")
    }

    private static func name(_ text: Substring) -> Substring { FormText.decode(text, isForm: true)[...] }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_.~%$[]:+*@!".utf8.contains(byte)
        }
    }

    /// A backslash starts what an ampersand is written as in JSON (`\u0026`).
    private static func endsValue(_ byte: UInt8) -> Bool { byte <= 0x20 || #"&#>"'<\;,()"#.utf8.contains(byte) }
}
