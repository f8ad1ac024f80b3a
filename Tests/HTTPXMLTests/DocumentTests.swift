import Foundation
import HTTPCore
import HTTPTesting
import HTTPXML
import Testing

/// Documents as they are out there: entities, namespaces, charsets, mistakes, and what is meant to cost time or memory.
@Suite struct DocumentTests {
    private func decode<Value: Decodable>(
        _ text: String, by decoder: XMLBodyDecoder = XMLBodyDecoder(), as type: Value.Type = Value.self
    ) throws -> Value { try decoder.decode(type, from: Data(text.utf8)) }

    private func reason(
        _ text: String, by decoder: XMLBodyDecoder = XMLBodyDecoder(),
        as type: any Decodable.Type = [String: String].self
    ) -> String {
        do { _ = try decode(text, by: decoder, as: type) } catch {
            if case DecodingError.dataCorrupted(let context) = error { return context.debugDescription }
            return "\(error)"
        }
        return "nothing"
    }

    // MARK: Entities

    @Test(arguments: [
        ("&#65;&#x42;", "AB"), ("&#x1FFFE;", "\u{1FFFE}"), ("caf&#xE9;", "café"), ("&#38;lt;", "&lt;"),
        ("&amp;&lt;&gt;&quot;&apos;", "&<>\"'"),
    ]) func `characters and the five entities of XML are expanded, in text and in attributes`(
        used: String, value: String
    ) throws {
        #expect(try decode("<f><city>\(used)</city></f>", as: [String: String].self) == ["city": value])
        #expect(try decode("<f city=\"\(used)\"/>", as: [String: String].self) == ["city": value])
    }

    @Test(arguments: [
        ("&nbsp;", "nbsp is not one of the five"), ("&e\u{301};", "is not one of the five"), ("a & b", "write &amp;"),
        ("a & b;", "write &amp;"), ("&;", "write &amp;"), ("&", "write &amp;"), ("&#;", "not a character"),
        ("&#0;", "not a character"), ("&#-65;", "not a character"), ("&#x;", "not a character"),
        ("&#xD800;", "not a character"), ("&#xFFFE;", "not a character"), ("&#xFFFF;", "not a character"),
    ]) func `another reference is an error, in text and in attributes`(used: String, words: String) {
        #expect(reason("<f><city>\(used)</city></f>").contains(words))
        #expect(reason("<f city='\(used)'/>").contains(words))
    }

    @Test(arguments: [
        "<!DOCTYPE f>", "<!DOCTYPE f SYSTEM 'file:///etc/passwd'>",
        "<!DOCTYPE f PUBLIC \"-//Example//DTD F 1.0//EN\"\n \"http://127.0.0.1/['>.dtd\" >",
    ]) func `a document type is skipped`(type: String) throws {
        #expect(try decode("\(type)<f><city>Bergen</city></f>", as: [String: String].self) == ["city": "Bergen"])
    }

    /// Entities that multiply, contain themselves or are files, and those that would do no harm.
    @Test(arguments: [
        "<!ENTITY a 'haha'><!ENTITY b '&a;&a;'><!ENTITY c '&b;&b;'>", "<!ENTITY c '&c;'>",
        "<!ENTITY c SYSTEM 'file:///etc/passwd'>", "<!ENTITY % p SYSTEM 'http://127.0.0.1/'> %p;", "<!ELEMENT f ANY>",
        "",
    ]) func `a document type with declarations is refused`(declared: String) {
        for type in ["f", "f SYSTEM 'f.dtd'"] {
            let reason = reason("<!DOCTYPE \(type) [\(declared)]><f><city>&c;</city></f>")
            #expect(reason.contains("the document type has declarations, which are not read"), "\(reason)")
        }
    }

    @Test(arguments: ["<!-->x-->", "<!--->x-->", "<!---->", "<!-- > -->"])
    func `a comment does not end in its beginning`(comment: String) throws {
        #expect(try decode("<f><c>a\(comment)b</c></f>", as: [String: String].self) == ["c": "ab"])
    }

