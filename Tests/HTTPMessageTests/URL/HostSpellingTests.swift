import HTTPEngine
import HTTPObservability
import HTTPPolicies
import Foundation
import Testing

import HTTPCore
@testable import HTTPCurl

#if canImport(Glibc)
import Glibc
#endif

/// The host that a URL names in any spelling: the result is ASCII and is checked again.
@Suite struct HostSpellingTests {
    static let spellings = [
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
        ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("faß.example", "xn--fa-hia.example"),
        ("βόλος.example", "xn--nxasmm1c.example"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("ｅｘａｍｐｌｅ.com", "example.com"), ("exa\u{AD}mple.com", "example.com"), ("exa\u{200B}mple.com", "example.com"),
        ("\u{2060}example.com", "example.com"), ("ⓔⓧample.com", "example.com"), ("\u{212A}.example", "k.example"),
        ("a。b．c｡example", "a.b.c.example"), ("bücher.example.", "xn--bcher-kva.example."),
        ("bücher。", "xn--bcher-kva."), ("ＸＮ－－bcher-kva.example", "xn--bcher-kva.example"),
        ("127。0。0。1", "127.0.0.1"), ("１２７.0.0.1", "127.0.0.1"), ("１２７．０．０．１", "127.0.0.1"),
        ("1\u{AD}27.0.0.1", "127.0.0.1"), ("_a.bücher", "_a.xn--bcher-kva"),
    ]

    @Test(arguments: spellings)
    func `a host beyond ASCII becomes its A-labels`(spelled: String, host: String) throws {
        for url in ["http://\(spelled)/p", "HTTPS://u:p@\(spelled):8443?q"] {
            let parsed = try HTTPURL(url)
            #expect(parsed.host.utf8.elementsEqual(host.utf8), "\(parsed.host)")
            #expect(parsed.string.utf8.allSatisfy { $0 < 0x80 })
            #expect(try HTTPURL(parsed.string).origin == parsed.origin)
        }
    }

    @Test(arguments: spellings)
    func `a redirect, a base and an origin come to the same host`(spelled: String, host: String) throws {
        let origin = Origin(scheme: .http, host: host)
        #expect(try HTTPURL("http://a/").resolving("//\(spelled)/x").origin == origin)
        #expect(try HTTPURL("http://a/").resolving("http://\(spelled)/x", spelling: .fromServer).origin == origin)
        #expect(try Request(MutableRequest(.get, "x", baseURL: "http://\(spelled)/v1")).url.origin == origin)
        #expect(Origin(scheme: .http, host: spelled) == origin)
        #expect(try Proxy("http://\(spelled):3128").host.utf8.elementsEqual(host.utf8))
        #expect(Proxy(host: spelled, port: 3128).host.utf8.elementsEqual(host.utf8))
    }

    static let refused = [
        // Characters that become a delimiter, or an address in other digits.
        ("evil.example／x", "\"/\""), ("℀.example", "\"/\""), ("［：：1］", "\"[\""), ("％41.example", "\"%\""),
        ("a＃.example", "\"#\""), ("a？b", "\"?\""), ("a＠b.example", "\"@\""), ("a＼b.example", "\"\\\""),
        ("a：80", "\":\""), ("１２７.1", "\"127.1\" in ASCII"), ("０x7f.0.0.1", "\"0x7f.0.0.1\" in ASCII"),
        ("２１３０７０６４３３", "IPv4"), ("127。0。0。256", "IPv4"), ("0177。0。0。1", "IPv4"),
        ("010。0。0。1", "IPv4"), ("10.00.0.1", "IPv4"), ("10.0.0.01", "IPv4"),
        // Names of which nothing remains.
        ("\u{AD}", "invisible"), ("\u{200B}\u{2060}", "invisible"), ("。", "dots"), ("a。。b", "dots"),
        ("\u{AD}.example", "dots"), ("bücher..", "dots"),
        // Characters that IDNA does not allow.
        ("\u{301}a.example", "no form in ASCII"), ("a\u{200D}b.example", "no form in ASCII"),
        ("a\u{202E}b.example", "no form in ASCII"), ("xn--0.bücher", "no form in ASCII"),
        ("\u{FFFD}.example", "no form in ASCII"), (String(repeating: "ü", count: 80), "no form in ASCII"),
        ("a,b.bücher", "\",\""), (String(repeating: "ü.", count: 1000), "no name has more than 253"),
        (Array(repeating: "ü", count: 60).joined(separator: "."), "no form in ASCII"),
        // The same in ASCII.
        (".", "dots"), ("..", "dots"), ("a..b", "dots"), (".a", "dots"), ("a..", "dots"), ("..a", "dots"),
        (String(repeating: "a", count: 64) + ".example", "more than 63"),
        (String(repeating: "a.", count: 128), "no name has more than 253"),
    ]

    @Test(arguments: refused)
    func `an invalid host, also after conversion, is refused`(spelled: String, named: String) throws {
        for text in ["http://\(spelled)/", "https://\(spelled)", "http://u:p@\(spelled):80/?q"] {
            let problem = try #require(throws: HTTPError.self) { _ = try HTTPURL(text) }
            #expect(problem.description.contains(named), "\(problem)")
        }
        #expect(throws: URLProblem.self) {
            _ = try HTTPURL("http://a/").resolving("//\(spelled)/", spelling: .fromServer)
        }
        #expect(throws: HTTPError.self) { _ = try Proxy("http://\(spelled):3128") }
    }

