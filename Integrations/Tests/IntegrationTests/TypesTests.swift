import Foundation
import HTTPMockServer
import HTTPTypes
import HTTPTypesBridge
import Straightline
import Testing

@Suite struct TypesTests {
    @Test func `a request of swift-http-types is sent as it is`() async throws {
        let server = try MockServer { _ in MockResponse.text("ok", status: 202).header("X-Shard", "3") }
        let origin = try HTTPURL(server.url).origin
        var request = HTTPRequest(
            method: .put, scheme: "http", authority: origin.authority, path: "/a%20b?c=d",
            headerFields: [.accept: "text/plain", .contentType: "text/markdown"])
        request.headerFields.append(HTTPField(name: .acceptLanguage, value: "en"))
        request.headerFields.append(HTTPField(name: .acceptLanguage, value: "fr"))
        let response = try await CurlTransport().send(MutableRequest(request, body: .data(Data("hi".utf8))))
        let received = try #require(server.requests.first)
        #expect(received.method == .put && received.target == "/a%20b?c=d" && received.text == "hi")
        #expect(received.headers["Content-Type"] == "text/markdown" && received.headers["Accept"] == "text/plain")
        #expect(received.headers.values(for: "Accept-Language") == ["en", "fr"])
        let head = try #require(HTTPResponse(response))
        #expect(head.status == .accepted && head.headerFields[HTTPField.Name("X-Shard")!] == "3")
    }

    @Test func `a request becomes the other kind, and comes back the same`() throws {
        let request = try Request(
            .post("https://example.com:8443/a?b=c") |> .header("X-One", "1") |> .header("Accept", "text/plain"))
        let head = try #require(HTTPRequest(request))
        #expect(head.method == .post && head.scheme == "https" && head.authority == "example.com:8443")
        #expect(head.path == "/a?b=c" && head.headerFields[.accept] == "text/plain")
        let back = try Request(MutableRequest(head))
        #expect(back == request)
    }

    @Test func `a path alone is relative to the base`() throws {
        let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/users")
        #expect(
            try Request(MutableRequest(head, baseURL: "https://example.com")).url.string == "https://example.com/users")
        #expect(throws: HTTPError.self) { try Request(MutableRequest(head)) }
    }

    @Test func `a response goes there and back, with bytes beyond ASCII and repeated fields`() throws {
        let request = try Request(.get("https://example.com/"))
        var headers: HTTPHeaders = ["Set-Cookie": "a=1"]
        headers.append("b=2", for: "Set-Cookie")
        headers = HTTPHeaders(Array(headers) + [HTTPHeaders.Field(name: "X-Name", octets: [0x41, 0xE4, 0xFF])])
        let response = Response(
            request: request, status: 201, reasonPhrase: "Made", headers: headers, body: Data("x".utf8))
        let head = try #require(HTTPResponse(response))
        #expect(head.status.code == 201 && head.status.reasonPhrase == "Made")
        #expect(head.headerFields[values: .setCookie] == ["a=1", "b=2"])
        let back = Response(head, body: response.body, to: request)
        #expect(
            back.headers == response.headers && back.status == 201 && back.reasonPhrase == "Made"
                && back.body == response.body)
        #expect(back.headers.last?.octets == [0x41, 0xE4, 0xFF])
    }

    @Test func `what the other package cannot hold is nil`() throws {
        #expect(HTTPFields(["not a token": "1"]) == nil)
        let request = try Request(.get("https://example.com/"))
        #expect(HTTPResponse(Response(request: request, status: 1000)) == nil)
    }
}
