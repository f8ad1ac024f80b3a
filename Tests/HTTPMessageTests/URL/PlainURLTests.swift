import Testing

import HTTPCore

/// The fast parser for plain URLs and the general parser must agree.
@Suite struct PlainURLTests {
    private static let hosts = [
        "a", "a.example", "A.example", "a.example.", "a..b", ".a", "", "1", "1.2.3", "127.0.0.1", "127.0.0.01",
        "256.0.0.1", "0.0.0.0", "1.2.3.4.", "1.2.3.4.5", "0x7f.1", "a.0x1", "a.1", "a.1b", "1a", "[::1]",
        "a_b~c-d", "a%41", "ü.example", "a b", "user@a", "user:pw@a", "user:p/w@a", "@a", "a\\b",
        "xn--bcher-kva.example", "255.255.255.255", "1.2.3.1000", ".", "..", "a..", "a.b..c", "-a-", "u@v@a",
        String(repeating: "a", count: 63), String(repeating: "a", count: 64), String(repeating: "a", count: 64) + ".b",
        String(repeating: "a.", count: 126) + "b", String(repeating: "a.", count: 127),
    ]
    private static let ports = [
        "", ":", ":0", ":1", ":80", ":443", ":65535", ":65536", ":00080", ":000080", ":8a", ":-1",
    ]
    private static let targets = [
        "", "/", "?", "?a=b", "/a/b?c=d&e", "/.", "/a/..", "/a/../b", "/.a", "/a.", "/%2e", "/%", "/%41", "/a b",
        "/é", "/a\\b", "/?/.", "?/../a", "#f", "/#", "/a#b", "/a?b#c", "//", "//a//", "/[x]?a[]=1", "/|",
        "/\u{7F}", "/a\n", "/@",
    ]

    @Test func `the fast parser gives the same result as the general one`() throws {
        var taken = 0
        for scheme in ["http://", "https://", "HTTP://", "http:/", "ftp://", "http:", "", "https", "http://://"] {
            for host in Self.hosts {
                for port in Self.ports {
                    for target in Self.targets {
                        let text = scheme + host + port + target
                        guard let plain = HTTPURL.plain(text) else { continue }
                        taken += 1
                        let general = try? HTTPURL(text, spelling: .strict)
                        if general != plain || general?.string != plain.string { Issue.record("\(text) → \(plain)") }
                    }
                }
            }
        }
        #expect(taken > 1000)
    }

    @Test(arguments: [
        "http://a", "https://api.example.com/v2/issues?page=2&q[]=a,b", "http://127.0.0.1:8080/", "http://a?b",
        "http://a:80",
    ])
    func `usual URLs take the fast parser`(text: String) {
        #expect(HTTPURL.plain(text) != nil)
    }
}