    @Test(arguments: [
        "a", "a.", "-a.example", "a-.example", "a--b.example", "-", "a_b", "~", "xn--bcher-kva.example",
        String(repeating: "a", count: 63) + ".example", String(repeating: "a.", count: 126),
        String(repeating: "a.", count: 126) + "b",
    ])
    func `a name that systems look up is accepted unchanged`(host: String) throws {
        #expect(try HTTPURL("http://\(host)/").host == host)
        if !host.hasSuffix(".") { #expect(HTTPURL.plain("http://\(host)/")?.host == host) }
    }

    @Test(arguments: refused)
    func `an origin of an invalid name is ASCII and equals that of no URL`(spelled: String, named: String) {
        let origin = Origin(scheme: .http, host: spelled)
        #expect(origin.host.utf8.allSatisfy { $0 < 0x80 })
        if !spelled.utf8.allSatisfy({ $0 < 0x80 }) { #expect(origin.host.utf8.contains(UInt8(ascii: "%"))) }
    }

    #if canImport(Glibc)
    @Test(arguments: ["C", "C.UTF-8"])
    func `the locale of the program has no effect`(locale: String) throws {
        let chosen = newlocale(1 << LC_CTYPE, locale, nil)
        try #require(chosen != nil, "the C library has no \(locale)")
        // The locale of this thread only: the other tests keep theirs.
        let before = uselocale(chosen)
        defer {
            uselocale(before)
            freelocale(chosen)
        }
        for (spelled, host) in Self.spellings { #expect(try HTTPURL("http://\(spelled)/").host == host) }
        for (spelled, _) in Self.refused { #expect(throws: HTTPError.self) { _ = try HTTPURL("http://\(spelled)/") } }
    }
    #endif

    @Test func `both forms of a host are shown, the A-labels first`() throws {
        let url = try HTTPURL("https://Bücher.example:8443/x?token=secret")
        #expect(url.description == "https://xn--bcher-kva.example:8443/x?token=<redacted> (bücher.example)")
        #expect(url.string == "https://xn--bcher-kva.example:8443/x?token=secret")
        #expect("\(try HTTPURL("https://xn--bcher-kva.example/"))" == "https://xn--bcher-kva.example/ (bücher.example)")
        let request = try Request(.get("https://bücher.example/"))
        let failure = HTTPError.resolution(
            ResolutionFailure(host: request.url.host, record: CallRecord(request, phase: .resolving)))
        #expect("\(failure)".contains("GET https://xn--bcher-kva.example/ (bücher.example) failed"))
        #expect(request.curlCommand().contains("'https://xn--bcher-kva.example/'"))
    }

    @Test(arguments: [
        "example.com", "xn--", "xn--0", "xn--a", "xn--bcher-kva-.example", "a.xn--4dbc.example", "xn--e1aybc.xn--4dbc",
        "xn--ls8h.example", "xn--a-ecp.example",
    ])
    func `letters that could mislead are not shown, only their A-labels`(host: String) throws {
        #expect(try HTTPURL("http://\(host)/").description == "http://\(host)/")
    }

    @Test func `an error about a converted host names both forms`() throws {
        let error = try #require(throws: HTTPError.self) { _ = try Request(.get("http://１２７.1/")) }
        #expect("\(error)".contains("\"１２７.1\", which is \"127.1\" in ASCII"), "\(error)")
    }
}

/// Settings for a host apply to any spelling, in the setting or the URL.
@Suite struct HostKeyTests {
    private static let spellings = [
        "bücher.example", "BÜCHER.example.", "bu\u{308}cher。example", "xn--bcher-kva.example",
    ]

    @Test func `spellings of one host are equal, and those of two are not`() {
        for one in Self.spellings {
            for other in Self.spellings { #expect(HostName.areEqual(one, other)) }
            #expect(!HostName.areEqual(one, "bucher.example"))
        }
        for spelled in ["::1", "[::1]", "[0:0:0:0:0:0:0:1]", "0::0:1", "[::0001]", "::0.0.0.1"] {
            #expect(HostName.areEqual(spelled, "::1"), "\(spelled)")
            #expect(HostName.canonical(spelled) == "::1")
        }
        #expect(!HostName.areEqual("::2", "::1"))
        #expect(!HostName.areEqual("faß.example", "fass.example"))
    }

    @Test(arguments: [
        ("fe80::A", "fe80::a"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("::", "::"), ("1::", "1::"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("::ffff:A00:1", "::ffff:10.0.0.1"), ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"), ("[FE80::1]", "fe80::1"),
    ])
    func `an IPv6 address has one form`(spelled: String, canonical: String) {
        #expect(HostName.canonical(spelled) == canonical)
    }

    @Test(arguments: spellings)
    func `pins, certificates and exceptions apply to their host`(spelled: String) throws {
        let pin = try PublicKeyPin(sha256: String(repeating: "A", count: 43) + "=")
        var tls = TLSConfiguration(environment: [:])
        tls.pins = [spelled: [pin]]
        tls.unverifiedHosts = [spelled]
        tls.clientCertificates = [ClientCertificate(.pkcs12(.init()), hosts: [spelled])]
        for url in Self.spellings {
            let host = try HTTPURL("https://\(url)/").host
            #expect(tls.pins(for: host) == [pin])
            #expect(!tls.verifies(host))
            #expect(tls.clientCertificate(for: host) != nil)
        }
        let other = try HTTPURL("https://bucher.example/").host
        #expect(tls.pins(for: other) == nil && tls.verifies(other) && tls.clientCertificate(for: other) == nil)
    }

    @Test(arguments: spellings)
    func `proxy exclusions, netrc entries and cookies apply to their host`(spelled: String) throws {
        for url in Self.spellings {
            let parsed = try HTTPURL("http://\(url):8080/")
            for pattern in [spelled, "." + spelled, "*." + spelled, spelled + ":8080"] {
                #expect(ProxyExclusions([pattern]).contain(parsed.origin), "\(pattern)")
            }
            #expect(ProxyExclusions([spelled]).contain(try HTTPURL("http://www.\(url)/").origin))
            #expect(!ProxyExclusions([spelled]).contain(try HTTPURL("http://x\(url)/").origin))
            let netrc = try Netrc(parsing: "machine \(spelled) login me password pw")
            #expect(netrc.credentials(for: parsed.host)?.login == "me")
            #expect(netrc.credentials(for: url)?.login == "me")
            let jar = CookieJar(publicSuffixes: PublicSuffixRule { !$0.contains(".") })
            #expect(jar.store(["a=1"], from: try HTTPURL("http://\(spelled)/")))
            #expect(jar.cookies(for: parsed).map(\.domain) == ["xn--bcher-kva.example"])
            jar.removeAll(for: url)
            #expect(jar.cookies.isEmpty)
        }
    }

    #if canImport(CLibcurl)
    @Test func `an address override applies to its host, and a certificate is checked for its name`() throws {
        for spelled in Self.spellings {
            let origin = try HTTPURL("https://bücher.example:8443/").origin
            #expect(
                CurlTransferOptions.overrides([spelled: ["::1"]], for: origin) == ["xn--bcher-kva.example:8443:[::1]"])
            #expect(
                CurlTransferOptions.overrides([spelled + ":8443": ["127.0.0.1"]], for: origin)
                    == ["xn--bcher-kva.example:8443:127.0.0.1"])
            #expect(CurlTransferOptions.overrides([spelled + ":443": ["127.0.0.1"]], for: origin).isEmpty)
            let checked = CurlTransferOptions.checkedHost(origin, TLSConfiguration(environment: [:]), nil)
            #expect(checked == "xn--bcher-kva.example")
        }
    }

    @Test(arguments: ["", ":80"])
    func `of several overrides for one host the first in order applies`(port: String) throws {
        let spellings = ["h.test", "h.test.", "H.test", "h.Test", "h.TEST", "H.TEST", "H.Test", "H.TEST."]
        let keys = spellings.map { $0 + port }.sorted()
        let overrides = keys.enumerated().map { index, key in (key, ["127.0.0.\(index)"]) }
        let found = CurlTransferOptions.overrides(
            Dictionary(uniqueKeysWithValues: overrides), for: Origin(scheme: .http, host: "h.test"))
        #expect(found == ["h.test:80:127.0.0.0"])
    }
    #endif

    @Test(arguments: ["H.Test", "h.test.", "H.TEST."])
    func `capitals and the dot of the root do not change the host`(name: String) {
        #expect(HostName.canonical(name) == "h.test")
        #expect(HostName.areEqual(name, "h.test"))
    }

    @Test func `a label has at most 63 characters and a name 253`() throws {
        func host(_ labels: Int...) -> String {
            labels.map { String(repeating: "a", count: $0) }.joined(separator: ".")
        }
        for name in [host(63), host(63, 63, 63, 61), host(63, 63, 63, 61) + "."] {
            #expect(try HTTPURL("http://\(name)/").host == name)
        }
        for name in [host(64), host(1, 64), host(63, 63, 63, 62), host(63, 63, 63, 62) + "."] {
            #expect(throws: HTTPError.self) { try HTTPURL("http://\(name)/") }
        }
    }
}
