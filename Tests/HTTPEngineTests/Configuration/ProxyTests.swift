import HTTPEngine
import Testing

import HTTPCore

@Suite struct ProxyTests {
    @Test(arguments: [
        ("proxy", Proxy.Kind.http, "proxy", 1080), ("proxy:3128", .http, "proxy", 3128),
        ("http://proxy:80", .http, "proxy", 80), ("http://proxy", .http, "proxy", 1080),
        ("HTTP://PROXY:3128/", .http, "proxy", 3128), ("https://proxy", .https, "proxy", 443),
        ("https://proxy:8443/", .https, "proxy", 8443), ("socks4://p", .socks4, "p", 1080),
        ("socks4a://p:1", .socks4a, "p", 1), ("socks5://p", .socks5, "p", 1080),
        ("socks5h://p:9050", .socks5h, "p", 9050),
        ("http://[::1]:3128", .http, "[::1]", 3128), ("http://[::1]", .http, "[::1]", 1080),
        ("[::1]:3128", .http, "[::1]", 3128), ("10.0.0.1:8080", .http, "10.0.0.1", 8080),
        ("proxy:", .http, "proxy", 1080),
    ])
    func `a proxy is parsed with its customary port`(text: String, kind: Proxy.Kind, host: String, port: Int)
        throws
    {
        let proxy = try Proxy(text)
        #expect(proxy.kind == kind && proxy.host == host && proxy.port == port)
        #expect(proxy.user == nil && proxy.password == nil)
        #expect(proxy.url == "\(kind.rawValue)://\(host):\(port)")
    }

    @Test func `credentials are decoded and not part of the URL or the printed form`() throws {
        for text in ["us%65r:p%40ss@proxy:3128", "socks5://us%65r:p%40ss@proxy:3128"] {
            let proxy = try Proxy(text)
            #expect(proxy.user == "user" && proxy.password == "p@ss")
            #expect(!proxy.url.contains("user"))
            #expect(!"\(proxy)".contains("p@ss") && !String(reflecting: proxy).contains("p@ss"))
            #expect("\(proxy)".contains("proxy:3128"))
            #expect(!"\(ProxyConfiguration.proxy(proxy))".contains("p@ss"))
        }
    }

    /// The last @ ends the credentials, as in URLs (WHATWG URL, authority state), and a password is often given unescaped.
    @Test(arguments: [
        ("user:p@ss@proxy:3128", "p@ss"), ("http://user:@@proxy:3128", "@"), ("user:a@b@c:d@proxy:3128", "a@b@c:d"),
        ("socks5h://user:p@ss%40@proxy:3128", "p@ss@"),
    ])
    func `a password may contain an unescaped @`(text: String, password: String) throws {
        let proxy = try Proxy(text)
        #expect(proxy.user == "user" && proxy.password == password)
        #expect(proxy.host == "proxy" && proxy.port == 3128)
        #expect("\(proxy)".hasSuffix("://<redacted>@proxy:3128"))
    }

    @Test(arguments: [
        "", "ftp://proxy", "http://", "proxy:0", "proxy:abc", "pro xy", "http://[::1", "://proxy", "http://:3128",
        "http:/proxy:3128", "http://proxy:3128/path", "http://proxy?query", "proxy#fragment",
    ])
    func `an invalid proxy is refused`(text: String) {
        #expect(throws: HTTPError.self) { _ = try Proxy(text) }
    }
}

/// The proxy variables of the environment, and `no_proxy`.
@Suite struct ProxyConfigurationTests {
    private func host(_ variables: [String: String], _ url: String) throws -> String? {
        try ProxyConfiguration.environment(variables).proxy(for: HTTPURL(url).origin)?.host
    }

