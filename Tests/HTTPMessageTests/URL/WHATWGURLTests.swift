import HTTPCore
import Testing

/// Examples from the test data of the WHATWG URL standard, for http and https: those with the same result, and those
/// with another, because a browser repairs an error.
@Suite struct WHATWGURLTests {
    private func resolved(_ text: String, _ base: String) throws(HTTPError) -> String {
        try HTTPURL(base).resolving(text).string
    }

    @Test(
        arguments: [
            ("http://user:pass@foo:21/bar;par?b#c", "http://foo:21/bar;par?b"), ("//foo/bar", "http://foo/bar"),
            (":foo.com/", "http://example.org/foo/:foo.com/"), ("", "http://example.org/foo/bar"),
            ("?", "http://example.org/foo/bar?"), ("/", "http://example.org/"), (".", "http://example.org/foo/"),
            ("..", "http://example.org/"), ("../..", "http://example.org/"), ("#β", "http://example.org/foo/bar"),
            ("::23", "http://example.org/foo/::23"), ("foo://", nil), ("/a/ /c", nil),
            ("/a%2fc", "http://example.org/a%2fc"),
            ("/a/%2f/c", "http://example.org/a/%2f/c"), ("//", nil), ("///foo", nil),
            ("./Y:", "http://example.org/foo/Y:"), ("/./.foo", "http://example.org/.foo"),
            ("/foo/./", "http://example.org/foo/"), ("/foo/bar/..", "http://example.org/foo/"),
            ("/foo/bar/../", "http://example.org/foo/"), ("/foo/bar/..bar", "http://example.org/foo/bar/..bar"),
            ("/foo/bar/../ton", "http://example.org/foo/ton"), ("/foo/bar/../ton/../../a", "http://example.org/a"),
            ("/foo/../../..", "http://example.org/"), ("/foo/../../../ton", "http://example.org/ton"),
            ("/foo/%2e", "http://example.org/foo/"), ("/foo/%2e%2", nil),
            ("/foo/%2e./%2e%2e/.%2e/%2e.bar", "http://example.org/%2e.bar"),
            ("////../..", nil), ("/foo/bar//../..", "http://example.org/foo/"),
            ("/foo/bar//..", "http://example.org/foo/bar/"),
            ("/%20foo", "http://example.org/%20foo"), ("/foo%41%7a", "http://example.org/foo%41%7a"),
            ("/foo\u{91}\u{91}", "http://example.org/foo%C2%91%C2%91"),
            ("/(%28:%3A%29)", "http://example.org/(%28:%3A%29)"),
            ("/%3A%3a%3C%3c", "http://example.org/%3A%3a%3C%3c"), ("/~%7E", "http://example.org/~%7E"),
            ("/你好你好", "http://example.org/%E4%BD%A0%E5%A5%BD%E4%BD%A0%E5%A5%BD"),
            ("/‥/foo", "http://example.org/%E2%80%A5/foo"),
            ("/?q=\"'<>", "http://example.org/?q=%22'%3C%3E"), ("/`{}|^", "http://example.org/%60%7B%7D%7C%5E"),
            ("?a=b&c=d", "http://example.org/foo/bar?a=b&c=d"), ("?a=/../b", "http://example.org/foo/bar?a=/../b"),
            ("http://f:/c", "http://f/c"), ("http://f:00000000000000000000080/c", "http://f/c"),
            ("HTTP://EXAMPLE.ORG:80/", "http://example.org/"), ("http://a:b@c:29/d", "http://c:29/d"),
            ("http://[2001::1]:80/", "http://[2001::1]/"), ("http://192.168.0.1/", "http://192.168.0.1/"),
            ("http://foo:-80/", nil), ("http://f:fifty-two/c", nil), ("http://f:65536/c", nil), ("http://f: 21/b", nil),
            ("http://[google.com]", nil), ("http://[::1.2.3.4x]", nil), ("http://a<b", nil), ("http://a^b", nil),
            ("http://ho%20st/", nil), ("http://a b/", nil), ("https://", nil), ("http://@/www", nil),
        ] as [(String, String?)])
    func `the results of the standard`(text: String, expected: String?) {
        #expect((try? resolved(text, "http://example.org/foo/bar")) == expected)
    }

    @Test(arguments: [
        // Spaces and controls: removed or encoded there.
        (" /x ", "space"), ("/a b", "space"), ("/a\tb", "0x09"), ("/a\nb", "0x0A"), ("\u{0}x", "0x00"),
        // A backslash is a slash there.
        ("\\x", "backslash"), ("/a\\..\\b", "backslash"), ("http:\\\\x\\", "\"//\""),
        // Missing or surplus slashes are repaired there.
        ("http:example.com/", "\"//\""), ("http:/example.com/", "\"//\""), ("http:foo.com", "\"//\""),
        ("http:///example.com/", "no host"), ("///x.x.com/", "no host"),
        // A percent sign without two digits is kept there.
        ("/%", "%25"), ("/foo%", "%25"), ("/foo%2zbar", "%25"), ("?%zz", "%25"),
        // Numbers in other notations are addresses there.
        ("http://0x7f.1/", "IPv4"), ("http://0177.0.0.1/", "IPv4"), ("http://2130706433/", "IPv4"),
        ("http://192.168.257/", "IPv4"),
        // An encoded host is decoded there, and a port 0 kept.
        ("http://%66oo.com/", "\"%\""), ("http://f:0/c", "\"0\""),
    ])
    func `errors where the standard repairs`(text: String, named: String) throws {
        let problem = try #require(throws: HTTPError.self) { _ = try resolved(text, "http://example.org/foo/bar") }
        #expect(problem.description.contains(named), "\(problem)")
    }
}
