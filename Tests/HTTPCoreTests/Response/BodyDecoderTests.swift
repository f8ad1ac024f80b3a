import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

struct City: Codable, Equatable { var name = "Bern" }

/// A decoder of the app, for its own format.
struct LineDecoder: BodyDecoder {
    struct Empty: Error, CustomStringConvertible { let description = "there is no line" }

    func accepts(_ mediaType: MediaType) -> Bool { mediaType.essence == "text/plain" }

    func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        guard !body.isEmpty, let city = City(name: String(decoding: body, as: UTF8.self)) as? Value else {
            throw Empty()
        }
        return city
    }
}

/// Bodies decoded by their Content-Type.
@Suite struct BodyDecoderTests {
    let decoders: [any BodyDecoder] = [JSONBodyDecoder(), PropertyListBodyDecoder(), LineDecoder()]

    private func response(_ body: Data, _ contentType: String?) -> Response {
        Sample.response(type: contentType, body)
    }

    private func propertyList(_ format: PropertyListFormat) throws -> Data {
        guard
            case .data(let data) = try Request(.post("https://h/") |> .propertyList(City(), format: format)).body
                .content
        else { return Data() }
        return data
    }

    private struct Tree: Decodable { let a: [Tree]? }

    private func refusal(of list: some Sequence<UInt8>) -> String {
        do {
            _ = try response(Data(list), "application/x-plist").decoded(as: Tree.self, by: decoders)
            return ""
        } catch { return "\(error)" }
    }

