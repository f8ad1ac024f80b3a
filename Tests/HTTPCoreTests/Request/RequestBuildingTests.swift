import HTTPTransfers
import HTTPCore
import HTTPFoundation
import Testing

/// The result of `Request.init` for a draft.
@Suite struct RequestBuildingTests {
    @Test func `a draft without steps has the defaults of the library`() throws {
        let request = try Request(.get("https://h"))
        #expect(request.method == .get)
        #expect(request.url.string == "https://h/")
        #expect(request.headers.isEmpty && request.body.isEmpty)
        #expect(request.timeouts == Timeouts(connect: .seconds(10), idle: .seconds(30), total: .seconds(60)))
        #expect(request.limits == Limits(headerBytes: 65_536, bodyBytes: 67_108_864))
        #expect(request.redirects == RedirectPolicy(limit: 10, allowsInsecureHop: false, crossOriginHeaders: []))
        #expect(request.version == .automatic)
    }

    @Test(arguments: [
        (MutableRequest.get("http://h"), HTTPMethod.get), (.head("http://h"), .head), (.post("http://h"), .post),
        (.put("http://h"), .put), (.patch("http://h"), .patch), (.delete("http://h"), .delete),
        (.request(.options, "http://h"), .options), (.request("PURGE", "http://h"), "PURGE"),
    ])
    func `each method has its own function`(draft: MutableRequest, method: HTTPMethod) throws {
        #expect(try Request(draft).method == method)
    }

    @Test func `credentials in the URL become Basic credentials and leave the URL`() throws {
        let request = try Request(.get("https://us%65r:p%40ss:1@h/"))
        #expect(request.headers["Authorization"] == "Basic " + Data("user:p@ss:1".utf8).base64EncodedString())
        #expect(request.url.userinfo == nil)
        #expect(request.url.string == "https://h/")
        let named = try Request(.get("https://%C3%BCser@h/"))
        #expect(named.headers["Authorization"] == "Basic " + Data("üser:".utf8).base64EncodedString())
        #expect(try Request(.get("https://@h/")).headers.isEmpty)
    }

    @Test func `an anonymous request sends no credentials of its URL`() throws {
        let request = try Request(.get("https://user:secret@h/") |> .anonymous)
        #expect(request.headers["Authorization"] == nil && request.url.string == "https://h/")
    }

    @Test func `the caller's Authorization outranks credentials in the URL`() throws {
        let request = try Request(.get("https://user:pw@h/") |> .header("authorization", "Bearer t"))
        #expect(request.headers.values(for: "Authorization") == ["Bearer t"])
    }

    @Test func `credentials in a base URL are used for a path below it but for no other host`() throws {
        let below = try Request(MutableRequest(.get, "path", baseURL: "https://user:pw@h/v1"))
        #expect(below.headers["Authorization"] != nil)
        let elsewhere = try Request(MutableRequest(.get, "https://other/", baseURL: "https://user:pw@h/v1"))
        #expect(elsewhere.headers.isEmpty)
        #expect(try Request(MutableRequest(.get, "//other/", baseURL: "https://user:pw@h/v1")).headers.isEmpty)
    }

    @Test func `the body sets the type unless the caller has, in any order`() throws {
        let own = RequestStep.contentType("application/vnd.api+json")
        let json = RequestStep.json([1])
        let post = MutableRequest.post("https://h")
        #expect(try Request(post |> json).headers.values(for: "Content-Type") == ["application/json"])
        for draft in [post |> own |> json, post |> json |> own, post |> .header("content-TYPE", own.value) |> json] {
            #expect(try Request(draft).headers.values(for: "Content-Type") == ["application/vnd.api+json"])
        }
        let raw = RequestBody.data(Data([1]))
        #expect(try Request(post |> .body(raw)).headers.isEmpty)
        #expect(try Request(post |> json |> .text("x")).headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(try Request(post |> .data(Data([1]))).headers["Content-Type"] == "application/octet-stream")
    }

    @Test func `a correct Content-Length is accepted and left to the transport`() throws {
        let request = try Request(.post("https://h") |> .text("body") |> .header("content-length", "4"))
        #expect(!request.headers.contains("Content-Length"))
        #expect(request.body.length == 4)
        #expect(try Request(.get("https://h") |> .header("Content-Length", "0")).headers.isEmpty)
    }

    @Test func `a request prints its method and URL without secrets`() throws {
        let request = try Request(.get("https://user:secret@h/p?token=secret&a=1#secret"))
        #expect("\(request)" == "GET https://h/p?token=<redacted>&a=1")
    }

    @Test func `a draft, too, prints without secrets`() {
        let draft =
            MutableRequest.post("https://user:secret@h/p?token=secret") |> .bearer("secret") |> .query("key", "secret")
            |> .query("page", 2) |> .form(["password": "secret"])
        for text in ["\(draft)", String(reflecting: draft)] {
            #expect(!text.contains("secret"))
            #expect(text.contains("POST") && text.contains("page=2"))
        }
    }

    @Test func `a draft with a base prints the whole URL`() {
        #expect("\(MutableRequest(.get, "users", baseURL: "https://h/v1"))" == "GET https://h/v1/users")
        #expect("\(MutableRequest(.get, "a b", baseURL: "https://h/v1"))" == "GET https://h/v1 + a b")
    }

    @Test func `a finished request that a verb changes keeps its defaults open, and what was set`() throws {
        let plain = try Request(.get("http://h/a"))
        let streamed = try Request(plain.asDraft() |> .destination(.lines { _ in }))
        #expect(plain.timeouts.total == .seconds(60) && streamed.timeouts.total == nil)
        #expect(plain.limits.bodyBytes == 64 << 20 && streamed.limits.bodyBytes == .max)
        let limited = try Request(.get("http://h/a") |> .timeout(.seconds(5)) |> .bodyLimit(9))
        let same = try Request(limited.asDraft() |> .destination(.lines { _ in }))
        #expect(same.timeouts.total == .seconds(5) && same.limits.bodyBytes == 9)
        #expect(try Request(plain.asDraft()) == plain)
    }
}

extension RequestStep {
    /// The Content-Type that this step sets.
    fileprivate var value: String { (MutableRequest.get("") |> self).headers["Content-Type"] ?? "" }
}
