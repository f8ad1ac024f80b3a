/// Which framing headers have one meaning (RFC 9112 §6.3). A message that two readers could cut in two ways is refused.
enum FramingRules {
    static func check(_ headers: HTTPHeaders) throws(ResponseHead.Violation) {
        let lengths = headers.values(for: "Content-Length").flatMap(list)
        if let bad = lengths.first(where: { length($0) == nil }) {
            throw ResponseHead.Violation(reason: "its Content-Length is \(bad.debugDescription)")
        }
        if let first = lengths.first, lengths.contains(where: { $0 != first }) {
            let shown = lengths.joined(separator: " and ")
            throw ResponseHead.Violation(reason: "it has different values of Content-Length, \(shown)")
        }
        let codings = headers.values(for: "Transfer-Encoding").flatMap(list)
        if !codings.isEmpty, codings.count > 1 || !ASCII.equalsIgnoringCase(codings[0], "chunked") {
            let shown = codings.joined(separator: ", ")
            throw ResponseHead.Violation(reason: "its Transfer-Encoding is \(shown.debugDescription), not chunked")
        }
    }

    static func firstLength(_ value: String) -> Int64? { list(value).first.flatMap(length) }

    private static func length(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy(ASCII.isDigit) ? Int64(text) : nil
    }

    private static func list(_ value: String) -> [Substring] {
        value.split(separator: ",", omittingEmptySubsequences: false).map(ASCII.trimmed)
    }
}
