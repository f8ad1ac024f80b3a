import HTTPPolicies
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

@Suite(.timeLimit(.minutes(5))) struct NetrcExchangeTests {
    @Test func `the host gets its credentials, and no other host does after a redirect`() throws {
        let other = try MockServer { _ in .text("other") }
        let server = try MockServer { request in
            request.path == "/away" ? .redirect(to: "http://localhost:\(other.port)/") : .text("here")
        }
        let netrc = try Netrc(parsing: "machine 127.0.0.1 login u password p\nmachine localhost login x password y")
        let client = try CurlTransport.plain { $0.addressOverrides = ["localhost": ["127.0.0.1"]] }
        #expect(try client.send(.get(server.url("/")) |> .netrc(netrc)).text() == "here")
        #expect(try client.send(.get(server.url("/away")) |> .netrc(netrc)).text() == "other")
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Basic dTpw", "Basic dTpw"])
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
    }
}
