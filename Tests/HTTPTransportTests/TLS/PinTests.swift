import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// The keys that a host may have.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct PinTests {
    private func transport(_ pins: [String: [PublicKeyPin]]) throws -> CurlTransport {
        try CurlTransport.forTests { $0.tls.pins = pins }
    }

    @Test func `a host with the pinned key is reached`() throws {
        let server = try NginxServer(.good)
        let client = try transport(["localhost": [Identity.good.pin()]])
        #expect(try client.send(.get(server.url())).status == .ok)
        #expect(server.origin.requestCount == 1)
    }

    @Test func `a host with another key gets nothing, although its certificate is trusted`() throws {
        let server = try NginxServer(.good)
        let client = try transport(["localhost": [Identity.second.pin()]])
        let result = client.executeRequest(.post(server.url("/pay")) |> .text("secret"))
        let failure = expectTLSFailure(
            result, .wrongPin, saying: "POST https://localhost:\(server.port)/pay", "update TLSConfiguration.pins")
        #expect(failure?.record.phase == .securing)
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a backup pin is enough`() throws {
        let server = try NginxServer(.good)
        let client = try transport(["localhost": [Identity.second.pin(), Identity.good.pin()]])
        #expect(try client.send(.get(server.url())).status == .ok)
    }

    @Test func `a pin does not make an untrusted certificate trusted`() throws {
        let server = try NginxServer(.selfSigned)
        let client = try transport(["localhost": [Identity.selfSigned.pin()]])
        expectTLSFailure(client.executeRequest(.get(server.url())), .untrusted, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a pin is checked for an unverified host, too`() throws {
        let server = try NginxServer(.selfSigned)
        let client = try CurlTransport.forTests {
            $0.tls.unverifiedHosts = ["localhost"]
            $0.tls.pins = ["localhost": [try Identity.good.pin()]]
        }
        expectTLSFailure(client.executeRequest(.get(server.url())), .wrongPin, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 0)
    }

    @Test func `a redirect to a host with a wrong key is not followed`() throws {
        let (first, second) = (try NginxServer(.good), try NginxServer(.second))
        first.origin.enqueue(.redirect(to: second.url("/next", host: "127.0.0.1")))
        let client = try transport(["127.0.0.1": [Identity.good.pin()]])
        let failure = expectTLSFailure(
            client.executeRequest(.get(first.url())), .wrongPin, saying: "127.0.0.1:\(second.port)/next")
        #expect(failure?.record.redirects.map(\.status) == [.found])
        #expect(first.origin.requestCount == 1)
        #expect(second.origin.requestCount == 0)
    }

    @Test func `a pin for one host does not apply to another`() throws {
        let (first, second) = (try NginxServer(.good), try NginxServer(.second))
        first.origin.enqueue(.redirect(to: second.url("/next", host: "127.0.0.1")))
        let client = try transport(["localhost": [Identity.good.pin()]])
        #expect(try client.send(.get(first.url())).status == .ok)
        #expect(try second.origin.takeRequest().target == "/next")
    }

    @Test(arguments: ["A.Example.Test", "a.example.test."])
    func `a pin applies to its host in any spelling`(spelling: String) throws {
        let server = try NginxServer(.named)
        let client = try CurlTransport.forTests {
            $0.tls.pins = [spelling: [try Identity.good.pin()]]
            $0.addressOverrides = ["a.example.test": ["127.0.0.1"], "a.example.test.": ["127.0.0.1"]]
        }
        for host in ["a.example.test", "a.example.test.", "A.EXAMPLE.test"] {
            expectTLSFailure(client.executeRequest(.get(server.url(host: host))), .wrongPin)
        }
        #expect(server.origin.requestCount == 0)
    }

    @Test(arguments: ["*.localhost", "localhost:443", "https://localhost", ".localhost", "", "local host", "[::1"])
    func `pins, and other settings, for what is no host are refused, since they would protect nothing`(name: String)
        throws
    {
        let pin = try Identity.second.pin()
        let changes: [(inout CurlConfiguration) -> Void] = [
            { $0.tls.pins = [name: [pin]] }, { $0.tls.unverifiedHosts = [name] },
            { $0.tls.clientCertificates = [ClientCertificate(.pkcs12(.init()), hosts: [name])] },
        ]
        for change in changes {
            var configuration = CurlConfiguration()
            change(&configuration)
            let error = #expect(throws: HTTPError.self) { try CurlTransport(configuration) }
            expectUnsupported(error, saying: "\"\(name)\" among the")
        }
        for host in ["::1", "[::1]", "127.0.0.1", "a_b.example", "localhost."] {
            _ = try transport([host: [pin]])
        }
    }

    @Test func `an empty list of pins is refused before the first request`() {
        let error = #expect(throws: HTTPError.self) { try transport(["localhost": []]) }
        expectUnsupported(error, saying: "localhost", "leave the host out")
    }
}
