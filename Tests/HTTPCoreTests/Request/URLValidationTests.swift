import HTTPCore
import Testing

/// The URL's rules, over a real server that must receive nothing. The meaning of spellings is tested with `HTTPURL`.
@Suite struct URLValidationTests {
    static let paths = [
        RefusedDraft("line feed", names: "0x0A") { .get($0 + "/a\nb") },
        RefusedDraft("CRLF", names: "0x0D") { .get($0 + "/a\r\nHost: evil") },
        RefusedDraft("NUL", names: "0x00") { .get($0 + "/\u{0}") },
        RefusedDraft("DEL", names: "0x7F") { .get($0 + "/?\u{7F}") },
        RefusedDraft("tab in the fragment", names: "0x09") { .get($0 + "/#\t") },
        RefusedDraft("space in the path", names: "space", "%20") { .get($0 + "/a b") },
        RefusedDraft("space in the query", names: "space") { .get($0 + "/?q=a b") },
        RefusedDraft("backslash", names: "backslash") { .get($0 + "/a\\b") },
        RefusedDraft("bare percent sign", names: "%25") { .get($0 + "/100%") },
        RefusedDraft("half an escape", names: "%25") { .get($0 + "/%4") },
        RefusedDraft("no escape", names: "%25") { .get($0 + "/%zz") },
        RefusedDraft("signed escape", names: "%25") { .get($0 + "/%+1") },
    ]

    @Test(arguments: paths)
    func `a path or query with invalid characters is refused`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }

    static let schemes = [
        RefusedDraft("empty", names: "no scheme") { _ in .get("") },
        RefusedDraft("no scheme", names: "no scheme") { .get(String($0.dropFirst("http://".count))) },
        RefusedDraft("no scheme but slashes", names: "no scheme") { .get(String($0.dropFirst("http:".count))) },
        RefusedDraft("no scheme but a colon", names: "no scheme") { .get(String($0.dropFirst("http".count))) },
        RefusedDraft("path only", names: "no scheme", "\"/path\"") { _ in .get("/path") },
        RefusedDraft("space before", names: "no scheme") { .get(" " + $0) },
        RefusedDraft("ftp", names: "\"ftp\"") { .get("ftp" + $0.dropFirst(4)) },
        RefusedDraft("file", names: "\"file\"") { _ in .get("file:///etc/passwd") },
        RefusedDraft("javascript", names: "\"javascript\"") { _ in .get("javascript:alert(1)") },
        RefusedDraft("no slashes", names: "\"//\"") { .get("http:" + $0.dropFirst("http://".count)) },
        RefusedDraft("no host", names: "no host") { _ in .get("http:///path") },
        RefusedDraft("port without a host", names: "no host") {
            .get("http://" + $0.dropFirst("http://127.0.0.1".count))
        },
    ]

    @Test(arguments: schemes)
    func `a URL that is not http or https with a host is refused`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }

    static let hosts = [
        RefusedDraft("port 0", names: "\"0\"") { _ in .get("http://127.0.0.1:0/") },
        RefusedDraft("port 65536", names: "\"65536\"") { _ in .get("http://127.0.0.1:65536/") },
        RefusedDraft("port of letters", names: "not a number") { _ in .get("http://127.0.0.1:abc/") },
        RefusedDraft("port -1", names: "not a number") { _ in .get("http://127.0.0.1:-1/") },
        RefusedDraft("port beyond all numbers", names: "port") { .get($0 + "99999999999999999999/") },
        RefusedDraft("open bracket", names: "bracket") { _ in .get("http://[::1/") },
        RefusedDraft("name in brackets", names: "[localhost]") { _ in .get("http://[localhost]/") },
        RefusedDraft("half an address in brackets", names: "[1:2]") { _ in .get("http://[1:2]/") },
        RefusedDraft("text behind the bracket", names: "bracket") { _ in .get("http://[::1]x:80/") },
        RefusedDraft("space in the host", names: "space") { _ in .get("http://local host/") },
        RefusedDraft("space behind the host", names: "space") { .get($0.replacing("127.0.0.1", with: "127.0.0.1 ")) },
        RefusedDraft("escape in the host", names: "\"%\"") { .get($0.replacing("127", with: "%3127")) },
        RefusedDraft("backslash in the host", names: "\\") { .get($0.replacing("127", with: "\\127")) },
        RefusedDraft("short IPv4", names: "127.1") { .get($0.replacing("127.0.0.1", with: "127.1")) },
        RefusedDraft("IPv4 as one number", names: "2130706433") {
            .get($0.replacing("127.0.0.1", with: "2130706433"))
        },
        RefusedDraft("IPv4 in hex", names: "0x7f.0.0.1") { .get($0.replacing("127.", with: "0x7f.")) },
        RefusedDraft("IPv4 in octal", names: "0177.0.0.1") { .get($0.replacing("127.", with: "0177.")) },
        RefusedDraft("host in the user's place", names: "percent-encode") {
            .get($0.replacing("http://", with: "http://user:secret/1@"))
        },
    ]

    @Test(arguments: hosts)
    func `a bad host or port is refused`(refused: RefusedDraft) throws { try refused.expectRefusal() }

    static let bases = [
        RefusedDraft("relative base", names: "no scheme", "v1 + users") { _ in
            MutableRequest(.get, "users", baseURL: "v1")
        },
        RefusedDraft("bad path", names: "the path \"a b\" contains a space at character 2") {
            MutableRequest(.get, "a b", baseURL: $0)
        },
        RefusedDraft("path of a space", names: "the path \" \" contains a space at character 1") {
            MutableRequest(.get, " ", baseURL: $0)
        },
        RefusedDraft("bad URL beside a base", names: "the URL \"http://h/ \" contains a space at character 10") {
            MutableRequest(.get, "http://h/ ", baseURL: $0)
        },
        RefusedDraft("other scheme", names: "\"ftp\"") { MutableRequest(.get, "ftp://h/", baseURL: $0) },
        RefusedDraft("credentials in a bad base", names: "space") { _ in
            MutableRequest(.get, "users", baseURL: "http://user:secret@h/a b")
        },
        RefusedDraft("secret query beside a bad path", names: "space") {
            MutableRequest(.get, "a b?token=secret", baseURL: $0)
        },
    ]

    @Test(arguments: bases)
    func `a base and a path that give no URL are refused, and what is at fault is named`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }
}
