import HTTPEngine
import HTTPMockServer
import Testing

import HTTPCore
import HTTPCurl

/// The meaning of `http_proxy` and the other variables.
@Suite struct ProxyEnvironmentTests {
    @Test func `an invalid value affects only the calls that use it`() throws {
        let server = try MockServer { _ in .text("direct") }
        let client = try CurlTransport.plain { $0.proxy = .environment(["https_proxy": "ftp://proxy"]) }
        #expect(try client.send(.get(server.url("/"))).text() == "direct")
        let error = client.executeRequest(.get("https://api.example.test/")).error
        expectUnsupported(
            error,
            saying:
                "the environment variable https_proxy cannot be used: its value is not a proxy address: it has the unknown"
        )
        expectUnsupported(error, saying: "the unknown proxy scheme \"ftp\"")
    }

    @Test func `an invalid value does not affect an excluded host`() throws {
        let server = try MockServer { _ in .text("direct") }
        let client = try CurlTransport.plain {
            $0.proxy = .environment(["all_proxy": "ftp://proxy", "no_proxy": "127.0.0.1"])
        }
        #expect(try client.send(.get(server.url("/"))).text() == "direct")
    }
}
