import HTTPMockServer
import HTTPCurl
import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// Successful exchanges over the wire.
@Suite struct ExchangeTests {
    let client = CurlTransport()

    @Test func `a GET sends its target and headers in order and returns status, headers and body`() throws {
        let server = try MockServer { _ in .text("hello").header("X-Answer", "42") }
        let response = try client.send(.get(server.url("/a/b?c=d")) |> .header("X-One", "1") |> .header("X-Two", "2"))
        #expect(response.status == .ok)
        #expect(try response.text() == "hello")
        #expect(response.headers["x-answer"] == "42")
        #expect(response.version == .http1_1)
        #expect(response.reasonPhrase == "OK")
        let request = try #require(server.requests.first)
        #expect(request.method == .get)
        #expect(request.target == "/a/b?c=d")
        #expect(
            request.headers.map(\.name) == ["Host", "Accept", "User-Agent", "Accept-Encoding", "X-One", "X-Two"])
        #expect(request.headers["Accept-Encoding"] == "gzip, deflate, br, zstd")
        #expect(request.body.isEmpty)
    }

    @Test func `a User-Agent is sent if the request sets none, and must be one line`() throws {
        var configuration = CurlConfiguration()
        configuration.userAgent = "tests/1"
        let server = try MockServer { _ in .text("ok") }
        _ = try CurlTransport(configuration).send(.get(server.url("/")))
        _ = try CurlTransport(configuration).send(.get(server.url("/")) |> .userAgent("own/2"))
        configuration.userAgent = nil
        _ = try CurlTransport(configuration).send(.get(server.url("/")))
        #expect(server.requests.map { $0.headers.values(for: "User-Agent") } == [["tests/1"], ["own/2"], []])
        configuration.userAgent = "tests/1\r\nX-Evil: 1"
        do {
            _ = try CurlTransport(configuration)
            Issue.record("accepted")
        } catch {
            #expect("\(error)".contains("the User-Agent \"tests/1\\r\\nX-Evil: 1\" cannot be used"))
        }
    }
}
