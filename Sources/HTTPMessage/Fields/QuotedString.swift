/// Quoted strings in field values (RFC 9110 §5.6.4). Read by bytes, so that a combining mark cannot hide a separator.
package struct QuotedString {
    /// Whether the next character is inside quotes.
    package private(set) var isOpen = false
    private var isEscaped = false

    package init() {}

    package mutating func take(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if isOpen, byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isOpen.toggle()
        }
    }

    /// The parts of `text` between separators outside quotes.
    package static func split(_ text: String, at separator: UInt8) -> [Substring] {
        split(text) { $0 == separator }
    }

    package static func split(_ text: String, where isSeparator: (UInt8) -> Bool) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var quotes = QuotedString()
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isSeparator(byte), !quotes.isOpen {
                parts.append(text[start..<index])
                start = text.utf8.index(after: index)
            } else {
                quotes.take(byte)
            }
        }
        parts.append(text[start...])
        return parts
    }

    /// The text between the quotes, unescaped; a text without quotes is unchanged.
    package static func unquoted(_ text: Substring) -> String {
        let (bytes, quote) = (text.utf8, UInt8(ascii: "\""))
        guard bytes.count >= 2, bytes.first == quote, bytes.last == quote else { return String(text) }
        var value: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst().dropLast() {
            if byte == UInt8(ascii: "\\"), !isEscaped {
                isEscaped = true
            } else {
                value.append(byte)
                isEscaped = false
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    /// The text in quotes, with escapes where it needs them.
    package static func quoted(_ text: String) -> String {
        let escaped = text.utf8.flatMap { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return "\"" + String(decoding: escaped, as: UTF8.self) + "\""
    }
}
