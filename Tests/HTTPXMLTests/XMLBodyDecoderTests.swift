import Foundation
import HTTPCore
import HTTPTesting
import HTTPXML
import Testing

/// Decoding Decodable values from XML.
@Suite struct XMLBodyDecoderTests {
    private func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
        try XMLBodyDecoder().decode(type, from: Data(text.utf8))
    }

    private struct Forecast: Decodable, Equatable {
        let city: String
        let celsius: Double
        let days: [Day]
        let note: String?

        enum CodingKeys: String, CodingKey { case city, celsius, days = "day", note }

        struct Day: Decodable, Equatable {
            let wind: Int
            let name: String

            enum CodingKeys: String, CodingKey { case wind, name = "#text" }
        }
    }

    @Test func `data may be broken into lines, and is refused with any other character`() throws {
        #expect(try decode("<d>\n  aGVs\n  bG8=\n</d>", as: Data.self) == Data("hello".utf8))
        // The first is base64url: without the four characters, nine other bytes would be left.
        for text in ["abcd-_-_efghijkl", "aGVs!bG8=", "aGVs.bG8="] {
            #expect(throws: DecodingError.self) { try decode("<d>\(text)</d>", as: Data.self) }
        }
    }

    @Test func `the value of an element with a secret-looking name is not repeated in the error`() throws {
        struct Login: Decodable { let pin: Int }
        let stub = StubClient().on("**", answer: .data(Data("<l><pin>12a4</pin></l>".utf8), contentType: "text/xml"))
        let response = try stub.send(.get("http://h/"))
        let error = #expect(throws: HTTPError.self) { try response.decoded(as: Login.self, by: [XMLBodyDecoder()]) }
        let text = "\(String(describing: error))"
        #expect(text.contains("at pin cannot be read") && !text.contains("12a4"), "\(text)")
    }

    @Test func `integers of 128 bits are decoded wherever they stand`() throws {
        struct Wide: Decodable, Equatable {
            let one: Int128
            let more: [UInt128]
            let last: Int128?
        }
        let wide = try decode(
            "<w><one>-170141183460469231731687303715884105728</one><more>1</more><more>2</more></w>", as: Wide.self)
        #expect(wide == Wide(one: .min, more: [1, 2], last: nil))
        #expect(try decode("<n> 5 </n>", as: UInt128.self) == 5)
        #expect(throws: DecodingError.self) { try decode("<n>x</n>", as: Int128.self) }
    }

    @Test func `a declared encoding with wide units is not that of a declaration that could be read`() throws {
        for count in 1...2 {
            let text = String(repeating: "é", count: count)
            #expect(try decode("<?xml version=\"1.0\" encoding=\"utf-16\"?><f>\(text)</f>", as: String.self) == text)
        }
    }

    @Test func `only the nil of XML Schema marks a missing value`() throws {
        struct Price: Decodable { let price: Int? }
        let schema = "xmlns:i='http://www.w3.org/2001/XMLSchema-instance'"
        #expect(try decode("<p><price nil='1'>5</price></p>", as: Price.self).price == 5)
        #expect(try decode("<p><price \(schema) i:nil='1'>5</price></p>", as: Price.self).price == nil)
        #expect(try decode("<p><price a:nil='false' xsi:nil='true'>5</price></p>", as: Price.self).price == nil)
    }

    @Test func `elements, attributes, lists, text and missing values are decoded`() throws {
        let text = """
            <?xml version="1.0"?><!-- c --><w:forecast xmlns:w="urn:w" city="A &amp; B"><celsius> 7.5
            </celsius><w:day wind="3">Mon</w:day><w:day wind="4"><![CDATA[<Tue>]]></w:day><note/></w:forecast>
            """
        let forecast = try decode(text, as: Forecast.self)
        #expect(
            forecast
                == Forecast(
                    city: "A & B", celsius: 7.5, days: [.init(wind: 3, name: "Mon"), .init(wind: 4, name: "<Tue>")],
                    note: nil))
        let few = try decode("<f><city>x</city><celsius>-1</celsius><note> n </note></f>", as: Forecast.self)
        #expect(few.days.isEmpty && few.note == " n ")
        #expect(try decode("<a><i>1</i><j>2</j></a>") == [1, 2])
    }

    private struct Values: Decodable, Equatable {
        let flag: Bool
        let date: Date
        let data: Data
        let link: URL
        let price: Decimal
        let level: Level?

        enum Level: String, Decodable { case low, high }
    }

    @Test func `Booleans, dates, bytes, URLs and enum cases are decoded`() throws {
        let values = try decode(
            """
            <v flag=" 1 "><date>2026-03-01T09:30:00.5Z</date><data>aGk=</data><link>https://h/x</link>
            <price>0.10</price><level>high</level></v>
            """, as: Values.self)
        #expect(values.flag && values.date.timeIntervalSince1970 == 1_772_357_400.5 && values.data == Data("hi".utf8))
        #expect(
            values.link.absoluteString == "https://h/x" && values.price == Decimal(string: "0.1")
                && values.level == .high)
    }

    @Test(arguments: ["1,5", "12 EUR", "1.5.2", "0x10", "-", "nan", "-NaN", "-INF", "+infinity", ""])
    func `a decimal number is the whole text`(text: String) throws {
        #expect(try decode("<v><p> 1.50\n</p><q/></v>") == ["p": Decimal(string: "1.5"), "q": nil])
        #expect(throws: DecodingError.self) { try decode("<v a='1'><p>\(text)</p></v>", as: [String: Decimal].self) }
    }

    @Test(arguments: [
        ("<f><celsius>1</celsius></f>", "city", "missing"),
        ("<f city='x'><celsius>mild</celsius></f>", "celsius", "no Double"),
        ("<f city='x'><celsius>1</celsius><celsius>2</celsius></f>", "celsius", "there are 2 elements"),
        ("<f city='x'><celsius><c>1</c></celsius></f>", "celsius", "it contains elements"),
        ("<f city='x' celsius='1'><day>Mon</day></f>", "day[0].wind", "missing"),
        ("<f city='x'><celsius>1</f>", "", "broken XML in line 1"), ("no XML", "", "broken XML"),
    ])
    func `a value that cannot be decoded is an error with its place`(text: String, path: String, words: String) throws {
        let request = try Request(.get("https://h/"))
        let response = Response(
            request: request, status: .ok, headers: ["Content-Type": "text/xml"], body: Data(text.utf8))
        let error = #expect(throws: HTTPError.self) {
            try response.decoded(as: Forecast.self, by: [XMLBodyDecoder()])
        }
        guard case .decoding(let failure)? = error else { return #expect(Bool(false)) }
        #expect(failure.path == path && failure.reason.contains(words), "\(failure.path): \(failure.reason)")
    }

    @Test func `nested elements have a limit`() {
        let text = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
        #expect(throws: DecodingError.self) { try decode(text, as: [String].self) }
    }

    @Test func `a weather service takes a few lines`() throws {
        struct Weather: RequestGenerator {
            let baseURL = "https://weather.example"
            let decoders: [any BodyDecoder] = [XMLBodyDecoder(), JSONBodyDecoder()]
        }
        struct City: Decodable, Sendable { let celsius: Double }
        let stub = StubClient(strict: true)
            .on(
                .get, "/bergen",
                answer: .data(Data("<f><celsius>7.5</celsius></f>".utf8), contentType: "application/weather+xml")
            )
            .on(.get, "/lima", answer: .json(text: #"{"celsius": 19}"#))
        let weather = stub.service(Weather())
        #expect(try weather.call(.get("bergen") as Endpoint<Weather, City>).celsius == 7.5)
        #expect(try weather.call(.get("lima") as Endpoint<Weather, City>).celsius == 19)
    }
}
