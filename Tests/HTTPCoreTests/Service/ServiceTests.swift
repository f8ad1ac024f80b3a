import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPCore
import HTTPTesting
import Testing

private struct Videos: EnumeratedGenerator {
    typealias Calls = VideoEndpoint

    var baseURL = "https://videos.example/v1"
    var tokens = BearerTokens("t-1")
    let json = JSONCoding(keys: .snakeCase)
    var defaults: RequestStep { .accept("application/json") }
    var interceptors: [Interceptor] { [.bearer(tokens)] }
}

private struct Category: Codable, Equatable { let videoCount: Int }

/// Not Sendable, like many models.
private final class Draft: Encodable { let videoCount = 3 }

extension Endpoint where Generator == Videos {
    fileprivate static var categories: Endpoint<Videos, [Category]> { .get("categories") }
    fileprivate static var latest: Endpoint<Videos, Category?> { .get("categories/latest") }
    fileprivate static func search(_ text: String, page: Int = 1) -> Self where Value == [Category] {
        .get("categories/search") |> .query("q", text) |> .query("page", page)
    }
    fileprivate static func delete(_ id: Int) -> Self where Value == Void { .delete("categories/\(id)") }
    /// The type of a case, said once.
    fileprivate static func add(_ category: Category) -> Self where Value == Category {
        VideoEndpoint.adding(category).returning(Category.self)
    }
}

private enum VideoEndpoint: ServiceEndpoint {
    case all, adding(Category), removing(Int)

    func request(from videos: Videos) -> MutableRequest {
        switch self {
        case .all: videos.get("categories")
        case .adding(let category): videos.post("categories") |> .json(category)
        case .removing(let id): videos.delete("categories/\(id)")
        }
    }
}

/// A client bound to a generator, and its calls.
@Suite struct ServiceTests {
    private static func stub(_ answer: StubAnswer) -> StubClient { StubClient(strict: true).on("**", answer: answer) }

    /// One element a line.
    private struct LinesDecoder: BodyDecoder {
        func accepts(_ mediaType: MediaType) -> Bool { mediaType.essence == "text/lines" }

