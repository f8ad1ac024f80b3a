import HTTPSupport
import Testing

import HTTPCore

@Suite struct PercentEncodingTests {
    @Test(arguments: [
        ("", ""), ("azAZ09-._~", "azAZ09-._~"), ("a b", "a%20b"), ("a+b", "a%2Bb"), ("a&b=c", "a%26b%3Dc"),
        ("/?#", "%2F%3F%23"), ("%41", "%2541"), ("é€😀", "%C3%A9%E2%82%AC%F0%9F%98%80"), ("\r\n\0", "%0D%0A%00"),
        ("*'()!", "%2A%27%28%29%21"), ("e\u{301}", "e%CC%81"),
    ])
    func `a query component keeps only the unreserved characters`(text: String, encoded: String) {
        #expect(PercentEncoding.component(text) == encoded)
        #expect(PercentEncoding.decode(encoded[...]) == text)
    }

    @Test(arguments: ["%", "%4", "%4g", "%+4", "% 4", "%-1", "%ff", "%C3", "a%C3%28"])
    func `broken escapes, and escapes that are not UTF-8, do not decode`(text: String) {
        #expect(PercentEncoding.decode(text[...]) == nil)
    }

    @Test(arguments: [
        (QueryItem("a", "b"), "a=b"), (QueryItem("a", ""), "a="), (QueryItem("a", nil), "a"),
        (QueryItem("a b", "c&d"), "a%20b=c%26d"), (QueryItem("", "x"), "=x"),
    ])
    func `a query item without a value has no equals sign`(item: QueryItem, encoded: String) {
        let text = String(unsafeUninitializedCapacity: item.longestEncoding) { room in
            var writer = ByteWriter(room)
            item.write(to: &writer)
            return writer.count
        }
        #expect(text == encoded)
    }

    @Test func `every byte survives encoding and decoding`() {
        let text = String(String.UnicodeScalarView((0...0x24F).compactMap { Unicode.Scalar($0) }))
        #expect(PercentEncoding.decode(PercentEncoding.component(text)[...]) == text)
    }
}
