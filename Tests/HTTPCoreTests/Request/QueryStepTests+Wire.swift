import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension QueryStepTests {
    @Test func `lists known at run time keep their order and their repetitions on the wire`() throws {
        let server = try MockServer { _ in .text("ok") }
        let pairs = [("z", "1 +"), ("a", "2"), ("z", "3")]
        let fields = ["X-B": "2", "X-A": "1"]
        let headers = HTTPHeaders([("X-Z", "1"), ("X-A", "2"), ("X-Z", "3")])
        let client = CurlTransport()
        try client.post(server.url, .query(pairs) |> .form(pairs.lazy.reversed()) |> .headers(fields))
        try client.get(server.url, .query([]) |> .headers(headers))
        let (post, get) = (server.requests[0], server.requests[1])
        #expect(post.queryItems == [.init("z", "1 +"), .init("a", "2"), .init("z", "3")])
        #expect(post.text == "z=3&a=2&z=1+%2B")
        #expect(post.headers.filter { $0.name.hasPrefix("X-") }.map(\.value) == ["1", "2"])
        #expect(get.headers.filter { $0.name.hasPrefix("X-") }.map(\.value) == ["1", "2", "3"])
        #expect(get.queryItems.isEmpty)
    }

    @Test func `plus signs, spaces and letters beyond ASCII arrive in a query and in a form`() throws {
        let server = try MockServer { _ in .text("ok") }
        let client = CurlTransport()
        let nasty = "a+b c&d=e%20é😀;,/?#[]"
        _ = try client.send(.get(server.url) |> .query(nasty, nasty) |> .query("list", [nasty, "x"]))
        let get = try #require(server.requests.first)
        #expect(get.queryItems == [.init(nasty, nasty), .init("list", nasty), .init("list", "x")])
        _ = try client.send(.post(server.url) |> .form(["n": nasty, "list": nasty]))
        let post = try #require(server.requests.last)
        #expect(post.headers.values(for: "Content-Type") == ["application/x-www-form-urlencoded"])
        #expect(
            post.text == "n=a%2Bb+c%26d%3De%2520%C3%A9%F0%9F%98%80%3B%2C%2F%3F%23%5B%5D&list=a%2Bb+c%26d%3De%2520"
                + "%C3%A9%F0%9F%98%80%3B%2C%2F%3F%23%5B%5D")
    }
}
