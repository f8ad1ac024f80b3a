import HTTPEngine
import HTTPObservability
import HTTPPolicies
import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// What makes two requests equal.
@Suite struct RequestEqualityTests {
    private static let base = MutableRequest.post("https://h.example/a?b=c") |> .header("X-A", "1") |> .text("body")

    @Test(
        arguments: [
            .get("https://h.example/a"), base, .post("https://h.example") |> .json(["a": 1, "b": [true, nil]]),
            .post("https://h.example") |> .form(["a": "1"]), .put("https://h.example") |> .file("/tmp/a.jpg"),
            .post("https://u:p@h.example") |> .text("x") |> .idempotencyKey("1"),
            .get("https://h.example") |> .parameters(["a": 1]) |> .timeout(.seconds(5))
                |> .destination(.file("/tmp/x")),
        ] as [MutableRequest])
    func `two requests made by the same line are equal`(draft: MutableRequest) throws {
        #expect(try Request(draft) == Request(draft))
        let request = try Request(draft)
        #expect(try Request(MutableRequest(request)) == request)
    }

    private struct Numbers: Encodable {
        let one = 1
        let two = 2
        let three = 3
        let four = 4
        let five = 5
        let six = 6
    }

    private struct Service: RequestGenerator {
        let baseURL = "https://h.example"
        let json = JSONCoding(keys: .snakeCase)
    }

    @Test func `requests that are made twice of equal values are equal, in JSON too`() throws {
        let letters = "abcdefghijkl".map(String.init)
        let drafts: [() -> MutableRequest] = [
            { .post("https://h.example") |> .json(["a": 1, "b": "x", "c": nil, "d": [1], "e": ["f": 1, "g": "z"]]) },
            { .post("https://h.example") |> .json(Numbers()) },
            { .post("https://h.example") |> .json(Dictionary(uniqueKeysWithValues: letters.map { ($0, 1) })) },
            { .post("https://h.example") |> .json(["v": JSONValue.object(["a": 1, "b": 2, "c": 3, "d": 4, "e": 5])]) },
            { .post("https://h.example") |> .parameters(["a": 1, "b": "x", "c": ["d": 1, "e": "z", "f": nil]]) },
            { Service().post("a") |> .json(Numbers()) },
            { Service().put("a") |> .parameters(Numbers()) |> .parameters(["x": ["userId": 1, "b": "y", "c": 2]]) },
        ]
        for draft in drafts {
            let requests = try (0..<8).map { _ in try Request(draft()) }
            #expect(requests.allSatisfy { $0 == requests[0] }, "\(requests.map { $0.curlCommand() })")
        }
    }

    @Test(
        arguments: [
            .header("X-A", "2"), .header("X-B", "1"), .removingHeader("X-A"), .query("d", 1), .text("other"),
            .data(Data("body".utf8), contentType: nil), .timeout(.seconds(5)), .bodyLimit(10),
            .redirects(RedirectPolicy(limit: 3)), .anonymous,
            .version(.http1), .destination(.discard), .destination(.file("/tmp/x")), .cookies(CookieJar()),
            .sendingDeadline(as: "grpc-timeout"), .destination(.stream { _ in BodySink { _ in } }),
            .trailers("X-T") { ["X-T": "1"] }, RequestStep { $0.method = .put },
            RequestStep { $0.url = "https://h.example:8443/a?b=c" }, RequestStep { $0.url = "https://h.example/a?b=C" },
        ] as [RequestStep])
    func `a request differs by each part that is sent or decides what becomes of the response`(step: RequestStep) throws
    {
        #expect(try Request(Self.base) != Request(Self.base |> step))
    }

    @Test func `names of fields are compared without case, their values with it`() throws {
        let one = try Request(.get("https://h.example") |> .header("X-A", "v"))
        #expect(try one == Request(.get("https://H.example/") |> .header("x-a", "v")))
        #expect(try one != Request(.get("https://h.example") |> .header("X-A", "V")))
    }

    @Test func `what is a closure equals only itself`() throws {
        let source: @Sendable () throws -> BodySource = { BodySource { _ in 0 } }
        let draft = MutableRequest.post("https://h.example") |> .stream(length: 0, makeSource: source)
        #expect(try Request(draft) == Request(draft))
        #expect(try Request(draft) != Request(.post("https://h.example") |> .stream(length: 0, makeSource: source)))
        let sink = MutableRequest.get("https://h.example") |> .destination(.stream { _ in BodySink { _ in } })
        #expect(try Request(sink) == Request(sink |> .header("X-A", "1") |> .removingHeader("X-A")))
        let trailing = Self.base |> .trailers("X-T") { [:] }
        #expect(try Request(trailing) == Request(trailing))
    }

    @Test func `a service's TLS settings are compared by their values`() throws {
        struct Pay: RequestGenerator {
            let baseURL = "https://pay.example"
            var tls = TLSConfiguration(pins: ["pay.example": ["d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="]])
        }
        #expect(try Request(Pay().get("a")) == Request(Pay().get("a")))
        #expect(try Request(Pay().get("a")) != Request(Pay(tls: TLSConfiguration()).get("a")))
    }

    @Test func `who watches does not count, and a stub got what was sent`() throws {
        let plain = try Request(.get("https://h.example"))
        #expect(try plain == Request(.get("https://h.example") |> .downloadProgress { _ in }))
        let stub = StubClient().on("**", answer: .status(.ok))
        _ = try stub.intercepted(by: .log { _ in }, .retry()).executeRequest(plain).get()
        #expect(stub.requests.map(\.request) == [plain])
    }
}
