#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import HTTPCore
import Testing

/// The body as text: by byte order mark, charset, or as UTF-8.
@Suite struct TextTests {
    @Test(
        arguments: [
            ("text/plain", [0x61, 0xC3, 0xA9], "aé"),
            ("text/plain; charset=utf-8", [0xE2, 0x82, 0xAC], "€"),
            ("text/plain; charset=\"UTF8\"", [0xE2, 0x82, 0xAC], "€"),
            ("text/plain; charset=ISO-8859-1", [0x61, 0xE9], "aé"),
            ("text/plain; charset=latin1", [0x80, 0x9F, 0x81], "€Ÿ\u{81}"),
            ("text/plain; charset=windows-1252", [0x93, 0x94], "\u{201C}\u{201D}"),
            ("text/plain; charset=us-ascii", [0x61], "a"),
            ("text/plain; charset=utf-16", [0x61, 0x00, 0xAC, 0x20], "a€"),
            ("text/plain; charset=utf-16le", [0x3D, 0xD8, 0x00, 0xDE], "😀"),
            ("text/plain; charset=utf-16be", [0x00, 0x61, 0x20, 0xAC], "a€"),
            ("text/plain; charset=latin1", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            ("text/plain; charset=utf-8", [0xFE, 0xFF, 0x00, 0x61], "a"),
            ("text/plain; charset=utf-8", [0xFF, 0xFE, 0x61, 0x00], "a"),
            ("text/plain; charset=unknown", [0xEF, 0xBB, 0xBF, 0x61], "a"),
            ("text/plain; charset=utf-8", [], ""), ("nonsense", [0x61], "a"),
        ] as [(String, [UInt8], String)])
    func `bytes are decoded by their declared charset`(type: String, bytes: [UInt8], text: String) throws {
        #expect(try Sample.response(type: type, bytes).text() == text)
    }

    @Test(
        arguments: [
            ("text/plain", [0xC3], "utf-8"), ("text/plain", [0xFF, 0x41], "utf-8"),
            ("text/plain", [0xED, 0xA0, 0x80], "utf-8"), ("text/plain; charset=utf-16", [0x61], "utf-16"),
            ("text/plain; charset=utf-16be", [0xD8, 0x00, 0x00, 0x61], "utf-16be"),
            ("text/plain; charset=shift_jis", [0x61], "shift_jis"), ("text/plain; charset=koi8-r", [0x61], "koi8-r"),
            ("text/plain; charset=latin1", [0xEF, 0xBB, 0xBF, 0xFF], "byte order mark"),
        ] as [(String, [UInt8], String)])
    func `invalid bytes, or an unknown charset, are an error that names it`(
        type: String, bytes: [UInt8], named: String
    ) throws {
        let error = try #require(throws: HTTPError.self) { _ = try Sample.response(type: type, bytes).text() }
        guard case .decoding(let failure) = error else { return unexpected(error) }
        #expect(failure.reason.contains(named), "\(failure.reason)")
        #expect(failure.response.body == Data(bytes))
    }

    @Test func `a slice of data is read from its own start`() throws {
        let slice = Data([0x00, 0xFE, 0xFF, 0x00, 0x61]).dropFirst()
        #expect(try Response(request: Sample.request(), status: .ok, body: slice).text() == "a")
    }
}
