import Foundation
import Testing

import HTTPCore
import HTTPMessage

/// What `JSONCoding(keys: .snakeCase)` writes, it reads.
@Suite struct SnakeCaseTests {
    private let coding = JSONCoding(keys: .snakeCase)

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A value with one property, of any name. `names` is only used when encoding.
    private struct Named: Codable {
        // swift-format-ignore: NeverForceUnwrap
        static let nameKey = CodingUserInfoKey(rawValue: "name")!
        let value: Int

        init(_ value: Int) { self.value = value }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(value, forKey: AnyKey(stringValue: encoder.userInfo[Self.nameKey] as? String ?? ""))
        }

        init(from decoder: any Decoder) throws {
            let name = AnyKey(stringValue: decoder.userInfo[Self.nameKey] as? String ?? "")
            value = try decoder.container(keyedBy: AnyKey.self).decode(Int.self, forKey: name)
        }
    }

    @Test(arguments: [
        "userID", "userId", "id", "ID", "url", "URL", "baseURL", "URLString", "myURLIsHere", "aURLForAnHTTPCall",
        "userIDs",
        "a", "A", "aB", "AB", "aBC", "ABc", "x1", "id2", "md5Hash", "v2API", "API2", "HTTP2Server", "is4K", "sha256",
        "u2f",
        "_private", "__twoWords", "trailing_", "_aB_", "_", "___", "some_thing", "fooBar_baz", "user_id", "a__b", "iOS",
        "eTag", "größeÄnderung", "straßeÜber", "ÄÖ", "日本語", "日本ID", "éÉé", "aΩ", "Ωa", "naïveID", "x😀Y", "",
    ]) func `a property is read by the key that is written for it`(name: String) throws {
        coding.encoder.userInfo[Named.nameKey] = name
        coding.decoder.userInfo[Named.nameKey] = name
        let written = try coding.encoder.encode(Named(7))
        let keys = try JSONDecoder().decode([String: Int].self, from: written).keys
        #expect(keys.count == 1)
        #expect(try coding.decoder.decode(Named.self, from: written).value == 7)
        #expect(
            try coding.decoder.decode([Named].self, from: Data("[".utf8) + written + Data("]".utf8)).map(\.value) == [7]
        )
        // What Foundation's own strategy reads is read, too.
        let foundations = JSONDecoder()
        foundations.userInfo[Named.nameKey] = name
        foundations.keyDecodingStrategy = .convertFromSnakeCase
        if let value = try? foundations.decode(Named.self, from: written).value { #expect(value == 7) }
    }

    @Test(arguments: [
        ("address2", "address_2"), ("userId", "user_id"), ("userId", "userId"), ("userID", "userID"), ("_aB", "_a_b"),
        ("threeWordsLong", "three_words_long"), ("threeWordsLong", "THREE_WORDS_LONG"), ("aB", "a__b"),
    ]) func `other spellings that Foundation reads are read as before`(name: String, key: String) throws {
        coding.decoder.userInfo[Named.nameKey] = name
        #expect(try coding.decoder.decode(Named.self, from: Data("{\"\(key)\":7}".utf8)).value == 7)
    }

    private struct Account: Codable, Equatable {
        var userID: Int
        var homeURL: URL?
        var createdAt: Date
        var rawData: Data
        var openBalance: Decimal
        var oauthIDs: [String: Nested]
        var lastIPs: [[Nested]]
        var isOK: Bool?

        struct Nested: Codable, Equatable {
            var nestedID: Int8
            var aKind: Kind?
        }

        enum Kind: String, Codable { case firstKind }
    }

    @Test func `nested values, lists, dates and dictionaries are read, and the keys of dictionaries stay`() throws {
        let nested = Account.Nested(nestedID: 3, aKind: .firstKind)
        let account = Account(
            userID: 1, homeURL: URL(string: "https://h/"), createdAt: Date(timeIntervalSince1970: 1_772_357_400.25),
            rawData: Data("hi".utf8), openBalance: 12, oauthIDs: ["some_key": nested, "otherKey": nested],
            lastIPs: [[nested], []], isOK: nil)
        let data = try coding.encoder.encode(account)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("\"user_id\":1") && text.contains("some_key") && text.contains("nested_id"))
        #expect(try coding.decoder.decode(Account.self, from: data) == account)
        let error = #expect(throws: DecodingError.self) {
            try coding.decoder.decode([Account.Nested].self, from: Data(#"[{"nested_id": "x"}]"#.utf8))
        }
        guard case .typeMismatch(_, let context)? = error else { return #expect(Bool(false)) }
        #expect(context.codingPath.path == "[0].nested_id" || context.codingPath.path == "[0].nestedID")
    }

    @Test func `an integer of 128 bits is read wherever it stands`() throws {
        struct Wide: Codable, Equatable {
            struct Pair: Codable, Equatable {
                let (first, second): (Int128, UInt128)

                init(_ first: Int128, _ second: UInt128) { (self.first, self.second) = (first, second) }

                init(from decoder: any Decoder) throws {
                    var list = try decoder.unkeyedContainer()
                    (first, second) = (try list.decode(Int128.self), try list.decode(UInt128.self))
                }

                func encode(to encoder: any Encoder) throws {
                    var list = encoder.unkeyedContainer()
                    try list.encode(first)
                    try list.encode(second)
                }
            }
            var totalCount = Int128.min
            var noCount: UInt128?
            var allCounts = [0, UInt128.max]
            var lastPair = Pair(-1, 1)
        }
        #expect(try coding.decoder.decode(Wide.self, from: try coding.encoder.encode(Wide())) == Wide())
    }

    @Test func `a service reads the keys that it writes`() throws {
        struct Shop: RequestGenerator {
            let baseURL = "https://shop.example"
            let json = JSONCoding(keys: .snakeCase)
        }
        struct Order: Codable, Equatable { let orderID: Int }
        let response = Sample.response(type: "application/json", #"{"order_id": 7}"#)
        #expect(try Shop().decoded(response, as: Order.self) == Order(orderID: 7))
    }

    // MARK: Nothing, and dates

    @Test(arguments: ["", " ", "\n", "\r\n\t  \n"]) func `white space alone is an empty body`(body: String) throws {
        struct Shop: RequestGenerator { let baseURL = "https://shop.example" }
        let response = Sample.response(type: "application/json", body)
        let none: [Int]? = try Shop().decoded(response, as: [Int]?.self)
        #expect(none == nil)
        let error = #expect(throws: HTTPError.self) { try Shop().decoded(response, as: [Int].self) }
        #expect("\(error as Any)".contains("the body is empty"))
        let plain = #expect(throws: HTTPError.self) { try response.decoded(as: [Int].self) }
        #expect("\(plain as Any)".contains("the body is empty"))
    }

    @Test(arguments: [
        (0.0, "2026-03-01T09:30:00Z"), (0.25, "2026-03-01T09:30:00.250Z"), (0.001, "2026-03-01T09:30:00.001Z"),
        (0.123_456, "2026-03-01T09:30:00.123456Z"), (0.999, "2026-03-01T09:30:00.999Z"),
        (0.999_999_9, "2026-03-01T09:30:01Z"), (-0.5, "2026-03-01T09:29:59.500Z"),
    ]) func `dates keep their fraction of a second`(fraction: Double, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: 794_050_200 + fraction)
        let written = try JSONCoding().encoder.encode([date])
        #expect(String(decoding: written, as: UTF8.self) == "[\"\(text)\"]")
        let read = try #require(try JSONCoding().decoder.decode([Date].self, from: written).first)
        #expect(abs(read.timeIntervalSince(date)) < 0.000_001)
    }

    @Test(arguments: [
        "2026-03-01T09:30:00.123456789Z", "2026-03-01T10:30:00.123456789+01:00", "2026-03-01T09:30:00.1234567Z",
    ])
    func `any number of digits is read, in any zone`(text: String) throws {
        let read = try #require(try JSONCoding().decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8)).first)
        #expect(abs(read.timeIntervalSinceReferenceDate - 794_050_200.123_456_7) < 0.000_001)
    }
}
