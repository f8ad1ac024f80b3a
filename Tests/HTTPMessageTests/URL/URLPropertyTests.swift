import HTTPCore
import Testing

/// Properties of every URL, tried on many that are made from pieces.
@Suite struct URLPropertyTests {
    private static let hosts = ["a", "EXAMPLE.com", "[::1]", "127.0.0.1", "bücher.example"]
    private static let ports = ["", ":", ":443", ":65535"]
    private static let paths = [
        "", "/", "/a", "/a/", "/../a", "/a/./b", "//", "/%2e%2e/x", "/a%20b", "/é", "/:@!$&'()*+,;=-._~", "/a%2fb/..",
        "/...", "/.//b", "/a//..//b", "/%", "/|",
    ]
    private static let queries = ["", "?", "?a=b", "?a=b&c", "?é=%C3%A9", "?/../?", "?a[]=\"x\""]

    private static func everyURL(_ body: (HTTPURL) throws -> Void) rethrows {
        for scheme in ["http", "HTTPS"] {
            for host in hosts {
                for port in ports {
                    for path in paths {
                        for query in queries {
                            guard let url = try? HTTPURL("\(scheme)://\(host)\(port)\(path)\(query)") else { continue }
                            try body(url)
                        }
                    }
                }
            }
        }
    }

    @Test func `parsing string again gives the same URL`() throws {
        var count = 0
        try Self.everyURL { url in
            count += 1
            let again = try HTTPURL(url.string)
            if again != url || again.string != url.string { Issue.record("\(url.string) → \(again.string)") }
        }
        #expect(count > 3000)
    }

    @Test func `the sent form is printable ASCII without spaces and starts with a slash`() {
        Self.everyURL { url in
            let isSendable = url.target.utf8.allSatisfy { (0x21...0x7E).contains($0) } && url.target.hasPrefix("/")
            if !isSendable { Issue.record("\(url.target.debugDescription)") }
        }
    }

    @Test func `resolving an absolute URL gives that URL and resolving nothing gives the base`() throws {
        let base = try HTTPURL("http://base.example/x/y?z")
        try Self.everyURL { url in
            if try base.resolving(url.string) != url { Issue.record("\(url.string)") }
            if try url.resolving("") != url { Issue.record("\(url.string) and nothing") }
            if !url.target.hasPrefix("//"), try url.resolving(url.target).string != url.string {
                Issue.record("\(url.string) and its own target")
            }
        }
    }

    @Test func `equal URLs hash alike and the fragment counts`() throws {
        let one = try HTTPURL("HTTP://A:80/%2e?q#f")
        let two = try HTTPURL("http://a/?q#f")
        #expect(one == two)
        #expect(Set([one, two]).count == 1)
        #expect(try one != HTTPURL("http://a/?q#g"))
        #expect(try one != HTTPURL("http://user@a/?q#f"))
        #expect(try HTTPURL("http://a/%41") != HTTPURL("http://a/A"), "the spelling that is sent counts")
    }
}
