import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// An unreachable proxy: the error must not blame the server.
@Suite(.timeLimit(.minutes(5))) struct ProxyFailureTests {
    @Test(arguments: ["http", "https"])
    func `an unreachable proxy is named`(scheme: String) throws {
        let port = try ReservedPort()
        let client = try CurlTransport.plain { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: port.number)) }
        let failure = expectConnectionFailure(
            client.executeRequest(.get("\(scheme)://api.example.test/")), .proxy,
            saying: "the proxy 127.0.0.1:\(port.number)",
            "api.example.test", "check its address")
        #expect(failure?.mayHaveBeenProcessed == false)
        #expect(failure?.record.proxy == "127.0.0.1:\(port.number)")
    }

    @Test(arguments: ["http", "https"])
    func `a proxy whose name has no address is named`(scheme: String) throws {
        let client = try CurlTransport.plain {
            $0.proxy = .proxy(Proxy(host: "proxy.invalid", port: 8080, user: "u", password: "hunter2"))
        }
        let result = client.executeRequest(.get("\(scheme)://api.example.test/"))
        guard let failure = expectResolutionFailure(result) else { return }
        #expect(failure.isProxy)
        #expect(failure.host == "proxy.invalid")
        expectText(
            .resolution(failure),
            saying: ["api.example.test", "the proxy host \"proxy.invalid\"", "check its spelling"])
        #expect(!"\(failure)".contains("hunter2"))
    }

    @Test func `a host whose name has no address is not taken for a proxy`() throws {
        let result = try CurlTransport.plain().executeRequest(.get("http://host.invalid/"))
        guard let failure = expectResolutionFailure(result) else { return }
        #expect(!failure.isProxy)
        #expect(failure.host == "host.invalid")
    }

    @Test func `a silent proxy is named on a timeout`() throws {
        let proxy = try MockServer()
        proxy.connectionFault = .neverRead
        let client = try CurlTransport.plain { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port)) }
        let error = client.executeRequest(.get("https://api.example.test/") |> .connectTimeout(.milliseconds(100)))
            .error
        guard case .timedOut(let failure) = error else {
            Issue.record("expected a timeout, got \(String(describing: error))")
            return
        }
        #expect(failure.limit == .connect)
        expectText(error, saying: ["api.example.test", "proxy 127.0.0.1:\(proxy.port)", ".connectTimeout(_:)"])
    }
}
