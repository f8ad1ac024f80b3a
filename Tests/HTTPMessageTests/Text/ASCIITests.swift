import TestSupport
import Testing

import HTTPCore

@Suite struct ASCIITests {
    @Test(arguments: Unicode.Scalar.unseen)
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
