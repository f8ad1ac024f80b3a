import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

extension ParametersStepTests {
    @Test func `a property list arrives with its type, in XML unless binary is requested`() throws {
        let server = try MockServer { _ in .text("ok") }
        let client = CurlTransport()
        _ = try client.send(.post(server.url) |> .propertyList(Login()))
        _ = try client.send(.post(server.url) |> .contentType("text/xml") |> .propertyList(Login(), format: .binary))
        let (xml, binary) = (server.requests[0], server.requests[1])
        #expect(xml.headers.values(for: "Content-Type") == ["application/x-plist"])
        #expect(binary.headers.values(for: "Content-Type") == ["text/xml"])
        #expect(xml.text.hasPrefix("<?xml") && binary.text.hasPrefix("bplist00"))
        for request in [xml, binary] {
            #expect(try PropertyListDecoder().decode(Login.self, from: Data(request.body)) == Login())
        }
    }
}
