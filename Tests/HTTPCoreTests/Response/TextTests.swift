#if canImport(FoundationEssentials)
import TestSupport
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
            ("text/plain; charset=shift_jis", [0x81], "shift_jis"), ("text/plain; charset=big5", [0x61, 0xFF], "big5"),
            ("text/plain; charset=euc-jp", [0xF9, 0xA1], "euc-jp"),
            ("text/plain; charset=windows-1253", [0x61, 0xD2], "windows-1253"),
            ("text/plain; charset=nonsense", [0xFF], "nonsense"), ("text/plain; charset=utf-32", [0xFF], "utf-32"),
            ("text/plain; charset=utf-32", [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "UTF-32"),
            ("text/plain", [0xFF, 0xFE, 0, 0, 0x61, 0, 0, 0], "UTF-32"),
            ("text/plain; charset=UTF-32", [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x61], "UTF-32"),
            ("text/plain; charset=utf-32le", [0x61, 0, 0, 0], "UTF-32"),
            ("text/plain; charset=x-user-defined", [0xFF], "x-user-defined"),
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

    /// An example of each encoding of the WHATWG Encoding Standard that the system decodes, under one of its labels.
    @Test(
        arguments: [
            ("cp866", [0x8F, 0xE0], "Пр"), ("latin2", [0xB1, 0xE6], "ąć"), ("iso-8859-3", [0xB6], "ĥ"),
            ("l4", [0xBA], "ē"),
            ("cyrillic", [0xBF, 0xE0], "Пр"), ("arabic", [0xC7], "ا"), ("greek", [0xE1, 0xE2], "αβ"),
            ("hebrew", [0xE0], "א"), ("logical", [0xE0], "א"), ("latin6", [0xA2], "Ē"), ("iso-8859-13", [0xE0], "ą"),
            ("iso-8859-14", [0xD0], "Ŵ"), ("ISO-8859-15", [0xA4], "€"), ("iso-8859-16", [0xAA], "Ș"),
            ("KOI8-R", [0xF0, 0xD2], "Пр"), ("koi8-ru", [0xA4], "є"), ("macintosh", [0x8A], "ä"),
            ("tis-620", [0xA1], "ก"),
            ("windows-1250", [0x9C], "ś"), ("cp1251", [0xCF, 0xF0], "Пр"), ("windows-1253", [0xE1], "α"),
            ("latin5", [0xFD], "ı"), ("windows-1255", [0xE0], "א"), ("x-cp1256", [0xC7], "ا"),
            ("windows-1257", [0xE0], "ą"),
            ("windows-1258", [0xD0], "Đ"), ("x-mac-cyrillic", [0x8F], "П"), ("gb2312", [0xC4, 0xE3, 0xBA, 0xC3], "你好"),
            ("GBK", [0x81, 0x40], "丂"), ("gb18030", [0x81, 0x30, 0x84, 0x36], "¥"),
            ("Big5", [0xA7, 0x41, 0xA6, 0x6E], "你好"),
            ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42, 0x61], "日a"),
            ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"), ("windows-31j", [0x87, 0x40, 0x5C], "①\\"),
            ("euc-jp", [0xAD, 0xA1, 0xA1, 0xC1, 0xA1, 0xDD, 0x8F, 0xA2, 0xB7], "①～－～"),
            ("iso-2022-jp", [0x1B, 0x28, 0x49, 0x31, 0x1B, 0x28, 0x42, 0x61], "ｱa"),
            ("gbk", [0x61, 0x80, 0xC4, 0xE3], "a€你"), ("gb2312", [0x80], "€"), ("gb18030", [0x80, 0x62], "€b"),
            ("iso-8859-9", [0x61, 0x9E, 0x62], "a\u{9E}b"), ("iso-8859-11", [0x81, 0xA1], "\u{81}ก"),
            ("windows-1250", [0x98], "\u{98}"), ("windows-1251", [0xCF, 0x98, 0xF0], "П\u{98}р"),
            ("windows-1253", [0x9F], "\u{9F}"), ("windows-1255", [0xE0, 0x9F, 0xC7], "א\u{9F}\u{5B7}"),
            ("windows-1257", [0x8A], "\u{8A}"), ("windows-1258", [0x61, 0x9E, 0xEC, 0x62], "a\u{9E}\u{301}b"),
            ("ks_c_5601-1987", [0xC7, 0xD1, 0xB1, 0xDB], "한글"), ("euc-kr", [0x81, 0x41], "갂"), ("l1", [0xE9], "é"),
            ("csISOLatin1", [0xE9], "é"), ("csunicode", [0x61, 0x00], "a"), ("unicodefffe", [0x00, 0x61], "a"),
        ] as [(String, [UInt8], String)])
    func `the system decodes what the encoding standard names`(label: String, bytes: [UInt8], text: String) throws {
        #expect(try Sample.response(type: "text/plain; charset=\(label)", bytes).text() == text)
        #expect(try Sample.response(type: "text/plain; charset='\(label)'", bytes).text() == text)
        #expect(try Sample.response(type: "text/plain", bytes).text(as: label) == text)
        #expect(Sample.response(type: "text/plain; charset=\"\(label)\"", bytes).lossyText() == text)
    }

    @Test func `long text is decoded whole, in pieces of the system's`() throws {
        let bytes = (0..<50_000).flatMap { _ in [0x93, 0xFA, 0x61] as [UInt8] }
        let text = try Sample.response(type: "text/plain; charset=shift_jis", bytes).text()
        let isWhole = text == String(repeating: "日a", count: 50_000)
        #expect(isWhole)
    }

    @Test(arguments: [
        "text/plain; charset=", "text/plain; charset=\"\"", "text/plain; charset=''", "text/plain; charset='utf-8'",
        "text/plain; charset=\" utf-8 \"", "text/plain; charset=; charset=utf-8", "text/plain; charset = utf-8",
        "text/plain; charset=nonsense", "text/plain; charset=utf-8859-1", "text/plain; charset='",
        "text/plain; charset=none", "text/plain; charset=utf-32",
    ])
    func `an empty or unknown charset is tried as UTF-8`(type: String) throws {
        #expect(try Sample.response(type: type, [0xE2, 0x82, 0xAC]).text() == "€")
    }

    @Test(
        arguments: [
            ("text/html, text/plain; charset=latin1", "text/plain", "é"),
            ("text/plain; charset=latin1, nonsense", "text/plain", "é"),
            ("text/plain; charset=latin1, text/plain", "text/plain", "é"),
            ("text/html;charset=\"a,b\", text/plain;charset=latin1", "text/plain", "é"),
            ("nonsense, */*, text/plain;charset=latin1, */*", "text/plain", "é"),
            (", text/plain;charset=latin1,", "text/plain", "é"),
            ("text/plain;charset=utf-8, text/plain;charset=latin1", "text/plain", "é"),
            ("text/plain;charset=latin1, text/plain;charset=utf-8, text/plain", "text/plain", "é"),
            ("text/plain, text/html;charset=utf-8, text/plain;charset=latin1, text/plain", "text/plain", "é"),
        ])
    func `the last valid member of a Content-Type counts`(type: String, essence: String, text: String) throws {
        let response = Sample.response(type: type, [0xE9])
        #expect(response.mediaType?.essence == essence)
        #expect(try response.text() == text)
    }

    @Test func `of two Content-Type fields the last valid one counts, and another type takes no charset over`() throws {
        let headers: HTTPHeaders = ["Content-Type": "text/html; charset=latin1", "content-type": "application/json"]
        let response = Response(request: Sample.request(), status: .ok, headers: headers, body: Data("€".utf8))
        #expect(response.mediaType?.isJSON == true && response.mediaType?.charset == nil)
        #expect(try response.text() == "€")
    }

    @Test(arguments: ["*/*", "*/*; charset=latin1", "*/*, */*"])
    func `any type is no type`(type: String) throws {
        #expect(Sample.response(type: type, [0x61]).mediaType == nil)
        #expect(try Sample.response(type: type, [0xC3, 0xA9]).text() == "é")
    }

    @Test func `the members of a long list take over one charset, not all that came before`() throws {
        let list = "text/html;charset=latin1" + String(repeating: ", text/html;charset=;charset=", count: 50)
        let type = try #require(Sample.response(type: list, [0xE9]).mediaType)
        #expect(type.parameters.map(\.value) == ["", "", "latin1"])
    }

    @Test func `a charset that is given wins over the server's and a byte order mark`() throws {
        let mark = Sample.response(type: "text/plain; charset=utf-8", [0xEF, 0xBB, 0xBF, 0xE9])
        #expect(try mark.text(as: "latin1") == "ï»¿é")
        #expect(
            try Sample.response(type: "text/plain; charset=utf-8", [0xEF, 0xBB, 0xBF, 0x61]).text(as: "UTF-8") == "a")
        #expect(try Sample.response(type: "text/plain; charset=utf-8", [0xCF]).text(as: "windows-1251") == "П")
        #expect(Sample.response(type: "text/plain; charset=utf-8", [0xCF]).lossyText(as: "windows-1251") == "П")
        let error = #expect(throws: HTTPError.self) {
            try Sample.response(type: "text/plain", [0x61]).text(as: "nonsense")
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("nonsense"))
    }

    @Test(
        arguments: [
            ("text/plain", [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            ("text/plain; charset=utf-16le", [0x61, 0x00, 0x62], "a\u{FFFD}"),
            ("text/plain; charset=utf-16le", [0x00, 0xD8, 0x61, 0x00], "\u{FFFD}a"),
            ("text/plain; charset=shift_jis", [0x93, 0xFA, 0x81], "日\u{FFFD}"),
            ("text/plain; charset=big5", [0x61, 0xFF, 0x62], "a\u{FFFD}b"),
            ("text/plain; charset=windows-1253", [0x61, 0xD2, 0x81], "a\u{FFFD}\u{81}"),
            ("text/plain; charset=nonsense", [0x61, 0xFF], "a\u{FFFD}"), ("text/plain; charset=utf-8", [], ""),
            ("text/plain; charset=latin1", [0xFF, 0xFE, 0x61, 0x00], "a"),
        ] as [(String, [UInt8], String)])
    func `the lossy form never fails`(type: String, bytes: [UInt8], text: String) throws {
        #expect(Sample.response(type: type, bytes).lossyText() == text)
    }

    @Test func `a slice of data is read from its own start`() throws {
        let slice = Data([0x00, 0xFE, 0xFF, 0x00, 0x61]).dropFirst()
        #expect(try Response(request: Sample.request(), status: .ok, body: slice).text() == "a")
    }
}
