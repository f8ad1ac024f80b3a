import HTTPPolicies
import Foundation
import Testing

import HTTPCore

@Suite struct NetrcTests {
    private static let text = """
        # comment
        machine a.test login me password pass1 # behind a word, too
        machine b.test
            account unused
            password "two words \\"and\\" \\\\ \\t"
            login other
        macdef init
            machine trap.test login x password y
            cd /tmp

        machine a.test login second password pass2
        MACHINE Upper.Test LOGIN "" PASSWORD p#4
        default login anonymous password guest
        """

    private func shown(_ netrc: Netrc, _ host: String, login: String? = nil) -> String {
        netrc.credentials(for: host, login: login).map { "\($0.login)/\($0.password)" } ?? "none"
    }

    @Test(arguments: [
        ("a.test", "me/pass1"), ("A.TEST", "me/pass1"), ("b.test", "other/two words \"and\" \\ \t"),
        ("upper.test", "/p#4"), ("trap.test", "anonymous/guest"), ("x.a.test", "anonymous/guest"),
    ])
    func `a host has the first entry of its name, else the default`(host: String, credentials: String) throws {
        #expect(shown(try Netrc(parsing: Self.text), host) == credentials)
    }

    @Test func `a login chooses among the entries`() throws {
        let netrc = try Netrc(parsing: Self.text)
        #expect(shown(netrc, "a.test", login: "second") == "second/pass2")
        #expect(shown(netrc, "a.test", login: "nobody") == "none")
    }

    @Test func `a machine takes precedence over an earlier default, and an empty entry does not count`() throws {
        let netrc = try Netrc(parsing: "default login d\nmachine a.test login a\nmachine b.test")
        #expect(shown(netrc, "a.test") == "a/")
        #expect(shown(netrc, "b.test") == "d/")
        #expect(shown(try Netrc(parsing: "machine a.test login a"), "c.test") == "none")
        #expect(shown(try Netrc(parsing: "\n# nothing"), "c.test") == "none")
    }

    @Test(arguments: [
        ("machine a.test\nlogin", 2), ("machine", 1), ("login x", 1), ("machine a.test login x topsecret", 1),
        ("machine a\n\npassword \"topsecret", 3), ("machine a password \"topsecret\n\"", 1),
        ("machine a password \"topsecret\"x", 1), ("machine a password \"x\\", 1), ("macdef m\nx\n\ntopsecret", 4),
        ("machine a login x\npassword #topsecret\nmachine b login y", 2),
    ])
    func `truncated or unknown input is an error with its line and without its words`(text: String, line: Int) {
        let error = #expect(throws: NetrcProblem.self) { try Netrc(parsing: text) }
        #expect(error?.description.contains("line \(line) ") == true)
        #expect(error?.description.contains("topsecret") == false)
    }

    @Test(arguments: ["login", "password", "machine"])
    func `a word right after a closing quote is an error, even a known one`(word: String) {
        let text = "machine a password \"p\"\(word) x"
        let error = #expect(throws: NetrcProblem.self) { try Netrc(parsing: text) }
        #expect(error?.description.contains("line 1 ") == true)
        #expect(error?.description.contains("something follows a closing quote") == true)
    }

    @Test func `escapes in quotes represent line ends, tabs and themselves`() throws {
        let netrc = try Netrc(parsing: #"machine a password "1\n2\r3\t4\\5\"6""#)
        #expect(netrc.credentials(for: "a")?.password == "1\n2\r3\t4\\5\"6")
    }

    @Test func `a macro may be last, and lines may end as on Windows`() throws {
        #expect(shown(try Netrc(parsing: "machine a login x password y\r\nmacdef m\r\nz"), "a") == "x/y")
        #expect(shown(try Netrc(parsing: "macdef m\r\nz\r\n\r\nmachine a login x\r\n"), "a") == "x/")
    }

    @Test func `no part of it is printed`() throws {
        let netrc = try Netrc(parsing: Self.text)
        var dumped = ""
        dump(netrc, to: &dumped)
        dump(netrc.credentials(for: "a.test"), to: &dumped)
        for text in [
            "\(netrc)", String(reflecting: netrc), "\(String(describing: netrc.credentials(for: "a")))", dumped,
        ] {
            #expect(!text.contains("pass1") && !text.contains("guest"))
        }
    }

    private func step(_ url: String, _ text: String, before: RequestStep = .none) throws -> String? {
        let netrc = try Netrc(parsing: text)
        return try Request(.get(url) |> before |> .netrc(netrc)).headers["Authorization"]
    }

    @Test func `the step adds Basic credentials for the request's host`() throws {
        let text = "machine h.test login u password p"
        #expect(try step("https://h.test:8443/x", text) == "Basic dTpw")
        #expect(try step("https://other.test/", text) == nil)
        #expect(try step("https://h.test/", text, before: .bearer("t")) == "Bearer t")
        #expect(try step("https://h.test/", text, before: .anonymous) == nil)
        #expect(try step("https://u@h.test/", text, before: .anonymous) == nil)
        #expect(try step("https://x:y@h.test/", text) == "Basic eDp5")
        #expect(try step("https://u:y@h.test/", text) == "Basic dTp5")
        #expect(try step("https://u@h.test/", text) == "Basic dTpw")
        #expect(try step("https://x@h.test/", text) == "Basic eDo=")
        let draft = MutableRequest(.get, "path", baseURL: "https://h.test/v1") |> .netrc(try Netrc(parsing: text))
        #expect(try Request(draft).headers["Authorization"] == "Basic dTpw")
        #expect(throws: HTTPError.self) { try step("https://h.test/", "machine h.test login a:b password p") }
    }
}
