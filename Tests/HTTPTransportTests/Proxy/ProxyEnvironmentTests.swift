import HTTPEngine
import HTTPMockServer
import Testing

import HTTPCore
import HTTPCurl

/// The meaning of `http_proxy` and the other variables.
@Suite struct ProxyEnvironmentTests {
    private let http = Origin(scheme: .http, host: "api.example.test")
    private let https = Origin(scheme: .https, host: "api.example.test")

    private func proxy(_ variables: [String: String], for origin: Origin) throws -> String? {
        try ProxyConfiguration.environment(variables).proxy(for: origin)?.url
    }

    @Test func `each scheme has its variable`() throws {
        let variables = ["http_proxy": "http://one:1", "https_proxy": "http://two:2"]
        #expect(try proxy(variables, for: http) == "http://one:1")
        #expect(try proxy(variables, for: https) == "http://two:2")
    }

    @Test func `HTTP_PROXY in capitals is ignored, because a server's client can set it`() throws {
        #expect(try proxy(["HTTP_PROXY": "http://evil:1"], for: http) == nil)
        #expect(try proxy(["HTTP_PROXY": "http://evil:1"], for: https) == nil)
    }

    @Test func `the other variables work in capitals, after those in lower case`() throws {
        #expect(try proxy(["HTTPS_PROXY": "http://upper:1"], for: https) == "http://upper:1")
        #expect(
            try proxy(["HTTPS_PROXY": "http://upper:1", "https_proxy": "http://lower:2"], for: https)
                == "http://lower:2")
        #expect(try proxy(["ALL_PROXY": "http://upper:1"], for: http) == "http://upper:1")
    }

    @Test func `all_proxy applies to a scheme without its own variable`() throws {
        let variables = ["all_proxy": "socks5h://all:3", "https_proxy": "http://two:2"]
        #expect(try proxy(variables, for: http) == "socks5h://all:3")
        #expect(try proxy(variables, for: https) == "http://two:2")
    }

    @Test func `an empty variable counts as unset`() throws {
        #expect(try proxy(["http_proxy": ""], for: http) == nil)
        #expect(try proxy(["http_proxy": "", "all_proxy": "http://all:3"], for: http) == "http://all:3")
    }

    @Test(arguments: [
        ("proxy", "http://proxy:1080"), ("proxy:3128", "http://proxy:3128"), ("http://proxy", "http://proxy:1080"),
        ("https://proxy", "https://proxy:443"), ("HTTP://PROXY:80/", "http://proxy:80"),
        ("socks5://[::1]:1080", "socks5://[::1]:1080"), ("http://user:pass@proxy:8080", "http://proxy:8080"),
    ])
    func `an address is parsed with or without its scheme and port`(text: String, url: String) throws {
        #expect(try proxy(["http_proxy": text], for: http) == url)
    }

    @Test func `credentials are decoded`() throws {
        let found = try ProxyConfiguration.environment(["http_proxy": "http://us%40er:p%3Ass@proxy:1"]).proxy(for: http)
        #expect(found?.user == "us@er")
        #expect(found?.password == "p:ss")
    }

    @Test(arguments: [
        ("example.test", "example.test", true), ("example.test", "api.example.test", true),
        (".example.test", "api.example.test", true), (".example.test", "example.test", true),
        ("*.example.test", "api.example.test", true), ("example.test", "badexample.test", false),
        ("EXAMPLE.test", "api.example.TEST", true), ("example.test.", "api.example.test", true),
        ("example.test", "api.example.test.", true), ("other.test, example.test", "example.test", true),
        ("other.test example.test", "example.test", true), ("*", "anything.test", true),
        ("10.0.0.0/8", "10.200.3.4", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "10.0.0.10", false), ("fd00::/8", "[fd12::1]", true), ("::1", "[::1]", true),
        ("[::1]", "[0:0:0:0:0:0:0:1]", true), ("10.0.0.0/99", "10.0.0.1", false), ("", "example.test", false),
        ("example.test:443", "example.test", true), ("example.test:8443", "example.test", false),
    ])
    func `no_proxy lists names, their subdomains, addresses and blocks`(list: String, host: String, isExcluded: Bool)
        throws
    {
        let variables = ["https_proxy": "http://proxy:1", "no_proxy": list]
        #expect(try proxy(variables, for: Origin(scheme: .https, host: host)) == (isExcluded ? nil : "http://proxy:1"))
    }

    @Test(arguments: ["ftp://proxy:21", "http://", "http://proxy:port", "http://pro xy", "http://user:hunter2@:1"])
    func `an invalid value is reported with its variable and without its secrets`(value: String) throws {
        let configuration = ProxyConfiguration.environment(["http_proxy": value])
        let error = #expect(throws: Unsupported.self) { try configuration.proxy(for: http) }
        #expect(error?.feature == "the environment variable http_proxy")
        #expect(error?.reason.contains("is not a proxy address") == true)
        #expect(error?.reason.contains("hunter2") == false)
    }

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
