/// The names and texts of a form in parts (RFC 7578, as browsers write it).
package enum MultipartText {
    /// `text` with the quotes and line breaks percent-encoded. No other character is.
    package static func escaped(_ text: String) -> String {
        let escapes: [Unicode.Scalar: String] = ["\"": "%22", "\r": "%0D", "\n": "%0A"]
        return text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }

    /// `text` with every CR, LF or CR LF replaced by CR LF. Each of the three is one character to Swift.
    package static func normalized(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return text }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\r" || $0 == "\n" }
        return lines.joined(separator: "\r\n")
    }

    /// Whether `text` is a valid boundary (RFC 2046 §5.1.1).
    package static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && !text.hasSuffix(" ")
            && text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "'()+_,-./:=? ".utf8.contains($0) }
    }
}
