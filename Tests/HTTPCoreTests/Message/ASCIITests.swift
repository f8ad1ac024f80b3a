import Testing

@testable import HTTPCore

@Suite struct ASCIITests {
    @Test(arguments: [
        (" \t a b\t ", "a b"), ("", ""), (" \t ", ""), ("a", "a"), (" \u{301}a", "\u{301}a"), ("a\u{600} ", "a\u{600}"),
        ("é ", "é"),
    ])
    func `spaces and tabs are trimmed, and nothing that Unicode joins to them`(_ text: String, _ trimmed: String) {
        #expect(Array(ASCII.trimmed(text[...]).utf8) == Array(trimmed.utf8))
        #expect(Array(ASCII.trimmed(("=" + text + "=").dropFirst().dropLast()).utf8) == Array(trimmed.utf8))
    }
}
