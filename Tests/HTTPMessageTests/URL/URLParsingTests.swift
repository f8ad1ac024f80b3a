import HTTPCore
import Testing

/// The result of `HTTPURL` for a text, and what it refuses.
@Suite struct URLParsingTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTP://EXAMPLE.com/Path", "http://example.com/Path"),
        ("http://example.com?q", "http://example.com/?q"),
        ("http://example.com?", "http://example.com/?"),
        ("http://example.com#f", "http://example.com/"),
        ("http://example.com:80/", "http://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com:0080/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:80/", "https://example.com:80/"),
        ("http://example.com:65535/", "http://example.com:65535/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"), ("http://[::1]/a@b", "http://[::1]/a@b"),
        ("http://[FE80::A]/", "http://[fe80::a]/"),
        ("http://[::ffff:10.0.0.1]/", "http://[::ffff:10.0.0.1]/"),
        ("http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://example.com./", "http://example.com./"),
        ("http://a_b.example/", "http://a_b.example/"),
        ("http://user:pw@example.com/", "http://example.com/"),
        ("http://example.com/a/../b/./c", "http://example.com/b/c"),
        ("http://example.com/a/%2e%2E/b", "http://example.com/b"),
        ("http://example.com/..", "http://example.com/"),
        ("http://example.com/a/b/..", "http://example.com/a/"),
        ("http://example.com/a/.", "http://example.com/a/"),
        ("http://example.com/a//../b", "http://example.com/a/b"),
        ("http://example.com//a", "http://example.com//a"),
        ("http://example.com/.hidden/..x/...", "http://example.com/.hidden/..x/..."),
        ("http://example.com/?a=/../b", "http://example.com/?a=/../b"),
        ("http://example.com/ä/€?ü=ß", "http://example.com/%C3%A4/%E2%82%AC?%C3%BC=%C3%9F"),
        ("http://example.com/😀", "http://example.com/%F0%9F%98%80"),
        ("http://example.com/a%2Fb%20c", "http://example.com/a%2Fb%20c"),
        ("http://example.com/\"<>^`{|}", "http://example.com/%22%3C%3E%5E%60%7B%7C%7D"),
        ("http://example.com/a?x[]=1&y=;,!*'()", "http://example.com/a?x[]=1&y=;,!*'()"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ])
    func `a URL is normalized to the spelling that is sent`(text: String, sent: String) throws {
        #expect(try HTTPURL(text).string == sent)
    }

    @Test(arguments: [
        ("", "no scheme"), ("example.com/path", "no scheme"), ("/path", "no scheme"), ("//example.com/", "no scheme"),
        ("://example.com/", "no scheme"), (" http://example.com/", "no scheme"), ("localhost:8080/", "no scheme"),
        ("ftp://example.com/", "scheme \"ftp\""), ("file:///etc/passwd", "scheme \"file\""),
        ("javascript:alert(1)", "scheme \"javascript\""), ("ws://example.com/", "scheme \"ws\""),
        ("http:example.com", "no \"//\""), ("http:/example.com", "no \"//\""), ("http:\\\\example.com\\", "no \"//\""),
        ("http://", "no host"), ("http:///path", "no host"), ("http://:80/", "no host"), ("http://?q", "no host"),
        ("http://user@/", "no host"),
        ("http://example.com:0/", "\"0\""), ("http://example.com:65536/", "\"65536\""),
        ("http://example.com:abc/", "not a number"), ("http://example.com:-1/", "not a number"),
        ("http://example.com:+80/", "not a number"), ("http://example.com:99999999999999999999/", "from 1 to 65535"),
        ("http://a:b:80/", "not a number"),
        ("http://[::1/", "closing bracket"), ("http://[::1]80/", "after the bracket"),
        ("http://[]/", "IPv6"), ("http://[1:2]/", "IPv6"), ("http://[::1::]/", "IPv6"), ("http://[12345::]/", "IPv6"),
        ("http://[example.com]/", "IPv6"), ("http://[::1%25eth0]/", "IPv6"), ("http://[127.0.0.1]/", "IPv6"),
        ("http://::1/", "brackets"), ("http://a]b/", "\"]\""),
        ("http://a b/", "contains a space"), ("http://a\\b/", "\"\\\""), ("http://a%41/", "\"%\""),
        ("http://a,b/", "\",\""),
        ("http://a<b/", "\"<\""), ("http://a|b/", "\"|\""), ("http://a\"b/", "\"\"\""),
        ("http://127.1/", "IPv4"), ("http://2130706433/", "IPv4"), ("http://0x7f.0.0.1/", "IPv4"),
        ("http://0x7f000001/", "IPv4"), ("http://127.0.0.256/", "IPv4"), ("http://0177.0.0.1/", "IPv4"),
        ("http://127.0.0.1.5./", "IPv4"),
        ("http://example.com/a b", "space"), ("http://example.com/?a b", "space"),
        ("http://example.com/a\\b", "backslash"), ("http://example.com/%", "\"%\""),
        ("http://example.com/%2", "\"%\""), ("http://example.com/%zz", "\"%\""), ("http://example.com/?%+1", "\"%\""),
        ("http://example.com/\n", "0x0A"), ("http://example.com/\r\n", "0x0D"), ("http://example.com/\u{0}", "0x00"),
        ("http://exa\tmple.com/", "0x09"), ("http://example.com/\u{7F}", "0x7F"),
        ("http://example.com/#\u{1B}", "0x1B"),
        ("http://us%ffer@example.com/", "user information"), ("http://us%0aer@example.com/", "user information"),
        ("http://us%+1er@example.com/", "user information"), ("http://us%3Aer:pw@example.com/", "colon"),
        ("http://user:p/w@example.com/", "percent-encode"), ("http://user:p?w@example.com/", "percent-encode"),
        ("http://user:p#w@example.com/", "percent-encode"),
    ])
    func `an ambiguous URL is refused with a phrase that names the fault`(
        text: String, named: String
    ) throws {
        let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL(text) }
        #expect(problem.description.contains(named), "\(problem)")
    }

    @Test func `a URL is split into the parts that a request needs`() throws {
        let url = try HTTPURL("HTTPS://Us%65r:p%40ss%3A1@Example.COM:8443/a%2Fb/c?x=1&y=%C3%A9?#frag?/#2")
        #expect(url.scheme == .https)
        #expect(url.host == "example.com")
        #expect(url.port == 8443)
        #expect(url.origin == Origin(scheme: .https, host: "EXAMPLE.com", port: 8443))
        #expect(url.origin.authority == "example.com:8443")
        #expect(url.path == "/a%2Fb/c")
        #expect(url.query == "x=1&y=%C3%A9?")
        #expect(url.target == "/a%2Fb/c?x=1&y=%C3%A9?")
        #expect(url.fragment == "frag?/#2")
        #expect(url.userinfo?.user == "User")
        #expect(url.userinfo?.password == "p@ss:1")
        #expect(url.string == "https://example.com:8443/a%2Fb/c?x=1&y=%C3%A9?")
    }

    @Test(arguments: ["2001:DB8::8", "[2001:db8::8]"])
    func `an origin of an IPv6 address has its brackets, as that of a URL has`(host: String) throws {
        let origin = Origin(scheme: .https, host: host, port: 8443)
        #expect(origin.authority == "[2001:db8::8]:8443")
        #expect(origin == (try HTTPURL("https://[2001:DB8::8]:8443/")).origin)
    }

    @Test func `absent parts are nil and empty parts are empty`() throws {
        let bare = try HTTPURL("http://a/")
        #expect(bare.query == nil && bare.fragment == nil && bare.userinfo == nil)
        let empty = try HTTPURL("http://a/?#")
        #expect(empty.query?.isEmpty == true)
        #expect(empty.fragment?.isEmpty == true)
        #expect(try HTTPURL("http://user@a/").userinfo?.password == "")
        #expect(try HTTPURL("http://@a/").userinfo == nil)
        #expect(try HTTPURL("http://:@a/").userinfo == nil)
    }

    @Test(arguments: [(Origin.Scheme.http, 80), (.https, 443)])
    func `the port of the scheme is the default and not part of the authority`(scheme: Origin.Scheme, port: Int) {
        let origin = Origin(scheme: scheme, host: "h")
        #expect(origin.port == port)
        #expect(origin.authority == "h")
        #expect(origin == Origin(scheme: scheme, host: "h", port: port))
        #expect(Origin(scheme: scheme, host: "h", port: 8080).description == "\(scheme)://h:8080")
    }

    @Test(arguments: [
        "http://[fe80::1%25eth0]/", "https://[fe80::1%eth0]:8443/x", "http://u@[FE80::%252]/", "//[::1%25lo]/",
    ])
    func `an IPv6 address with a zone is refused with what to do`(text: String) throws {
        let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL("http://a/").resolving(text) }
        #expect(
            "\(problem)".contains("with a zone (RFC 6874)") && "\(problem)".contains("use a host name"), "\(problem)")
    }
}
