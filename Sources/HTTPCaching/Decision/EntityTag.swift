/// Comparisons of entity tags (RFC 9110 §8.8.3).
enum EntityTag {
    private static func isStrong(_ tag: String) -> Bool { !tag.utf8.starts(with: "W/".utf8) }

    /// Weak comparison: whether both denote equivalent representations.
    static func areSimilar(_ one: String, _ other: String) -> Bool { opaque(one).elementsEqual(opaque(other)) }

    /// Strong comparison: whether both denote the same bytes.
    static func areSame(_ one: String, _ other: String) -> Bool {
        isStrong(one) && isStrong(other) && one.utf8.elementsEqual(other.utf8)
    }

    /// Whether a response with `tag` describes the bytes stored with `own`. A strong tag is that of these very bytes, or
    /// of others (RFC 9111 §4.3.4).
    static func describes(_ tag: String, _ own: String) -> Bool {
        isStrong(tag) ? areSame(tag, own) : areSimilar(tag, own)
    }

    /// Whether `tag` matches `list`, an If-None-Match field.
    static func isListed(_ tag: String, in list: String) -> Bool {
        if ASCII.trimmed(list[...]) == "*" { return true }
        return members(of: list).contains { areSimilar(String($0), tag) }
    }

    private static func opaque(_ tag: String) -> Substring.UTF8View {
        Substring(isStrong(tag) ? tag.utf8[...] : tag.utf8.dropFirst(2)).utf8
    }

    /// The members, split at the commas outside quotes.
    private static func members(of list: String) -> [Substring] {
        var (members, start, isQuoted) = ([Substring](), list.startIndex, false)
        for index in list.utf8.indices {
            let byte = list.utf8[index]
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard byte == UInt8(ascii: ","), !isQuoted else { continue }
            members.append(ASCII.trimmed(list[start..<index]))
            start = list.utf8.index(after: index)
        }
        members.append(ASCII.trimmed(list[start...]))
        return members.filter { !$0.isEmpty }
    }
}
