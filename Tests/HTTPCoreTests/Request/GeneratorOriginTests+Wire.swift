import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

extension GeneratorOriginTests {
    @Test func `nothing is sent to the other origin`() throws {
        let own = try MockServer { _ in .text("own") }
        let other = try MockServer { _ in .text("other") }
        let client = CurlTransport()
        let result = client.executeRequest(Bank(baseURL: own.url).get(RequestPath(encoded: other.url("/x"))))
        #expect(throws: HTTPError.self) { try result.get() }
        #expect(other.connectionCount == 0)
        #expect(try client.send(Bank(baseURL: own.url).get("x")).text() == "own")
        #expect(own.requests.first?.headers["Authorization"] == "Bearer secret")
        #expect(other.connectionCount == 0)
    }
}
