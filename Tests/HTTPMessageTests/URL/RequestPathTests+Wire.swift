import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension RequestPathTests {
    @Test func `the server receives the original value`() throws {
        let server = try MockServer { _ in .text("ok") }
        let name = "../a b/ü?x#y%"
        _ = try CurlTransport().send(PathShop(baseURL: server.url).get("files/\(name)/end?n=\(name)"))
        let received = try #require(server.requests.first)
        #expect(received.path == "/files/..%2Fa%20b%2F%C3%BC%3Fx%23y%25/end")
        #expect(received.queryItems == [.init("n", name)])
    }
}