    @Test func `a property list that Foundation's decoder does not survive is an error`() throws {
        let levels = String(repeating: "<dict><key>a</key><array>", count: 50_000)
        for text in [
            "<plist>" + levels, "\u{FEFF} <plist>" + levels, String(repeating: "<plist><!--</plist>-->", count: 600),
        ] {
            #expect(refusal(of: text.utf8).contains("nested more than 512 levels deep"))
        }
        let wide = try #require(("<plist>" + levels).data(using: .utf16))
        #expect(refusal(of: wide).contains("nested more than 512 levels deep"))
        let octets =
            Array("<plist><dict><key>a</key><integer>".utf8) + [0xFF] + Array("12</integer></dict></plist>".utf8)
        #expect(refusal(of: octets).contains("not valid in the charset utf-8"))

        // An array of itself, and arrays in arrays.
        let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1]
        let itself = Array("bplist00".utf8) + [0xA1, 0, 8] + trailer + Self.numbers(1, 0, 10)
        #expect(refusal(of: itself).contains("it contains itself"))
        let nested = Self.nested(in: 600)
        #expect(refusal(of: nested).contains("nested more than 512 levels deep"))
        #expect(refusal(of: Self.nested(in: 500)).contains("expected an object but found an array"))
    }

    @Test func `objects of a property list that overlap are refused at once, also with references to nothing`() {
        // An array of 200 objects that are one array, of 2,000 objects that do not exist.
        let (others, elements) = (200, 2_000)
        var list = Array("bplist00".utf8) + [0xAF, 0x11, 0, UInt8(others)] + (1...others).flatMap { [0, UInt8($0)] }
        let shared = list.count
        list += [0xAF, 0x11, UInt8(elements >> 8), UInt8(elements & 255)]
        list += [UInt8](repeating: 0xFF, count: 2 * elements)
        let table = list.count
        for place in [8] + [Int](repeating: shared, count: others) { list += [UInt8(place >> 8), UInt8(place & 255)] }
        list += [0, 0, 0, 0, 0, 0, 2, 2] + Self.numbers(others + 1, 0, table)
        #expect(refusal(of: list).contains("its objects overlap"))
    }

    /// A binary list of `rows` references to an array of `columns` references to `object`.
    private static func shared(_ rows: Int, _ columns: Int, _ object: [UInt8]) -> [UInt8] {
        var list = Array("bplist00".utf8)
        var places: [Int] = []
        for (object, count) in [(1, rows), (2, columns)] {
            places.append(list.count)
            list +=
                [0xAF, 0x11, UInt8(count >> 8), UInt8(count & 255)] + [UInt8](repeating: UInt8(object), count: count)
        }
        let table = list.count + object.count
        places.append(list.count)
        list += object + places.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        return list + [0, 0, 0, 0, 0, 0, 2, 1] + numbers(3, 0, table)
    }

    @Test func `levels are counted through a shared object, whatever is read first`() {
        // Arrays within arrays as in `nested`, one of whose lowest is the highest of 299 others.
        for isFirst in [true, false] {
            let rows = isFirst ? [1, 301] : [301, 1]
            var list = Array("bplist00".utf8) + [0xA2] + rows.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            var places = [8]
            for index in 1...600 {
                places.append(list.count)
                list += index < 600 ? [0xA1, UInt8((index + 1) >> 8), UInt8((index + 1) & 255)] : [0xA0]
            }
            let table = list.count
            list += places.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
            list += [0, 0, 0, 0, 0, 0, 2, 2] + Self.numbers(601, 0, table)
            #expect(refusal(of: list).contains("nested more than 512 levels deep"))
        }
    }

    @Test func `a property list that shares an object a million times is refused, and one that does often is read`()
        throws
    {
        let text = [0x5F, 0x11, 0x27, 0x10] + [UInt8](repeating: 0x61, count: 10_000)
        let wide = [0x6F, 0x11, 0x13, 0x88] + [UInt8](repeating: 0x61, count: 10_000)
        let data = [0x4F, 0x11, 0x27, 0x10] + [UInt8](repeating: 0x61, count: 10_000)
        for list in [
            Self.shared(1_000, 1_000, [0x10, 7]), Self.shared(100, 100, text), Self.shared(100, 100, wide),
            Self.shared(100, 100, data), Self.shared(20_000, 20_000, [0x10, 7]),
        ] {
            #expect(refusal(of: list).contains("its references expand to more than 1000000 values"))
        }
        let list = Self.shared(100, 50, [0x10, 7])
        let rows = try response(Data(list), "application/x-plist").decoded(as: [[Int]].self, by: decoders)
        #expect(rows == [[Int]](repeating: [Int](repeating: 7, count: 50), count: 100))
        #expect(refusal(of: Self.shared(20, 50, text)).contains("expected an object but found an array"))
    }

    /// A binary list of `count` arrays, each in the one before.
    private static func nested(in count: Int) -> [UInt8] {
        var list = Array("bplist00".utf8)
        for index in 1...count {
            list += index < count ? [0xA1, UInt8(index >> 8), UInt8(index & 255)] : [0xA0]
        }
        let table = list.count
        for place in stride(from: 8, to: table, by: 3) { list += [UInt8(place >> 8), UInt8(place & 255)] }
        return list + [0, 0, 0, 0, 0, 0, 2, 2] + numbers(count, 0, table)
    }

    private static func numbers(_ numbers: Int...) -> [UInt8] {
        numbers.flatMap { number in (0..<8).map { UInt8(number >> (56 - 8 * $0) & 255) } }
    }

    @Test(arguments: [
        StubAnswer.status(.noContent), .data([] as [UInt8], contentType: nil), .json(text: " \n"), .json(text: "null"),
        .json(text: #"{"name":"Bern"}"#),
    ])
    func `a missing body is nil if an optional is asked for, and an error otherwise`(answer: StubAnswer) throws {
        let stub = StubClient(strict: true).on(.get, "/city", answer: answer)
        let url = "https://h.example/city"
        let whole = try stub.get(url)
        let city = whole.body.count > 10 ? City() : nil
        #expect(try stub.execute(.get(url), as: City?.self) == city)
        #expect(try whole.decoded(as: City?.self, by: decoders) == city)
        if city == nil {
            let error = #expect(throws: HTTPError.self) { try stub.execute(.get(url), as: City.self) }
            guard case .decoding? = error else { return #expect(Bool(false)) }
        }
        #expect(stub.requests.map(\.url.path) == Array(repeating: "/city", count: city == nil ? 3 : 2))
    }

    @Test(arguments: ["application/json", "TEXT/JSON; charset=utf-8", "application/problem+json"])
    func `JSON`(contentType: String) throws {
        let response = response(Data(#"{"name":"Bern"}"#.utf8), contentType)
        #expect(try response.decoded(by: decoders) == City())
    }

    @Test(arguments: [
        "application/x-plist", "application/plist", "application/x-bplist", "application/x-apple-binary-plist",
        "text/x-plist", "text/x-apple-plist+xml; charset=utf-8",
    ])
    func `property lists in either form`(contentType: String) throws {
        for format in [PropertyListFormat.xml, .binary] {
            #expect(try response(propertyList(format), contentType).decoded(as: City.self, by: decoders) == City())
        }
    }

    @Test(arguments: ["text/html", nil]) func `a single decoder reads a body of any type`(contentType: String?) throws {
        let response = response(Data(#"{"name":"Bern"}"#.utf8), contentType)
        #expect(try response.decoded(by: [JSONBodyDecoder()]) == City())
    }

    @Test(
        arguments: [
            ("text/html", "{}", "text/html, for which no decoder"), (nil, "{}", "no Content-Type"),
            ("nonsense", "{}", "no Content-Type"), ("application/json", "{}", "the key \"name\" is missing"),
            ("text/plain", "", "there is no line"),
        ] as [(String?, String, String)])
    func `a body that cannot be decoded is an error with the response and the reason`(
        contentType: String?, body: String, named: String
    ) throws {
        let response = response(Data(body.utf8), contentType)
        let error = try #require(throws: HTTPError.self) { _ = try response.decoded(as: City.self, by: decoders) }
        guard case .decoding(let failure) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.reason.contains(named), "\(failure.reason)")
        #expect(failure.expectedType == "City" && failure.response.body == response.body)
    }

    @Test func `the first decoder that accepts the type decodes`() throws {
        struct Greedy: BodyDecoder {
            func accepts(_ mediaType: MediaType) -> Bool { true }
            func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
                try JSONDecoder().decode(type, from: Data(#"{"name":"greedy"}"#.utf8))
            }
        }
        let response = response(Data(#"{"name":"Bern"}"#.utf8), "application/json")
        #expect(try response.decoded(as: City.self, by: [JSONBodyDecoder(), Greedy()]).name == "Bern")
        #expect(try response.decoded(as: City.self, by: [Greedy(), JSONBodyDecoder()]).name == "greedy")
    }
}