    @Test(
        arguments: [
            (["http_proxy": "p"], "http://h/", "p"), (["http_proxy": "p"], "https://h/", nil),
            (["HTTP_PROXY": "p"], "http://h/", nil), (["HTTP_PROXY": "p"], "https://h/", nil),
            (["https_proxy": "p"], "https://h/", "p"), (["ALL_PROXY": "p"], "http://h/", "p"),
            (["all_proxy": "p", "https_proxy": "q"], "https://h/", "q"),
            (["HTTPS_PROXY": "p"], "https://h/", "p"), (["https_proxy": "p", "HTTPS_PROXY": "q"], "https://h/", "p"),
            (["all_proxy": "p"], "http://h/", "p"), (["ALL_PROXY": "p"], "https://h/", "p"),
            (["all_proxy": "p", "http_proxy": "q"], "http://h/", "q"), (["http_proxy": ""], "http://h/", nil),
            (["http_proxy": "", "all_proxy": "p"], "http://h/", "p"), ([:], "http://h/", nil),
            (["http_proxy": "p", "no_proxy": "h"], "http://h/", nil),
            (["http_proxy": "p", "NO_PROXY": "h"], "http://h/", nil),
            (["http_proxy": "p", "no_proxy": "*"], "http://h/", nil),
            (["http_proxy": "p", "no_proxy": "x"], "http://h/", "p"),
        ] as [([String: String], String, String?)])
    func `the environment names the proxy of a scheme`(variables: [String: String], url: String, expected: String?)
        throws
    {
        #expect(try host(variables, url) == expected)
    }