    // MARK: Namespaces

    private struct Entry: Decodable, Equatable {
        let title: String
        let mediaTitle: String?

        enum CodingKeys: String, CodingKey { case title, mediaTitle = "media:title" }
    }

    @Test func `elements of two namespaces with one local name do not collide`() throws {
        let text = """
            <feed xmlns="urn:a" xmlns:media="urn:m" xmlns:dc="urn:d"><media:title>picture</media:title>
            <title>entry</title><dc:creator>Ada</dc:creator></feed>
            """
        #expect(try decode(text) == Entry(title: "entry", mediaTitle: "picture"))
        #expect(
            try decode(text, as: [String: String].self)
                == ["title": "entry", "media:title": "picture", "creator": "Ada"])
        let alone = "<feed xmlns:media='urn:m'><media:title>picture</media:title></feed>"
        #expect(try decode(alone) == Entry(title: "picture", mediaTitle: "picture"))
        let both = "<f xmlns:m='urn:m' xmlns:d='urn:d'><m:title>1</m:title><d:title>2</d:title></f>"
        let error = #expect(throws: DecodingError.self) { try decode(both, as: Entry.self) }
        #expect("\(error as Any)".contains("d:title, m:title"))
    }

    private struct Items: Decodable, Equatable { let i: [Int] }

    @Test func `two prefixes of one namespace are one name`() throws {
        #expect(
            try decode("<f xmlns:m='urn:m' xmlns:n='urn:m'><m:i>1</m:i><n:i>2</n:i></f>") == Items(i: [1, 2]))
    }

    @Test func `attributes with a prefix are told apart, and declarations are none`() throws {
        struct Link: Decodable, Equatable {
            let href: String
            let kind: String?

            enum CodingKeys: String, CodingKey { case href, kind = "xlink:type" }
        }
        let text = "<a xmlns:xlink='urn:x' xlink:href='1' xlink:type='2' type='3'/>"
        #expect(try decode(text) == Link(href: "1", kind: "2"))
        #expect(
            try decode(text, as: [String: String].self) == ["href": "1", "xlink:type": "2", "type": "3"])
        #expect(try decode("<a xmlns:href='urn:x' href='1'/>") == Link(href: "1", kind: nil))
    }

    @Test func `a decoder's own prefixes name namespaces, whatever the document calls them`() throws {
        let decoder = XMLBodyDecoder(namespaces: ["media": "urn:m", "a": "urn:a"])
        let text = "<feed xmlns='urn:a' xmlns:x='urn:m'><x:title>picture</x:title><title>entry</title></feed>"
        #expect(try decode(text, by: decoder) == Entry(title: "entry", mediaTitle: "picture"))
        let other = "<feed xmlns:media='urn:other'><media:title>x</media:title><title>entry</title></feed>"
        #expect(try decode(other, by: decoder) == Entry(title: "entry", mediaTitle: nil))
        let inner = "<f><e xmlns='urn:m'><title>1</title></e></f>"
        #expect(try decode(inner, by: decoder, as: [String: [String: String]].self)["e"] == ["title": "1"])
    }

    // MARK: Charsets

    private func response(_ body: Data, type: String) throws -> Response {
        Response(
            request: try Request(.get("https://h/")), status: .ok, headers: ["Content-Type": type], body: body)
    }

    @Test func `the charset of the Content-Type counts over the declaration, a byte order mark over both`() throws {
        let latin = Data("<?xml version='1.0' encoding='utf-8'?><f><c>caf".utf8) + [0xE9] + Data("</c></f>".utf8)
        let city = { (body: Data, type: String) throws in
            try response(body, type: type).decoded(as: [String: String].self, by: [XMLBodyDecoder()])["c"]
        }
        #expect(try city(latin, "text/xml; charset=iso-8859-1") == "café")
        #expect(throws: HTTPError.self) { try city(latin, "text/xml") }
        let utf8 = Data("<?xml version='1.0' encoding='iso-8859-1'?><f><c>café</c></f>".utf8)
        #expect(try city(utf8, "application/xml; charset=\"UTF-8\"") == "café")
        #expect(try city(utf8, "application/xml") == "cafÃ©")
        #expect(try city(Data([0xEF, 0xBB, 0xBF]) + utf8, "application/rss+xml; charset=latin1") == "café")
        let wide = Data(
            "<?xml version='1.0' encoding='utf-16'?><f><c>café</c></f>".utf16.flatMap {
                [UInt8($0 >> 8), UInt8($0 & 255)]
            })
        #expect(try city(wide, "application/xml") == "café")
        #expect(try city(Data([0xFE, 0xFF]) + wide, "application/xml; charset=utf-8") == "café")
        #expect(try city(utf8, "application/xml; charset=klingon") == "café", "an unknown label is tried as UTF-8")
    }

    @Test func `a service's only decoder gets the charset, too`() throws {
        struct Feed: RequestGenerator {
            let baseURL = "https://feed.example"
            let decoders: [any BodyDecoder] = [XMLBodyDecoder()]
        }
        let body = Data("<f><c>caf".utf8) + [0xE9] + Data("</c></f>".utf8)
        let stub = StubClient(strict: true).on(
            .get, "/x", answer: .data(body, contentType: "text/xml; charset=iso-8859-1"))
        let value = try stub.service(Feed()).call(.get("x") as Endpoint<Feed, [String: String]>)
        #expect(value == ["c": "café"])
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("<f>\n <c>1</d>\n</f>", "line 2, column 6", "</d> where </c> was expected"),
        ("<f a='1'\n a='2'/>", "line 2, column 2", "a of f is given twice"),
        ("<f><c>", "line 1, column 7", "c is not closed"), ("<f/><g/>", "line 1, column 5", "second element"),
        ("<f a=1/>", "line 1, column 6", "not in quotes"), ("<f a='<'/>", "line 1, column 7", "< in the value"),
        ("<é>\r\n<c>é&x;</c></é>", "line 2, column 5", "x is not one of"), ("", "line 1, column 1", "no element"),
        ("text", "line 1, column 1", "does not begin with <"), ("<f/>text", "line 1, column 5", "after the element"),
        ("<f><!-- a -- b --></f>", "line 1, column 11", "contains --"),
        ("<!DOCTYPE f\n[]><f/>", "line 2, column 1", "has declarations"),
        ("<f><!--></f>", "line 1", "comment has no end"),
        ("<f><![CDATA[x</f>", "line 1", "CDATA section has no end"),
        ("<f>a]]>b</f>", "line 1, column 5", "]]> in text"), ("<f>\u{1}</f>", "line 1, column 4", "U+0001"),
        ("<f a='1'b='2'/>", "line 1, column 9", "white space is missing"),
        ("<1/>", "line 1, column 2", "name of an element"),
        (" <?xml version='1.0'?><f/>", "line 1, column 2", "not at the beginning"),
        ("<f></f ><!-- -->", "nothing", "nothing"),
        ("<!DOCTYPE f>\n<!DOCTYPE g><f/>", "line 2, column 1", "second document type"),
        ("<!DOCTYPE f", "line 1", "document type has no end"),
        ("<!DOCTYPE f '><f/>", "line 1", "document type has no end"), ("</f>", "line 1, column 1", "closes no element"),
    ]) func `the error says line, column and reason`(text: String, place: String, words: String) {
        let reason = reason(text)
        #expect(reason.contains(place) && reason.contains(words), "\(reason)")
    }

    // MARK: Texts

    /// The names are the document's: a terminal must not act on them.
    @Test(arguments: [
        "<a><b\u{9B}2J></a>", "<a>&x\u{202E}y;</a>", "<a b\u{200B}=1/>", "<a></b\u{2028}c>",
    ])
    func `a document's control and bidirectional characters are not printed`(text: String) throws {
        let reason = reason(text)
        #expect(reason.contains("line 1, column"))
        #expect(reason.unicodeScalars.allSatisfy(ASCII.isPrintable))
    }

    @Test func `a value's control and bidirectional characters are not printed`() throws {
        let reason = reason("<a><b>1\u{202E}2</b></a>", as: [String: Int].self)
        #expect(reason == #""1\u{202E}2" is no Int"#)
    }

    // MARK: Cost

    /// The shortest of three runs.
    private func seconds(_ text: String) throws -> Duration {
        let times = try (0..<3).map { _ in
            try ContinuousClock().measure { _ = try decode(text, as: [String: String].self) }
        }
        return try #require(times.min())
    }

    /// The time grows with the length, not with its square. The factor leaves room for a busy machine.
    @Test func `the time for attributes, elements, prefixes, references and sections grows with their number`() throws {
        let shapes: [(Int) -> String] = [
            { count in "<f \((0..<count).map { "a\($0)='1'" }.joined(separator: " "))/>" },
            { count in "<f>\((0..<count).map { "<a\($0)>1</a\($0)>" }.joined())</f>" },
            { count in "<f \((0..<count).map { "xmlns:p\($0)='u\($0)' p\($0):a\($0)='1'" }.joined(separator: " "))/>" },
            { count in "<f a='\(String(repeating: "&lt;&#10;", count: count))'/>" },
            { count in "<f><a>\(String(repeating: "]]&gt;x<!-- - --><?p ?><![CDATA[]]]>", count: count))</a></f>" },
        ]
        for shape in shapes {
            let few = try seconds(shape(1000))
            let many = try seconds(shape(10_000))
            #expect(many < few * 40 + .milliseconds(250))
        }
    }

    // MARK: Dates

    @Test func `the spelling of dates can be chosen`() throws {
        struct Event: Decodable { let at: Date }
        let moment = Date(timeIntervalSince1970: 1_772_357_400)
        #expect(try decode("<e><at>2026-03-01T09:30:00Z</at></e>", as: Event.self).at == moment)
        for text in ["09:30:00.250Z", "09:30:00.2500000Z", "10:30:00.25+01:00", "08:30:00.25-0100"] {
            #expect(try decode("<e at='2026-03-01T\(text)'/>", as: Event.self).at == moment + 0.25)
        }
        for text in ["2026-02-30T09:30:00Z", "2026-03-01T09:30:00Zx", "2026-03-01"] {
            #expect(throws: DecodingError.self) { try decode("<e at='\(text)'/>", as: Event.self) }
        }
        let seconds = XMLBodyDecoder(dates: .secondsSince1970)
        #expect(try decode("<e><at> 1772357400.5 </at></e>", by: seconds, as: Event.self).at == moment + 0.5)
        let milliseconds = XMLBodyDecoder(dates: .millisecondsSince1970)
        #expect(try decode("<e at='1772357400250'/>", by: milliseconds, as: Event.self).at == moment + 0.25)
        let custom = XMLBodyDecoder(dates: .custom { $0 == "then" ? moment : nil })
        #expect(try decode("<e><at>\n then </at></e>", by: custom, as: Event.self).at == moment)
        #expect(throws: DecodingError.self) { try decode("<e><at>now</at></e>", by: custom, as: Event.self) }
    }

    @Test(arguments: ["nan", "-NaN", "inf", "INF", "1e400"])
    func `a date is a finite number of seconds`(text: String) {
        for dates in [XMLBodyDecoder.Dates.secondsSince1970, .millisecondsSince1970] {
            let decoder = XMLBodyDecoder(dates: dates)
            #expect(throws: DecodingError.self) {
                try decode("<e at='\(text)'/>", by: decoder, as: [String: Date].self)
            }
        }
    }
}
