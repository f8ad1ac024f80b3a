import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

extension RequestValidationTests {
    @Test(arguments: ["a\tb", "", "é €", "\"quoted\", (comment); x=1", "a: b", "😀", "\u{80}"])
    func `any other header value is sent unchanged`(value: String) throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try CurlTransport().send(.get(server.url) |> .header("X-Header", value))
        #expect(server.requests.first?.headers["X-Header"].map { Array($0.utf8) } == Array(value.utf8))
    }
}
