/// Quotes text for a POSIX shell (POSIX.1-2017, Shell Command Language §2.2).
enum ShellQuoting {
    /// One word that the shell leaves as it is. Inside single quotes only the quote itself is special. `printf` writes
    /// invisible characters, except in text that ends in a line feed, which the shell would remove.
    static func word(_ text: String) -> String {
        guard isPlain(text) || text.utf8.last == 0x0A else {
            return "\"$(printf \(printfFormat(FieldOctets.octets(text))))\""
        }
        return quoted(text)
    }

    /// By bytes: to a shell, a combining mark does not change the quote before it.
    private static func quoted(_ text: String) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
    }

    /// A `printf` format that writes exactly these bytes. Those that are not printable ASCII are in octal.
    static func printfFormat(_ bytes: some Sequence<UInt8>) -> String {
        var format: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += [byte, byte]
            // A leading dash could be an option, a backslash or quote is special in some shells, and an exclamation mark
            // stands for an earlier command in an interactive one.
            case 0x20...0x7E where !"'\\!".utf8.contains(byte) && (byte != 0x2D || !format.isEmpty):
                format.append(byte)
            default:
                let digits = [byte >> 6, byte >> 3 & 7, byte & 7].map { $0 + UInt8(ascii: "0") }
                format += CollectionOfOne(UInt8(ascii: "\\")) + digits
            }
        }
        return quoted(String(decoding: format, as: UTF8.self))
    }

    /// Whether a terminal shows `text` as it is: no control characters except line feeds, and nothing invisible or that
    /// changes the writing direction.
    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || ASCII.isPrintable($0) }
    }
}
