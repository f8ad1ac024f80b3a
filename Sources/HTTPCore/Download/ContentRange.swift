/// Which part of a representation a response carries: the Content-Range field in bytes (RFC 9110 §14.4).
struct ContentRange: Hashable {
    /// First and last byte, counted from 0; nil in an answer that no part could be had.
    let bytes: ClosedRange<Int64>?
    /// The length of the whole; nil where the server does not know.
    let total: Int64?

    /// Nil when `text` is no such field, or one that contradicts itself.
    init?(_ text: String) {
        let text = ASCII.trimmed(text[...])
        guard text.utf8.count > 6, ASCII.equalsIgnoringCase(text.prefix(6), "bytes ") else { return nil }
        let parts = ASCII.trimmed(text.dropFirst(6)).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let number = Self.number(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            bytes = nil
        } else {
            let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
                last < total ?? .max
            else { return nil }
            bytes = first...last
        }
    }

    /// Digits only: `Int64` itself would take a sign.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(ASCII.isDigit) ? Int64(text) : nil
    }
}
