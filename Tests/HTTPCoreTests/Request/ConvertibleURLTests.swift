import Foundation
import HTTPCore
import HTTPTesting
import Testing

/// URLs of any type, and steps with consistent labels.
@Suite struct ConvertibleURLTests {
    @Test func `a Foundation URL, a substring and a validated URL are accepted like text`() throws {
        let url = try #require(URL(string: "https://h.example/a%20b?q=1#top"))
        let text = "see https://h.example/a%20b?q=1#top"
        let drafts: [MutableRequest] = [
            .get(url), .get(text.dropFirst(4)), .get("https://h.example/a%20b?q=1#top"),
            .request(.get, try HTTPURL("https://h.example/a%20b?q=1")),
        ]
        for draft in drafts { #expect(try Request(draft).url.string == "https://h.example/a%20b?q=1") }
        let stub = StubClient(strict: true).on("**", answer: .ok)
        #expect(try stub.get(url, .query("page", 2)).status == .ok)
        #expect(stub.requests.map(\.url.string) == ["https://h.example/a%20b?q=1&page=2"])
        let file = #expect(throws: HTTPError.self) { try Request(.get(URL(filePath: "/etc/passwd"))) }
        guard case .invalidRequest? = file else { return #expect(Bool(false)) }
    }

    @Test func `a validated URL keeps its credentials and its fragment, like the same text`() throws {
        let text = "https://m%40e:p%3Aw@h.example:8443/a?q=1#top"
        let request = try Request(.get(HTTPURL(text)))
        #expect(try request.headers == Request(.get(text)).headers && request.headers.contains("Authorization"))
        #expect(request.url.string == "https://h.example:8443/a?q=1" && request.url.fragment == "top")
        struct Private: RequestGenerator { let baseURL: HTTPURL }
        let generator = Private(baseURL: try HTTPURL("https://me:pw@h.example/v1"))
        #expect(try Request(generator.get("a")).headers.contains("Authorization"))
        let stub = StubClient(strict: true, base: generator.baseURL).on("a", answer: .ok)
        #expect(try stub.send(generator.get("a")).status == .ok)
    }

    private struct Shop: RequestGenerator { let baseURL: URL }

    @Test func `a service's base may be a URL of Foundation`() throws {
        let shop = Shop(baseURL: try #require(URL(string: "https://h.example/v1")))
        #expect(try Request(shop.get("orders/\(7)")).url.string == "https://h.example/v1/orders/7")
        #expect(throws: HTTPError.self) { try Request(shop.get("https://other.example/")) }
        #expect(throws: HTTPError.self) { try Request(shop.get("a b/\("c/d")")) }
        #expect(try Request(shop.get("a/\("c/d")")).url.string == "https://h.example/v1/a/c%2Fd")
    }

    private struct Filter: Encodable { let state = "open" }

    @Test func `a query, a form and a multipart form take values, lists of pairs and nil alike`() throws {
        let missing: String? = nil
        #expect(try Request(.get("https://h/") |> .query(Filter())).url.query == "state=open")
        #expect(try Request(.get("https://h/") |> .query(["a": "1", "b": missing, "c": "2"])).url.query == "a=1&c=2")
        #expect(try Self.body(.form(Filter())) == "state=open")
        #expect(try Self.body(.form(["a": "1", "b": missing, "c": "2"])) == "a=1&c=2")
        guard
            case .multipart(let form) = try Request(.post("https://h/") |> .multipart(["a": "1", "b": missing])).body
                .content
        else { return #expect(Bool(false)) }
        #expect(form.parts.map(\.name) == ["a"])
    }

    private static func body(_ step: RequestStep) throws -> String {
        guard case .data(let data) = try Request(.post("https://h/") |> step).body.content else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
