import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension BodyDecoderTests {
    @Test func `a custom decoder works over a server`() throws {
        let server = try MockServer { _ in .text("Bern") }
        let result = CurlTransport().executeRequest(.get(server.url)).decoded(as: City.self, by: decoders)
        #expect(try result.get() == City())
    }
}
