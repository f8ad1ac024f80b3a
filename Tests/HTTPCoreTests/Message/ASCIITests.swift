import Testing

import HTTPCore

@Suite struct ASCIITests {
    /// Characters that are invisible, or that appear elsewhere.
    static let unseen: [Unicode.Scalar] =
        [0xAD, 0x34F, 0x61C, 0x115F, 0x3164, 0xFEFF, 0xFFA0, 0x7F, 0x9B, 0x0A, 0xE0041].compactMap(Unicode.Scalar.init)
        + [0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064, 0x2066...0x2069].joined().compactMap(Unicode.Scalar.init)

    @Test(arguments: unseen)
    func `invisible characters are escaped`(scalar: Unicode.Scalar) {
        let shown = ASCII.printable("a\(Character(scalar))b")
        #expect(shown.unicodeScalars.allSatisfy { $0 != scalar }, "\(shown)")
        #expect(shown.hasPrefix("a\\") && shown.hasSuffix("b"))
        if scalar.value == 0x200B { #expect(shown == "a\\u{200B}b") }
    }

    @Test(arguments: ["é", "e\u{301}", "日本語", "עברית", "😀", "a b", "\"quoted\"", "\\", "½ × µ"])
    func `visible characters are unchanged`(text: String) {
        #expect(ASCII.printable(text).utf8.elementsEqual(text.utf8))
    }

    @Test(arguments: [
        (" \t a b\t ", "a b"), ("", ""), (" \t ", ""), ("a", "a"), (" \u{301}a", "\u{301}a"), ("a\u{600} ", "a\u{600}"),
        ("é ", "é"),
    ])
    func `spaces and tabs are trimmed, but not characters that Unicode joins to them`(_ text: String, _ trimmed: String)
    {
        #expect(Array(ASCII.trimmed(text[...]).utf8) == Array(trimmed.utf8))
        #expect(Array(ASCII.trimmed(("=" + text + "=").dropFirst().dropLast()).utf8) == Array(trimmed.utf8))
    }
}
