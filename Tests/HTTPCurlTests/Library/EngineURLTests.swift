import CLibcurl
import TestSupport
import Testing

import HTTPCore

/// libcurl's URL API reads the same origin as we do, both in the text it is given and in the original one. `make soak` takes
/// all combinations of the parts, `make test` all of any two, beside plain others, and each 31st of the rest.
@Suite struct EngineURLTests {
    private struct Parts: Equatable, CustomStringConvertible {
        var scheme, host, port, target: String
        var description: String { "\(scheme)://\(host):\(port)\(target)" }
    }

    /// Nil where libcurl refuses the text.
    private static func read(_ text: String) -> Parts? {
        let url = curl_url()
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, CUnsignedInt(CURLU_PATH_AS_IS)) == CURLUE_OK else { return nil }
        func part(_ part: CURLUPart) -> String {
            var value: UnsafeMutablePointer<CChar>?
            let flags = part == CURLUPART_PORT ? CUnsignedInt(CURLU_DEFAULT_PORT) : 0
            guard curl_url_get(url, part, &value, flags) == CURLUE_OK, let value else { return "" }
            defer { curl_free(value) }
            return String(cString: value)
        }
        let query = part(CURLUPART_QUERY)
        return Parts(
            scheme: ASCII.lowercased(part(CURLUPART_SCHEME)), host: HostName.canonical(part(CURLUPART_HOST)),
            port: part(CURLUPART_PORT), target: part(CURLUPART_PATH) + (query.isEmpty ? "" : "?" + query))
    }

    private static let userinfos = [
        "", "u@", "u:p@", "good.example@", "good.example:80@", "good.example%2F@", "good.example\\@", "a@b@", "@", ":@",
        "good.example／@", "[::1]@", "good.example%00@", "\u{33A}@", "u:p%40good.example@", "good.example;@", "a b@",
        "good.example#@", "good.example?@", "good.example/@", "good.example:@", "%67@", "u\u{301}@", "::@",
    ]
    private static let hosts = [
        "evil.example", "EVIL.example", "evil.example.", "evil.example..", ".evil.example", "evil..example", ".", "",
        "127.0.0.1", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.0.0.1.", "127。0。0。1", "１２７.0.0.1",
        "[::1]", "[::FFFF:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "[::1%25lo]", "[::1%lo]", "[127.0.0.1]", "::1", "[::1",
        "bücher.example", "xn--bcher-kva.example", "evil%2Eexample", "%65vil.example", "evil.example%00.good.example",
        "evil.example\\.good.example", "evil.example／.good.example", "evil,good.example", "evil;good.example",
        "evil\u{AD}.example", "evil_x.example", "-evil.example", "evil~.example", "good.example&evil.example",
        "evil.example\u{33A}", "evil example", "evil\u{3002}example", "\u{200B}evil.example", "ｅｖｉｌ.example",
    ]
    private static let ports = ["", ":", ":80", ":443", ":08080", ":0", ":65536", ":8a", ":80:81", ":\u{301}80", ":-1"]
    private static let tails = [
        "", "/", "/@good.example", "\\@good.example/", "?@good.example/", "#@good.example/", "/\\@good.example",
        "/a/../b?c#d", ":81", "/%2e%2e/x", "?a=b?c", "//good.example/",
    ]

    @Test func `the engine reads the host, port and target of the URL`() throws {
        var (accepted, number) = (0, 0)
        let schemes = ["http://", "HTTPS://", "http:/", "http:///", "http:\\\\"]
        for (scheme, schemeText) in schemes.enumerated() {
            for (userinfo, userinfoText) in Self.userinfos.enumerated() {
                for (host, hostText) in Self.hosts.enumerated() {
                    for (port, portText) in Self.ports.enumerated() {
                        for (tail, tailText) in Self.tails.enumerated() {
                            number += 1
                            // The first of each list is the plain one.
                            let special = [scheme, userinfo, host, port, tail].count { $0 > 0 }
                            guard special <= 2 || Soak.tries(number, of: 31) else { continue }
                            let text = schemeText + userinfoText + hostText + portText + tailText
                            guard let url = try? HTTPURL(text) else { continue }
                            accepted += 1
                            compare(url, spelled: text)
                        }
                    }
                }
            }
        }
        #expect(accepted > 2000)
    }

    private func compare(_ url: HTTPURL, spelled text: String) {
        let expected = Parts(
            scheme: url.scheme.rawValue, host: HostName.canonical(url.host), port: "\(url.port)", target: url.target)
        // libcurl does not tell an empty query from none.
        let hasEmptyQuery = url.target.utf8.last == UInt8(ascii: "?")
        let sent = Self.read(url.string)
        if sent != expected, !hasEmptyQuery { Issue.record("\(text): \(expected), the engine \(sent as Any)") }
        // It converts other scripts by the locale, so such text is never passed to it.
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let read = Self.read(text) else { return }
        if read.scheme != expected.scheme || read.host != expected.host || read.port != expected.port {
            Issue.record("\(text): \(expected), the engine in the spelling \(read)")
        }
    }
}
