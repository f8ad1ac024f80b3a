import HTTPCore
import Testing

struct Bank: RequestGenerator {
    var baseURL = "https://bank.example/v1"
    var defaults: RequestStep { .bearer("secret") |> .query("api_key", "secret") }
    var friend: Origin?
    func allows(_ origin: Origin) -> Bool { origin == friend }
}

/// A service's credentials stay with the service.
@Suite struct GeneratorOriginTests {
    @Test(arguments: [
        ("https://evil.example/x", "https://evil.example"), ("//evil.example/x", "https://evil.example"),
        ("http://bank.example/v1/x", "http://bank.example"),
        ("https://bank.example:8443/", "https://bank.example:8443"),
        ("HTTPS://EVIL.example", "https://evil.example"),
        ("https://bank.example@evil.example/", "https://evil.example"),
        ("//bank.example:80/", "https://bank.example:80"), ("https://bank.example.evil.example/", "bank.example.evil"),
    ])
    func `a path to another origin is refused`(path: String, named: String) throws {
        for draft in [Bank().get(RequestPath(encoded: path)), Bank().get("\(encoded: path)")] {
            #expect(draft.headers.isEmpty && draft.query.isEmpty, "the defaults are not even applied")
            let error = try #require(throws: HTTPError.self) { _ = try Request(draft |> .withoutDefaults) }
            guard case .invalidRequest(let invalid) = error else {
                Issue.record("\(error)")
                return
            }
            for word in [named, "are for https://bank.example", "allows(_:)"] {
                #expect(invalid.reason.contains(word), "\(invalid.reason)")
            }
            #expect(!"\(error)".contains("secret"))
        }
    }

    @Test(arguments: [
        ("https://bank.example/x", "https://bank.example/x"), ("//bank.example/x", "https://bank.example/x"),
        ("HTTPS://BANK.example:443/x", "https://bank.example/x"), ("x//y", "https://bank.example/v1/x//y"),
        ("./https://evil.example", "https://bank.example/v1/https://evil.example"),
        ("?u=//evil.example", "https://bank.example/v1/?u=//evil.example"),
    ])
    func `the base's own origin may be spelled out`(path: String, expected: String) throws {
        let request = try Request(Bank().get(RequestPath(encoded: path)) |> .removingQuery("api_key"))
        #expect(request.url.string == expected)
        #expect(request.headers["Authorization"] == "Bearer secret")
    }

    @Test func `an origin that the generator allows gets the defaults`() throws {
        let bank = Bank(friend: Origin(scheme: .https, host: "files.example"))
        #expect(try Request(bank.get("//files.example/x")).headers["Authorization"] == "Bearer secret")
        #expect(try Request(bank.get("https://files.example/x")).url.host == "files.example")
        #expect(throws: HTTPError.self) { try Request(bank.get("http://files.example/x")) }
    }

    @Test func `an invalid base has no origin, so every absolute path needs permission`() throws {
        let error = try #require(throws: HTTPError.self) {
            _ = try Request(Bank(baseURL: "").get("https://a.example/"))
        }
        #expect("\(error)".contains("https://a.example"))
        let friend = Origin(scheme: .https, host: "a.example")
        #expect(try Request(Bank(baseURL: "", friend: friend).get("https://a.example/")).url.host == "a.example")
    }
}
