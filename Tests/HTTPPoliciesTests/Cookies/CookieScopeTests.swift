@testable import HTTPPolicies
import Testing

import HTTPCore

/// Domains and paths.
@Suite struct CookieScopeTests {
    @Test(arguments: [
        ("example.com", "example.com", true), ("www.example.com", "example.com", true),
        ("a.b.example.com", "example.com", true), ("example.com", "www.example.com", false),
        ("badexample.com", "example.com", false), ("example.com", "com.example", false), ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "0.0.1", false), ("::1", "::1", true), ("example.com", "", false),
    ])
    func `a host belongs to a domain that is the host or ends it at a dot`(host: String, domain: String, does: Bool) {
        #expect(CookieDomain.matches(host, domain) == does)
    }

    private static let rule = PublicSuffixRule { ["com", "github.io", "test"].contains($0) }

    @Test(arguments: [
        ("", "www.example.com", "www.example.com", true), ("example.com", "www.example.com", "example.com", false),
        ("example.com", "example.com", "example.com", false), ("github.io", "github.io", "github.io", true),
        ("test", "test", "test", true), ("10.0.0.1", "10.0.0.1", "10.0.0.1", true),
    ])
    func `a Domain widens a cookie, a public suffix does not`(
        attribute: String, host: String, domain: String, isHostOnly: Bool
    ) {
        let scope = CookieDomain.scope(of: attribute, from: host, by: Self.rule)
        #expect(scope?.domain == domain)
        #expect(scope?.isHostOnly == isHostOnly)
    }

    @Test(arguments: [
        ("com", "www.example.com"), ("github.io", "me.github.io"), ("www.example.com", "example.com"),
        ("other.com", "example.com"), ("0.0.1", "10.0.0.1"), ("bücher.com", "bücher.com"), (".com", "example.com"),
        ("example.com.", "www.example.com"),
    ])
    func `a Domain that does not cover the server is refused`(attribute: String, host: String) {
        #expect(CookieDomain.scope(of: attribute, from: host, by: Self.rule) == nil)
    }

    @Test func `without a list a Domain reaches only the host`() {
        #expect(CookieDomain.scope(of: "example.com", from: "www.example.com", by: .strict) == nil)
        #expect(CookieDomain.scope(of: "example.com", from: "example.com", by: .strict)?.isHostOnly == true)
    }

    @Test(arguments: [
        ("com", true), ("co.uk", true), ("github.io", true), ("unlisted-name-of-a-lan", true), ("ck", true),
        ("example.com", false), ("example.co.uk", false), ("www.ck", false), ("me.github.io", false),
    ])
    func `the system's list knows the domains of registries`(domain: String, isPublic: Bool) throws {
        let rule = try #require(PublicSuffixLibrary.rule, "no libpsl came with libcurl")
        #expect(rule.isPublicSuffix(domain) == isPublic)
    }

    @Test(arguments: [
        ("http://h", "/"), ("http://h/", "/"), ("http://h/a", "/"), ("http://h/a/", "/a"), ("http://h/a/b", "/a"),
        ("http://h/a/b/?c/d", "/a/b"), ("http://h/?/x/y", "/"),
    ])
    func `the default path is the URL's directory`(url: String, path: String) throws {
        #expect(CookiePath.standard(for: try HTTPURL(url)) == path)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
        ("/a/b", "/a/", true), ("/ab", "/a", false), ("/a", "/a/", false), ("/A", "/a", false), ("/", "/a", false),
    ])
    func `a path matches the same path or one that continues at a slash`(path: String, cookie: String, does: Bool) {
        #expect(CookiePath.matches(path, cookie) == does)
    }
}