        func decode<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
            let lines = body.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            return try JSONDecoder().decode(type, from: JSONEncoder().encode(lines))
        }
    }

    @Test func `an empty body of a type that a decoder knows is the decoder's to read`() throws {
        struct Logs: RequestGenerator {
            let baseURL = "https://logs.example"
            let decoders: [any BodyDecoder]
        }
        for others in [[], [JSONBodyDecoder()]] as [[any BodyDecoder]] {
            for (text, lines) in [("", []), ("\n", []), ("a\nb", ["a", "b"])] {
                let stub = Self.stub(StubAnswer.text(text).header("Content-Type", "text/lines"))
                let service = stub.service(Logs(decoders: [LinesDecoder()] + others))
                #expect(try service.call(.get("x"), as: [String].self) == lines)
            }
        }
        let service = Self.stub(.status(.ok)).service(Logs(decoders: [LinesDecoder()]))
        let error = #expect(throws: HTTPError.self) { try service.call(.get("x"), as: [String].self) }
        #expect("\(try #require(error))".contains("the body is empty"))
    }

    @Test func `decoding is in the history of the call`() throws {
        let many = "[" + Array(repeating: #"{"video_count": 2}"#, count: 1000).joined(separator: ",") + "]"
        let (value, response) = try Self.stub(.json(text: many)).service(Videos()).callWithResponse(.categories)
        #expect(value.count == 1000 && response.history.decoding > .zero)
    }

    @Test func `an endpoint knows its response type, its path and its steps`() throws {
        let stub = Self.stub(.json(text: #"[{"video_count": 2}]"#))
        let videos = stub.service(Videos())
        #expect(try videos.call(.categories) == [Category(videoCount: 2)])
        #expect(try videos.call(.search("a&b", page: 2)).count == 1)
        #expect(
            stub.requests.map(\.url.string) == [
                "https://videos.example/v1/categories", "https://videos.example/v1/categories/search?q=a%26b&page=2",
            ])
        for request in stub.requests {
            #expect(request.headers["Authorization"] == "Bearer t-1")
            #expect(request.headers["Accept"] == "application/json")
        }
    }

    @Test func `an endpoint's path may depend on the generator`() throws {
        struct Bucket: RequestGenerator {
            let baseURL = "https://s3.example/v1"
            let name: String
        }
        let stub = Self.stub(.json(text: "[1, 2]"))
        let service = stub.service(Bucket(name: "a b"))
        let list = Endpoint<Bucket, [Int]> { bucket in bucket.get("\(bucket.name)/list") |> .query("n", 2) }
        let remove = Endpoint<Bucket, Void> { $0.delete("\($0.name)/x") }
        #expect(try service.call(list |> .header("A", "1")) == [1, 2])
        try service.call(remove)
        #expect(
            stub.requests.map { "\($0.method) \($0.url.string)" } == [
                "GET https://s3.example/v1/a%20b/list?n=2", "DELETE https://s3.example/v1/a%20b/x",
            ])
        #expect(stub.requests.map { $0.headers["A"] } == ["1", nil])
    }

    @Test func `an unnamed call is made in place`() throws {
        let videos = Self.stub(.json(text: #"[{"video_count": 2}]"#)).service(Videos())
        let all: [Category] = try videos.call(.get("categories"))
        #expect(all == [Category(videoCount: 2)])
        #expect(try videos.call(Endpoint<Videos, [Category]>.categories.map(\.count)) == 1)
    }

    @Test func `the cases of an enum are calls as well`() throws {
        let stub = Self.stub(.json(text: #"{"video_count": 7}"#))
        let videos = stub.service(Videos())
        #expect(try videos.call(.adding(Category(videoCount: 7)), as: Category.self).videoCount == 7)
        try videos.call(.removing(7))
        #expect(stub.requests.map(\.text) == [#"{"video_count":7}"#, ""])
        #expect(stub.requests.map(\.method) == [.post, .delete])
    }

    @Test func `a case takes steps where it is called`() throws {
        let stub = Self.stub(.json(text: #"{"video_count": 7}"#))
        let videos = stub.service(Videos())
        let one = try videos.call(.all |> .header("X-A", "1") |> .query("page", 2), as: Category.self)
        let other: Category = try videos.call(.all |> .removingHeader("Accept"))
        try videos.call(.removing(7) |> .query("force", true))
        #expect([one, other] == [Category(videoCount: 7), Category(videoCount: 7)])
        let base = "https://videos.example/v1/categories"
        #expect(stub.requests.map(\.url.string) == ["\(base)?page=2", base, "\(base)/7?force=true"])
        #expect(stub.requests.map { $0.headers["X-A"] } == ["1", nil, nil])
        #expect(stub.requests.map { $0.headers["Accept"] } == ["application/json", nil, "application/json"])
    }

    @Test func `a case says the type of its answer once, and is read as any endpoint`() throws {
        let stub = Self.stub(.json(text: #"{"video_count": 7}"#))
        let videos = stub.service(Videos())
        #expect(try videos.call(.add(Category(videoCount: 7))).videoCount == 7)
        #expect(try videos.call(VideoEndpoint.all.returning(Category.self) |> .query("a", 1)).videoCount == 7)
        try videos.call(VideoEndpoint.all.returning(Void.self))
        let pages = videos.pages(of: .all, as: Category.self)
        #expect(try pages.blocking.map { try $0.get() } == [Category(videoCount: 7)])
        #expect(stub.requests.map { $0.headers["Authorization"] } == Array(repeating: "Bearer t-1", count: 4))
        #expect(stub.requests.map(\.method) == [.post, .get, .get, .get])
    }

    @Test func `a service of several enums takes their cases with a type`() throws {
        struct Shop: RequestGenerator { let baseURL = "https://shop.example" }
        enum Orders: ServiceEndpoint {
            case count
            func request(from shop: Shop) -> MutableRequest { shop.get("orders/count") }
        }
        enum Carts: ServiceEndpoint {
            case clear
            func request(from shop: Shop) -> MutableRequest { shop.delete("cart") }
        }
        let stub = Self.stub(.json(text: "3"))
        let shop = stub.service(Shop())
        #expect(try shop.call(Orders.count.returning(Int.self)) == 3)
        try shop.call(Carts.clear.returning(Void.self))
        #expect(stub.requests.map(\.url.string) == ["https://shop.example/orders/count", "https://shop.example/cart"])
    }

    @Test func `an unnamed call says its type at the call`() throws {
        let videos = Self.stub(.json(text: "[1, 2]")).service(Videos())
        #expect(try videos.call(.get("numbers"), as: [Int].self) == [1, 2])
        try videos.call(.delete("numbers"), as: Void.self)
    }

    @Test func `an unaccepted status is thrown with the response`() {
        let videos = Self.stub(.json(text: #"{"detail": "no such category"}"#, status: .notFound)).service(Videos())
        let calls: [() throws -> Void] = [
            { _ = try videos.call(.categories) },
            { try videos.call(.delete(1)) },
            { _ = try videos.call(.all, as: [Category].self) },
            { try videos.call(.removing(1)) },
        ]
        for call in calls {
            let error = #expect(throws: HTTPError.self) { try call() }
            guard case .unacceptableStatus(let response)? = error else { return #expect(Bool(false)) }
            #expect(response.serverMessage == "no such category")
        }
    }

    @Test(arguments: [
        (#"{"errors": [{"message": "no stock"}, null, 7]}"#, "no stock"),
        (#"{"errors": [null, {"message": "x"}]}"#, nil),
        (#"{"errors": [], "title": "t"}"#, "t"), (#"{"errors": "x"}"#, nil), (#"{"error": {"message": "m"}}"#, "m"),
    ])
    func `the message of an error is found beside what is none`(body: String, message: String?) throws {
        let response = try Self.stub(.json(text: body, status: .badRequest)).executeRequest(.get("https://h/")).get()
        #expect(response.serverMessage == message)
    }

    @Test(arguments: [
        (#"{"access_token": "hush"}"#, "<redacted>"), (#"{"message": "token=hush is wrong"}"#, "<redacted>"),
        (#"{"message": "the token is wrong"}"#, "the token is wrong"), (#"{"errors": {"name": ["x"]}}"#, nil),
    ])
    func `a refusal shows what its body says, without secrets`(body: String, words: String?) throws {
        let response = try Self.stub(.json(text: body, status: .badRequest)).executeRequest(.get("https://h/")).get()
        let text = "\(HTTPError.unacceptableStatus(response))"
        #expect(text.hasSuffix(": " + (words ?? body)) && !text.contains("hush"), "\(text)")
    }

    @Test func `a service decides which responses count as success`() throws {
        struct Chat: RequestGenerator {
            let baseURL = "https://chat.example"
            func accepts(_ response: Response) -> Bool {
                !String(decoding: response.body, as: UTF8.self).contains("false")
            }
        }
        let chat = Self.stub(.json(text: #"{"ok": false, "error": "no channel"}"#)).service(Chat())
        let error = #expect(throws: HTTPError.self) { try chat.call(.post("message") as Endpoint<Chat, Void>) }
        #expect(error?.description == "POST https://chat.example/message answered 200: no channel")
    }

    @Test func `the whole response is available`() throws {
        let answer = StubAnswer.json(text: #"[{"video_count": 2}]"#).header("X-Total", "40")
        let videos = Self.stub(answer).service(Videos())
        let (value, response) = try videos.callWithResponse(.categories)
        #expect(value.count == 1 && response.headers["X-Total"] == "40")
        let (cased, whole) = try videos.callWithResponse(.all |> .query("page", 2), as: [Category].self)
        #expect(cased == value && whole.request.url.query == "page=2")
        #expect(try videos.callWithResponse(.all, as: [Category].self).response.headers["X-Total"] == "40")
        let refused = Self.stub(.status(.notFound)).service(Videos())
        #expect(try refused.client.send(refused.request(.categories)).status == .notFound)
        #expect(try refused.client.send(refused.request(.all)).status == .notFound)
    }

    @Test func `an empty response is nothing, nil, or an error that says so`() throws {
        let videos = Self.stub(.status(.noContent)).service(Videos())
        try videos.call(.delete(1))
        #expect(try videos.call(.latest) == nil)
        #expect(try videos.call(.all, as: [Category]?.self) == nil)
        let error = #expect(throws: HTTPError.self) { try videos.call(.categories) }
        #expect(error?.description.contains("body is empty") == true)
    }

    @Test func `text and bytes are returned unchanged`() throws {
        let videos = Self.stub(.text("plain")).service(Videos())
        #expect(try videos.call(.get("notes") as Endpoint<Videos, String>) == "plain")
        #expect(try videos.call(.get("notes") as Endpoint<Videos, Data>) == Data("plain".utf8))
        #expect(try videos.call(.get("notes") as Endpoint<Videos, String?>) == "plain")
        #expect(try videos.call(.get("notes") as Endpoint<Videos, Data?>) == Data("plain".utf8))
        let quoted = Self.stub(.json(text: #""quoted""#)).service(Videos())
        #expect(try quoted.call(.get("notes") as Endpoint<Videos, String>) == "quoted")
        #expect(try quoted.call(.get("notes") as Endpoint<Videos, String?>) == "quoted")
        #expect(try quoted.call(.get("notes") as Endpoint<Videos, Data?>) == Data(#""quoted""#.utf8))
        let none = Self.stub(.status(.noContent)).service(Videos())
        #expect(try none.call(.get("notes") as Endpoint<Videos, String?>) == nil)
        #expect(try none.call(.get("notes") as Endpoint<Videos, Data?>) == nil)
    }

    @Test func `a single decoder ignores the type, several are chosen by it`() throws {
        struct Two: RequestGenerator {
            let baseURL = "https://two.example"
            let decoders: [any BodyDecoder] = [JSONBodyDecoder(), PropertyListBodyDecoder()]
        }
        let unnamed = StubAnswer.data(Data(#"[{"video_count": 2}]"#.utf8), contentType: "text/plain")
        #expect(try Self.stub(unnamed).service(Videos()).call(.categories).count == 1)
        let two = Self.stub(unnamed).service(Two())
        #expect(throws: HTTPError.self) { try two.call(.get("x") as Endpoint<Two, [Int]>) }
        let list = StubAnswer.data(
            try PropertyListEncoder().encode([1, 2]), contentType: "application/x-plist")
        #expect(try Self.stub(list).service(Two()).call(.get("x") as Endpoint<Two, [Int]>) == [1, 2])
    }

    @Test func `a body uses the service's coding, Sendable or not`() throws {
        let videos = Videos()
        #expect(try Self.body(.post("https://h/") |> .json(Draft())) == #"{"videoCount":3}"#)
        #expect(try Self.body(videos.post("x") |> .json(Draft())) == #"{"video_count":3}"#)
        #expect(try Self.body(videos.post("x") |> .json(Draft(), encoder: JSONEncoder())) == #"{"videoCount":3}"#)
        let parameters = videos.post("x") |> .withoutDefaults |> .parameters(Category(videoCount: 1))
        #expect(try Self.body(parameters) == #"{"video_count":1}"#)
    }

    @Test func `a call may be a QUERY with a body`() throws {
        let stub = Self.stub(.json(text: "[]"))
        let ask: Endpoint<Videos, [Category]> = .request(.query, "search") |> .json(["text": "sea"])
        #expect(try stub.service(Videos()).call(ask).isEmpty)
        #expect(try stub.send(.request(.query, "https://h/") |> .text("sea")).status == .ok)
        #expect(stub.requests.map(\.method) == [.query, .query])
        #expect(stub.requests.map(\.text) == [#"{"text":"sea"}"#, "sea"])
    }

    @Test func `an endpoint that cannot be built sends nothing`() {
        let stub = Self.stub(.json(text: "[]"))
        let videos = stub.service(Videos(baseURL: "no url"))
        #expect(throws: HTTPError.self) { try videos.call(.categories) }
        #expect(throws: HTTPError.self) {
            try stub.service(Videos()).call(.get("categories/\("..")") as Endpoint<Videos, Void>)
        }
        #expect(stub.requests.isEmpty)
    }

    @Test(arguments: [
        ("2026-03-01T09:30:00Z", 1_772_357_400.0), ("2026-03-01T09:30:00.250Z", 1_772_357_400.25),
        ("2026-03-01T10:30:00+01:00", 1_772_357_400.0), ("2026-03-01T10:30:00.5+01:00", 1_772_357_400.5),
    ])
    func `dates are parsed with and without fractions, and written in UTC`(text: String, seconds: Double) throws {
        let coding = JSONCoding()
        let date = try coding.decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))[0]
        #expect(date.timeIntervalSince1970 == seconds)
        let whole = Date(timeIntervalSince1970: 1_772_357_400)
        #expect(String(decoding: try coding.encoder.encode([whole]), as: UTF8.self) == #"["2026-03-01T09:30:00Z"]"#)
        #expect(throws: DecodingError.self) {
            try coding.decoder.decode([Date].self, from: Data(#"["yesterday"]"#.utf8))
        }
    }

    @Test func `dates may be numbers`() throws {
        let date = Date(timeIntervalSince1970: 1.5)
        for (coding, text) in [
            (JSONCoding(dates: .secondsSince1970), "[1.5]"), (JSONCoding(dates: .millisecondsSince1970), "[1500]"),
        ] {
            #expect(try coding.decoder.decode([Date].self, from: Data(text.utf8)) == [date])
            #expect(String(decoding: try coding.encoder.encode([date]), as: UTF8.self) == text)
        }
    }

    private static func body(_ draft: MutableRequest) throws -> String {
        guard case .data(let data) = try Request(draft).body.content else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

/// Tokens set from outside, anonymous calls, and calls that outlive their caller.
@Suite struct ServiceCredentialTests {
    private let tokens = BearerTokens(scheme: "JWT")
    private let stub = StubClient(strict: true).on("**", answer: .status(.unauthorized))

    @Test func `without a token and a refresh, a call is sent unchanged`() throws {
        let client = stub.intercepted(by: .bearer(tokens))
        #expect(try client.send(.get("https://h/")).status == .unauthorized)
        tokens.set("t-1")
        #expect(try client.send(.get("https://h/")).status == .unauthorized)
        tokens.set(nil)
        #expect(try client.send(.get("https://h/")).status == .unauthorized)
        #expect(stub.requests.map { $0.headers["Authorization"] } == [nil, "JWT t-1", nil])
    }

    @Test func `an anonymous call carries no credentials, whatever surrounds it`() throws {
        tokens.set("t-1")
        let origin = Origin(scheme: .https, host: "h")
        let client = stub.intercepted(
            by: .bearer(tokens), .digest(user: "u", password: "p", for: origin),
            .applying(.netrc(try Netrc(parsing: "machine h login u password p"))))
        _ = client.executeRequest(.get("https://h/") |> .bearer("x") |> .anonymous)
        let adapting = stub.intercepted(by: .applying(.header("A", "1")), .bearer(tokens))
        _ = adapting.executeRequest(.get("https://h/") |> .anonymous)
        #expect(stub.requests.map { $0.headers["Authorization"] } == [nil, nil])
    }

    @Test func `a detached call ignores the token and the deadline of its caller`() throws {
        let stub = StubClient(strict: true).on("**", answer: .status(.ok))
        let token = CancellationToken()
        token.cancel()
        let (plain, detached) = token.run {
            CallDeadline(.zero).run {
                (stub.executeRequest(.get("https://h/")), stub.detached.detached.executeRequest(.get("https://h/")))
            }
        }
        guard case .failure(.cancelled) = plain else { return #expect(Bool(false)) }
        #expect(try detached.get().status == .ok)
        let batch = token.run { stub.detached.executeRequests([.get("https://h/1"), .get("https://h/2")]) }
        #expect(try batch.map { try $0.get().status } == [.ok, .ok])
    }

    @Test func `a detached call is one as a whole, with the interceptors around it`() throws {
        let late = ScriptedPolicy { _, event, moment in
            switch event {
            case .started: .wait(until: moment.now + .seconds(1), because: .named("nothing"))
            case .resumed: .pass
            case .answered(let outcome): .finish(outcome)
            case .interrupted(let error): .finish(.failure(error))
            }
        }
        let stub = StubClient(strict: true).on("**", answer: .status(.ok))
        let token = CancellationToken()
        token.cancel()
        let answer = token.run {
            CallDeadline(.zero).run {
                stub.detached.intercepted(by: Interceptor(late)).executeRequest(.get("https://h/"))
            }
        }
        #expect(try answer.get().status == .ok)
    }
}
