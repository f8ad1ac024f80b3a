import HTTPTransfers
import HTTPCore
import HTTPFoundation
import HTTPTesting
import Synchronization
import Testing

/// Dates in what names no coding of its own: the same everywhere, read and written.
@Suite struct StandardDateTests {
    private struct Event: Codable, Sendable, Equatable { var at: Date }

    private struct Plain: RequestGenerator { let baseURL = "https://h" }

    private static let moment = Date(timeIntervalSince1970: 1_772_357_400.25)
    private let event = Event(at: moment)
    private let text = #"{"at":"2026-03-01T09:30:00.250Z"}"#
    private let url = "https://h/e"

    @Test func `every call without a decoder reads dates of ISO 8601`() throws {
        let stub = StubClient().on("**", answer: .json(text: text))
        #expect(try stub.send(.get(url)).decoded(as: Event.self) == event)
        #expect(try stub.executeRequest(.get(url)).decoded(as: Event.self).get() == event)
        #expect(try stub.service(Plain()).call(.get("e") as Endpoint<Plain, Event>) == event)
        #expect(try stub.send(.get(url)).decoded(as: Event.self, by: [JSONBodyDecoder()]) == event)
        #expect(try stub.pages(of: .get(url), as: Event.self).blocking.map { try $0.get() } == [event])
        let read = Mutex<[Event]>([])
        try stub.stream(.get(url), as: .jsonLines(of: Event.self)) { event in read.withLock { $0.append(event) } }
        #expect(read.withLock { $0 } == [event])
    }

    @Test func `every step without an encoder writes dates of ISO 8601 with their fraction`() throws {
        let stub = StubClient().on("**", answer: .ok)
        for step in [
            RequestStep.json(event), .json(["at": Self.moment]), .json(["at": Self.moment, "n": nil]),
            .parameter("at", Self.moment), .parameters(event),
        ] {
            _ = try stub.send(.post(url) |> step)
            let endpoint = Endpoint<Plain, Void>.post("e") |> step
            try stub.service(Plain()).call(endpoint)
        }
        #expect(stub.requests.count == 10)
        for request in stub.requests {
            #expect(try request.decoded(as: Event.self) == event)
            #expect(request.text.contains(#""at":"2026-03-01T09:30:00.250Z""#))
        }
        let spelled = "at=2026-03-01T09%3A30%3A00.250Z"
        for draft in [
            MutableRequest.get(url) |> .query("at", Self.moment), .get(url) |> .query(event),
            .get(url) |> .parameter("at", Self.moment), .get(url) |> .parameters(event),
        ] { #expect(try Request(draft).url.query == spelled[...]) }
        #expect(try Request(.post(url) |> .form(event)).body == .form([QueryItem("at", "2026-03-01T09:30:00.250Z")]))
    }

    @Test func `stubs and matchers write them, too`() throws {
        let stub = StubClient(strict: true)
            .on("**", .json(event), answer: .json(event))
            .on("**", .json(containing: event), answer: .json(["at": Self.moment, "n": 1]))
        #expect(try stub.send(.post(url) |> .json(["at": "2026-03-01T09:30:00.250Z"])).text() == text)
        let other = try stub.send(.post(url) |> .json(["at": "2026-03-01T09:30:00.250Z", "n": 1])).json()
        #expect(other == ["at": "2026-03-01T09:30:00.250Z", "n": 1])
    }

    @Test func `a change of the standard coders reaches nobody else`() throws {
        JSONCoding.standard.decoder.dateDecodingStrategy = .secondsSince1970
        JSONCoding.standard.encoder.dateEncodingStrategy = .secondsSince1970
        #expect(try JSONCoding.standard.decoder.decode(Event.self, from: Data(text.utf8)) == event)
        #expect(try String(decoding: JSONCoding.standard.encoder.encode(event), as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("2026-03-01T09:30:00Z", 0), ("2026-03-01T09:30:00.25Z", 0.25), ("2026-03-01T09:30:00.250000000Z", 0.25),
        ("2026-03-01T09:30:00,5Z", 0.5), ("2026-03-01t09:30:00z", 0), ("2026-03-01 09:30:00Z", 0),
        ("2026-03-01T10:30:00+01:00", 0), ("2026-03-01T10:30:00.5+0100", 0.5), ("2026-03-01T08:30:00-01", 0),
        ("2026-03-01T15:00:00+05:30", 0), ("2026-02-28T23:30:00-10:00", 0), ("2026-03-01T09:29:60Z", 0),
    ])
    func `a moment is read in each spelling`(text: String, fraction: Double) throws {
        let read = try JSONCoding.standard.decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))
        #expect(read == [Date(timeIntervalSince1970: 1_772_357_400 + fraction)])
    }

    @Test(arguments: [
        "", "yesterday", "2026-03-01", "2026-03-01T09:30Z", "2026-03-01T09:30:00", "2026-02-30T09:30:00Z",
        "2026-13-01T09:30:00Z", "2026-03-01T24:30:00Z", "2026-03-01T09:60:00Z", "2026-03-01T09:30:61Z",
        "2026-03-01T09:30:00.Z", "2026-03-01T09:30:00Zx", "2026-03-01T09:30:00+24:00", "2026-03-01T09:30:00+01:",
        "2026-03-01T09:30:00+01:0", "-026-03-01T09:30:00Z", "+2026-03-01T09:30:00Z", "２026-03-01T09:30:00Z",
        "1772357400",
        " 2026-03-01T09:30:00Z", "2026-3-1T09:30:00Z",
    ])
    func `what is no moment is refused with the text, and not repaired`(text: String) throws {
        let stub = StubClient().on("**", answer: .json([text]))
        let error = #expect(throws: HTTPError.self) { try stub.send(.get(url)).decoded(as: [Date].self) }
        #expect("\(error as Any)".contains("2026-03-01T09:30:00Z"))
    }

    @Test(arguments: [
        (-62_167_219_200.0, "0000-01-01T00:00:00Z"), (-12_219_292_800, "1582-10-15T00:00:00Z"),
        (-12_219_379_200, "1582-10-14T00:00:00Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ])
    func `what is written is read, in years of four digits`(seconds: Double, text: String) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let written = try JSONCoding.standard.encoder.encode([date])
        #expect(String(decoding: written, as: UTF8.self) == "[\"\(text)\"]")
        #expect(try JSONCoding.standard.decoder.decode([Date].self, from: written) == [date])
    }

    @Test(arguments: [-62_167_219_201.0, 253_402_300_800, .nan, .infinity])
    func `a date without such a year fails the request by its place`(seconds: Double) throws {
        let stub = StubClient().on("**", answer: .ok)
        let step = RequestStep.json(["a": [Date(timeIntervalSince1970: seconds)]])
        let error = #expect(throws: HTTPError.self) { try stub.send(.post(url) |> step) }
        #expect("\(error as Any)".contains("a date before year 0 or after year 9999 at a[0]"), "\(error as Any)")
        #expect(stub.requests.isEmpty)
    }
}
