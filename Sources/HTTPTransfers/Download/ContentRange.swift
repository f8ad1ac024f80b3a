/// The Content-Range field in bytes (RFC 9110 §14.4): the part of a representation that a response contains.
struct ContentRange: Hashable {
    /// The first and last byte, counted from 0; nil in a response without a part.
    let bytes: ClosedRange<Int64>?
    /// The total length in bytes; nil if the server does not know it.
    let total: Int64?

    /// Nil if `text` is not such a field, or contradicts itself.
    init?(_ text: String) {
        let text = ASCII.trimmed(text[...])
        guard text.utf8.count > 6, ASCII.equalsIgnoringCase(text.prefix(6), "bytes ") else { return nil }
        let parts = ASCII.trimmed(text.dropFirst(6)).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let number = ASCII.number(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            bytes = nil
        } else {
            let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let first = ASCII.number(ends[0]), let last = ASCII.number(ends[1]), first <= last,
                last < total ?? .max
            else { return nil }
            bytes = first...last
        }
    }
}