    @Test func `an invalid variable is an error that names it and not its password`() throws {
        let configuration = ProxyConfiguration.environment(["https_proxy": "ftp://user:secret@p"])
        let error = try #require(throws: Unsupported.self) {
            _ = try configuration.proxy(for: HTTPURL("https://h/").origin)
        }
        #expect(error.feature.contains("https_proxy"))
        #expect(error.reason.contains("ftp"))
        #expect(!"\(error)".contains("secret"))
    }

    @Test(arguments: ["http://u:a@sec/ret%25@p:3128", "u:sec@ret?@p:3128", "http://u:sec#ret@p", "ftp://u:sec/ret@p"])
    func `an invalid address is an error without its password, whatever that has in it`(text: String) throws {
        let error = try #require(throws: HTTPError.self) { _ = try Proxy(text) }
        #expect("\(error)".contains("<redacted>@p") && !"\(error)".contains("sec"), "\(error)")
        #expect(!"\(error)".contains("ret"), "\(error)")
    }

    @Test func `a fixed proxy serves everything except exclusions`() throws {
        let fixed = ProxyConfiguration.proxy(Proxy(host: "p", port: 1), excluding: ["internal", "10.0.0.0/8"])
        #expect(try fixed.proxy(for: HTTPURL("http://h/").origin)?.host == "p")
        #expect(try fixed.proxy(for: HTTPURL("https://a.internal/").origin) == nil)
        #expect(try fixed.proxy(for: HTTPURL("http://10.9.9.9/").origin) == nil)
        #expect(try ProxyConfiguration.none.proxy(for: HTTPURL("http://h/").origin) == nil)
    }

    @Test(
        arguments: [
            "*.", "10.0.0.0/33", "https://internal", "internal/", "[fd00::]/8:80", "a b", "internal:0", "h:70000",
        ])
    func `an exclusion that no host can match is an error, and in the environment ignored`(text: String) throws {
        let fixed = ProxyConfiguration.proxy(Proxy(host: "p", port: 1), excluding: ["internal", text])
        let error = #expect(throws: Unsupported.self) { try fixed.proxy(for: HTTPURL("http://internal/").origin) }
        #expect(error?.feature == "\"\(text)\" among the exclusions of the proxy")
        let lenient = ProxyConfiguration.environment(["http_proxy": "http://p:1", "no_proxy": "other,\(text)"])
        #expect(try lenient.proxy(for: HTTPURL("http://h/").origin)?.host == "p")
        #expect(try lenient.proxy(for: HTTPURL("http://other/").origin) == nil)
    }

    @Test(
        arguments: [
            "*", "internal:80", ".internal", "*.internal", "my_host", "::1", "[::1]:80", "10.0.0.0/8", "h.", "", " ",
        ])
    func `an exclusion that can match is accepted`(text: String) throws {
        let fixed = ProxyConfiguration.proxy(Proxy(host: "p", port: 1), excluding: [text])
        #expect(throws: Never.self) { try fixed.proxy(for: HTTPURL("http://other/").origin) }
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "www.example.com", true),
        ("example.com", "notexample.com", false), ("example.com", "example.com.evil", false),
        (".example.com", "www.example.com", true), (".example.com", "example.com", true),
        ("*.example.com", "www.example.com", true), ("*.example.com", "notexample.com", false),
        ("EXAMPLE.com", "example.com", true), ("example.com", "example.com.", true),
        ("example.com.", "example.com", true),
        ("a,b", "b", true), ("a, b", "b", true), ("a b", "b", true), (" a\t, b ", "a", true), (",,a,", "a", true),
        ("*", "anything", true), ("a,*", "anything", true), ("", "h", false), (".", "h", false), ("*.", "h", false),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("10.0.0.1", "10.0.0.10", false),
        ("10.0.0.0/8", "10.255.0.1", true),
        ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3/16", "10.1.9.9", true), ("10.0.0.0/8", "10.example.com", false),
        ("0.0.0.0/0", "1.2.3.4", true), ("0.0.0.0/0", "[::1]", false), ("192.168.0.0/20", "192.168.15.1", true),
        ("192.168.0.0/20", "192.168.16.1", false), ("1.2.3.4/32", "1.2.3.4", true), ("1.2.3.4/33", "1.2.3.4", false),
        ("::1", "[::1]", true), ("[::1]", "[::1]", true), ("[::1]", "[0:0:0:0:0:0:0:1]", true),
        ("fd00::/8", "[fd12::1]", true),
        ("fd00::/8", "[fe00::1]", false),
        ("0:0:0:0:0:0:0:1", "[::1]", true), ("::ffff:1.2.3.4", "[::ffff:102:304]", true), ("1.2.3", "1.2.3.4", false),
        ("::ffff:1.2.3.4", "1.2.3.4", true), ("10.0.0.0/8", "[::ffff:10.1.2.3]", true),
        ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("::ffff:10.0.0.0/104", "11.1.2.3", false),
        ("0.1", "10.0.0.1", false),
    ])
    func `hosts are excluded by name, by subdomain and by block`(list: String, host: String, isExcluded: Bool) {
        #expect(ProxyExclusions(list: list).contain(Origin(scheme: .http, host: host)) == isExcluded)
    }

    @Test(arguments: [
        ("h.test:8080", 8080, true), ("h.test:8080", 80, false), ("h.test:8080", 8081, false), ("h.test", 8080, true),
        ("h.test:80", 80, true), (":8080", 8080, false), ("*:8080", 80, false), ("*:8080", 8080, true),
    ])
    func `a port after a name limits it to that port`(list: String, port: Int, isExcluded: Bool) {
        let origin = Origin(scheme: .http, host: "h.test", port: port)
        #expect(ProxyExclusions(list: list).contain(origin) == isExcluded)
    }

    @Test(
        arguments: [
            ("1.2.3.4", [1, 2, 3, 4]), ("255.255.255.255", [255, 255, 255, 255]), ("256.1.1.1", nil), ("1.2.3", nil),
            ("1.2.3.4.5", nil), ("1..2.3", nil), ("a.b.c.d", nil), ("+1.2.3.4", nil), ("1.02.3.4", nil),
            ("0.0.0.00", nil), ("::ffff:0177.0.0.1", nil), ("", nil), ("[]", nil),
            ("::", Array(repeating: 0, count: 16)), ("1::2::3", nil), (":::", nil), ("1:2:3:4:5:6:7", nil),
            ("1:2:3:4:5:6:7:8:9", nil), ("12345::", nil), ("::g", nil), ("::+f", nil), ("1.2.3.4::", nil), (":1", nil),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("1:2:3:4:5:6:7::", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]), ("1:2:3:4:5:6:7:8::", nil),
            ("64:ff9b::1.2.3.4", [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]), ("1.2.3.4:5::", nil),
            ("::1:1.2.3.4:1", nil),
        ] as [(String, [UInt8]?)])
    func `an address is compared by its bytes`(text: String, bytes: [UInt8]?) {
        #expect(IPAddress.bytes(of: text) == bytes)
        if text.contains(":") { #expect(IPAddress.bytes(of: "[\(text)]") == bytes) }
    }

    @Test(arguments: ["1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/-0", "1.2.3.4/+8", "1.2.3.4/x", "::/129", "name/8", "/8"])
    func `an invalid block is nil`(text: String) {
        #expect(AddressBlock(text) == nil)
    }
}
