import HTTPCore
import Testing

private struct Shop: RequestGenerator {
    var baseURL = "https://shop.example/v2"
    var defaults: RequestStep { .bearer("t") |> .header("Accept-Language", "en") |> .query("key", "k") }
}

private enum Orders: ServiceEndpoint {
    case list(page: Int), cancel(id: String), bare

    func request(from shop: Shop) -> MutableRequest {
        switch self {
        case .list(let page): shop.get("orders") |> .query("page", page) |> .header("Accept-Language", "de")
        case .cancel(let id): shop.delete("orders/\(id)") |> .removingHeader("Authorization") |> .removingQuery("key")
        case .bare: shop.post("bare") |> .withoutDefaults |> .json([1])
        }
    }
}

/// Generators: the common properties of a service's requests.
@Suite struct RequestGeneratorTests {
    @Test(
        arguments: [
            ("https://h", "users", "https://h/users"), ("https://h/", "users", "https://h/users"),
            ("https://h/v1", "users", "https://h/v1/users"), ("https://h/v1/", "users", "https://h/v1/users"),
            ("https://h/v1", "users/", "https://h/v1/users/"), ("https://h", "/users", "https://h/users"),
            ("https://h/", "/users", "https://h/users"), ("https://h/v1", "/v1/users?a=b", "https://h/v1/users?a=b"),
            ("https://h/v1/", "/v1", "https://h/v1"),
            ("https://h/v1", "", "https://h/v1"), ("https://h/v1/", "", "https://h/v1/"),
            ("https://h/v1", "?a=b", "https://h/v1/?a=b"), ("https://h/v1", ".", "https://h/v1/"),
            ("https://h/v1", "../v2/x", "https://h/v2/x"), ("https://h/v1", "a/../b", "https://h/v1/b"),
            ("https://h/v1?x=1", "users", "https://h/v1/users"), ("https://h/v1", "a:b/c", nil),
            ("https://h/v1", "./a:b/c", "https://h/v1/a:b/c"), ("https://h:8443/v1", "é", "https://h:8443/v1/%C3%A9"),
            ("https://h/v1", "https://h/x", "https://h/x"), ("https://h/v1", "//h:443/x", "https://h/x"),
            ("https://h/v1", "a%2Fb/%2e%2E/c", "https://h/v1/c"),
            ("https://h/v1", "a%2Fb%20c", "https://h/v1/a%2Fb%20c"),
            ("https://h/v1", "a/./b//c", "https://h/v1/a/b//c"), ("https://h/v1/", "../../../x", "https://h/x"),
        ] as [(String, String, String?)])
    func `a path is joined to its base`(base: String, path: String, expected: String?) {
        let request = try? Request(Shop(baseURL: base).get(RequestPath(encoded: path)) |> .withoutDefaults)
        #expect(request?.url.string == expected)
    }

    @Test(arguments: [
        ("https://h/v1", "/users?token=s3cret", "write \"users?token="), ("https://h/v1/", "/v10/x", "write \"v10/x\""),
        ("https://h/a/b", "/a", "https://h/a "), ("https://h/v1", "/", "https://h/ "),
        ("https://h/v1", "/v1/../users", "https://h/users "),
        ("https://h/v1", "/images:annotate", "the path \"/images:annotate\" begins"),
        ("https://h/v1", "/images:annotate", "write \"./images:annotate\""),
    ])
    func `a path whose slash would drop that of the base is an error, and gets none of the defaults`(
        base: String, path: String, words: String
    ) throws {
        let draft = Shop(baseURL: base).get(RequestPath(encoded: path))
        #expect(draft.headers.isEmpty && draft.query.isEmpty)
        let error = try #require(throws: HTTPError.self) { _ = try Request(draft) }
        guard case .invalidRequest(let invalid) = error else { throw error }
        #expect(invalid.reason.contains(words) && !"\(error)".contains("s3cret"), "\(error)")
    }

    @Test func `every request of a generator applies its defaults first`() throws {
        let shop = Shop()
        let drafts: [(MutableRequest, HTTPMethod)] = [
            (shop.get("p"), .get), (shop.head("p"), .head), (shop.post("p"), .post), (shop.put("p"), .put),
            (shop.patch("p"), .patch), (shop.delete("p"), .delete), (shop.request(.options, "p"), .options),
            (shop.request("PURGE", "p"), "PURGE"),
        ]
        for (draft, method) in drafts {
            let request = try Request(draft)
            #expect(request.method == method)
            #expect(request.url.string == "https://shop.example/v2/p?key=k")
            #expect(request.headers == ["Authorization": "Bearer t", "Accept-Language": "en"])
        }
    }

    @Test func `an endpoint's steps override, remove and drop the defaults`() throws {
        let list = try Request(endpoint: Orders.list(page: 2), from: Shop())
        #expect(list.url.string == "https://shop.example/v2/orders?key=k&page=2")
        #expect(list.headers == ["Authorization": "Bearer t", "Accept-Language": "de"])
        let cancel = try Request(endpoint: Orders.cancel(id: "7"), from: Shop())
        #expect(cancel.method == .delete)
        #expect(cancel.url.string == "https://shop.example/v2/orders/7")
        #expect(cancel.headers == ["Accept-Language": "en"])
        let bare = try Request(endpoint: Orders.bare, from: Shop())
        #expect(bare.url.string == "https://shop.example/v2/bare")
        #expect(bare.headers == ["Content-Type": "application/json"])
        #expect(
            try Request(endpoint: Orders.cancel(id: "../admin?x"), from: Shop()).url.path == "/v2/orders/..%2Fadmin%3Fx"
        )
    }

    @Test func `an endpoint can be used with another deployment`() throws {
        let staging = Shop(baseURL: "https://staging.example")
        #expect(try Request(endpoint: Orders.list(page: 1), from: staging).url.host == "staging.example")
    }

    @Test func `a generator that needs nothing is made for the request of a call`() throws {
        struct Plain: StandaloneGenerator { let baseURL = "https://plain.example/v1" }
        enum Call: ServiceEndpoint {
            case user(Int), unsafe
            func request(from plain: Plain) -> MutableRequest {
                switch self {
                case .user(let id): plain.get("users/\(id)")
                case .unsafe: plain.get("users/\("..")")
                }
            }
        }
        #expect(try Request(endpoint: Call.user(7)).url.string == "https://plain.example/v1/users/7")
        let named = Endpoint<Plain, Int>.post("users") |> .json(["a": 1])
        #expect(try Request(endpoint: named) == Request(endpoint: named, from: Plain()))
        #expect(throws: HTTPError.self) { try Request(endpoint: Call.unsafe) }
    }

    @Test func `a generator without defaults adds nothing`() throws {
        struct Plain: RequestGenerator { let baseURL = "https://h" }
        #expect(try Request(Plain().get("p")).headers.isEmpty)
    }
}
