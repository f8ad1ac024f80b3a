import Straightline
import HTTPMockServer
import OwnParts
import Testing

@Suite struct LabelTests {
    @Test func `a value goes from the request to the log and to the response, and is not sent`() throws {
        let server = try MockServer { _ in .text("ok") }
        let log = LabelLog()
        let client = CurlTransport().intercepted(by: log.interceptor)
        let response = try client.executeRequest(Request(.get(server.url("/")) |> .label("start page"))).get()
        _ = try client.executeRequest(Request(.get(server.url("/other")))).get()
        #expect(log.lines == ["start page: 200"] && response[Label.self] == "start page")
        #expect(server.requests.allSatisfy { request in !request.headers.contains { $0.value.contains("start page") } })
    }
}
