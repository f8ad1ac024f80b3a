import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// Hosts beyond ASCII, over real connections: the destination of the request, and the name in the certificate.
@Suite(.timeLimit(.minutes(5))) struct InternationalHostTests {
    private static let spellings = ["bücher.example", "BÜCHER。example", "bu\u{308}cher.exa\u{AD}mple"]

    @Test(arguments: spellings)
    func `a request goes to the A-labels, with an override in any spelling`(spelled: String) throws {
        let server = try MockServer { _ in .text("hello") }
        for key in Self.spellings + ["xn--bcher-kva.example"] {
            let client = try CurlTransport.plain { $0.addressOverrides = [key: ["127.0.0.1"]] }
            #expect(try client.send(.get("http://\(spelled):\(server.port)/")).status == .ok)
            #expect(try server.takeRequest().headers["Host"] == "xn--bcher-kva.example:\(server.port)")
        }
    }

    @Test func `an address in other digits is that address, pinned and excluded like it`() throws {
        let server = try MockServer { _ in .text("hello") }
        let proxy = Proxy(host: "127.0.0.1", port: try ReservedPort().number)
        let client = try CurlTransport.plain { $0.proxy = .proxy(proxy, excluding: ["127.0.0.1"]) }
        for host in ["127。0。0。1", "１２７.0.0.1", "12\u{AD}7.0.0.1"] {
            let response = try client.send(.get("http://\(host):\(server.port)/"))
            #expect(response.url.host == "127.0.0.1")
            #expect(try server.takeRequest().headers["Host"] == "127.0.0.1:\(server.port)")
        }
    }

    @Test func `a redirect beyond ASCII goes to the A-labels and drops credentials`() throws {
        let (first, second) = (try MockServer(), try MockServer { _ in .text("there") })
        let location = "http://bücher.example:\(second.port)/next"
        first.enqueue(.redirect(to: location))
        let client = try CurlTransport.plain { $0.addressOverrides = ["bücher.example": ["127.0.0.1"]] }
        let response = try client.send(.get(first.url("/")) |> .bearer("t"))
        #expect(response.url.string == "http://xn--bcher-kva.example:\(second.port)/next")
        let received = try second.takeRequest()
        #expect(received.headers["Host"] == "xn--bcher-kva.example:\(second.port)")
        #expect(received.headers["Authorization"] == nil)
    }

    @Test func `a host that cannot be converted is refused without a connection`() throws {
        let server = try MockServer { _ in .text("hello") }
        let error = try CurlTransport.plain().executeRequest(.get("http://127.0.0.1\u{202E}:\(server.port)/")).error
        guard case .invalidRequest = error else {
            Issue.record("expected .invalidRequest, got \(String(describing: error))")
            return
        }
        expectText(error, saying: ["127.0.0.1\\u{202E}", "no form in ASCII"])
        #expect(server.connectionCount == 0)
    }

    @Test func `a proxy whose name cannot be converted is refused, and nothing is resolved`() throws {
        let error = #expect(throws: HTTPError.self) {
            try CurlTransport.plain { $0.proxy = .proxy(Proxy(host: "b\u{202E}d.example", port: 1)) }
        }
        expectUnsupported(error, saying: "b\\u{202E}d.example", "no form in ASCII")
    }

    @Test(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), arguments: spellings)
    func `a certificate must name the A-labels among its alternative names`(spelled: String) throws {
        let cases: [(Identity, TLSFailure.Reason?)] = [
            (.international, nil), (.internationalCommonName, .wrongHost), (.good, .wrongHost),
        ]
        for (identity, reason) in cases {
            let server = try NginxServer(identity)
            let client = try CurlTransport.forTests { $0.addressOverrides = ["bücher.example": ["127.0.0.1"]] }
            let result = client.executeRequest(.get(server.url(host: spelled)))
            if let reason {
                expectTLSFailure(result, reason, saying: "xn--bcher-kva.example:\(server.port)", "(bücher.example)")
            } else {
                #expect(result.response?.status == .ok, "\(result)")
            }
            #expect(server.origin.requestCount == (reason == nil ? 1 : 0))
        }
    }

    @Test(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), arguments: spellings)
    func `pins and exceptions apply to every spelling of their host`(spelled: String) throws {
        let server = try NginxServer(.international)
        for key in Self.spellings + ["xn--bcher-kva.example"] {
            let client = try CurlTransport.forTests {
                $0.addressOverrides = ["bücher.example": ["127.0.0.1"]]
                $0.tls.pins = [key: [try Identity.second.pin()]]
            }
            expectTLSFailure(client.executeRequest(.get(server.url(host: spelled))), .wrongPin)
        }
        #expect(server.origin.requestCount == 0)
        let bench = try NginxServer(.selfSigned)
        let client = try CurlTransport.forTests {
            $0.addressOverrides = ["bücher.example": ["127.0.0.1"]]
            $0.tls.unverifiedHosts = ["xn--bcher-kva.example"]
        }
        #expect(try client.send(.get(bench.url(host: spelled))).status == .ok)
    }
}
