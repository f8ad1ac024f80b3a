import Foundation
import Testing

import HTTPCore

/// The printable form of a URL, and of text that is not one.
@Suite struct RedactionTests {
    @Test(
        arguments: [
            ("https://h/", "https://h/"),
            ("https://user:secret@h/", "https://h/"), ("https://h/?a=1?token=x", "https://h/?a=1?token=<redacted>"),
            ("https://h/p?page=2&q=x", "https://h/p?page=2&q=x"),
            ("https://h/p?access_token=secret&page=2", "https://h/p?access_token=<redacted>&page=2"),
            ("https://h/p?API-KEY=secret", "https://h/p?API-KEY=<redacted>"),
            ("https://h/p?X-Amz-Signature=secret&X-Amz-Credential=secret", nil),
            ("https://h/p?password=secret", nil), ("https://h/p?client_secret=secret", nil),
            ("https://h/p?code=secret&state=1", nil), ("https://h/p?sig=secret", nil), ("https://h/p?jwt=secret", nil),
            ("https://h/p?%74oken=secret", nil), ("https://h/p?session_id=secret", nil),
            ("https://h/p?pwd=secret", nil), ("https://h/p?pw=secret&power=2", "https://h/p?pw=<redacted>&power=2"),
            ("https://h/p?hmac=secret", nil), ("https://h/p?wifi_psk=secret", nil),
            ("https://h/p?a=1;access_token=secret;b&c=2", "https://h/p?a=<redacted>&c=2"),
            ("https://h/p?token=x;secret", "https://h/p?token=<redacted>"),
            ("https://h/p?a=1;b=2", "https://h/p?a=1;b=2"),
            ("https://h/a;jsessionid=secret/b;v=1?x=2", "https://h/a;jsessionid=<redacted>/b;v=1?x=2"),
            ("https://h/a;v=1;token=secret", "https://h/a;v=1;token=<redacted>"),
            ("https://h/token=1/a;token/b;", "https://h/token=1/a;token/b;"),
            ("https://h/p?oauth_verifier=secret", nil), ("https://h/p?token=a=secret", nil),
            ("https://h/p#access_token=secret", "https://h/p"),
            ("https://h/p?", "https://h/p?"), ("https://h/p?a&&b", "https://h/p?a&&b"),
            ("https://h/p?token", "https://h/p?token"),
            ("https://h/p?otp=secret&shipping=2", "https://h/p?otp=<redacted>&shipping=2"),
            ("https://h/p?sid=secret&inside=2", "https://h/p?sid=<redacted>&inside=2"),
            ("https://h/p?connect.sid=secret&PHPSESSID=secret", nil),
            ("https://h/p?pin=secret&spin=2&pinned=3", "https://h/p?pin=<redacted>&spin=2&pinned=3"),
            ("https://h/p?userPin=secret&user_pin=secret&PIN2=secret&newPIN=secret", nil),
            ("https://h/p?client_assertion=secret&SAMLResponse=secret", nil),
            ("https://h/p?ticket=secret&ticketing=2", "https://h/p?ticket=<redacted>&ticketing=2"),
            ("https://h/p?refresh=secret&refreshing=2", "https://h/p?refresh=<redacted>&refreshing=2"),
            (
                "https://h/p?bearer=secret&hash=secret&hashtag=2",
                "https://h/p?bearer=<redacted>&hash=<redacted>&hashtag=2"
            ),
            ("https://h/p?%6f%74%70=secret&a%ffotp-=secret", nil),
            (
                "https://h/p?adoption=1&optional=2&robotpart=3&sidebar=4",
                "https://h/p?adoption=1&optional=2&robotpart=3&sidebar=4"
            ),
        ] as [(String, String?)])
    func `a URL prints without credentials, fragment and secret-looking values`(text: String, shown: String?) throws {
        let url = try HTTPURL(text)
        #expect(!"\(url)".contains("secret") || url.query?.contains("client_secret") == true)
        #expect(!"\(url)".contains("=secret"))
        if let shown { #expect("\(url)" == shown) }
        #expect(!String(reflecting: url).contains("=secret") && !String(reflecting: url).contains(":secret"))
    }

    @Test func `addresses within addresses are masked from some depth on`() throws {
        var text = "//h"
        for _ in 0..<100 { text = "//h?x=" + PercentEncoding.component(text) }
        #expect("\(try HTTPURL("https:" + text))" == "https://h/?x=<redacted>")
        var shallow = "https://h/a?b=c"
        for _ in 0..<3 { shallow = "https://h/?x=" + PercentEncoding.component(shallow) }
        #expect("\(try HTTPURL(shallow))" == shallow)
    }

    @Test(
        arguments: [
            ("https://user:secret@h/p", "https://<redacted>@h/p"),
            ("https://user:secret@h:x/p", "https://<redacted>@h:<redacted>/p"),
            ("//user:secret@h/p", "//<redacted>@h/p"),
            ("ftp://user:secret@h", "ftp://<redacted>@h"),
            ("user:secret@h/p", "<redacted>@h/p"),
            ("https:user:secret@h/p", "<redacted>@h/p"),
            ("https:/user:secret@h/p", "<redacted>@h/p"),
            ("https:\\\\user:secret@h\\p", "<redacted>@h\\p"),
            ("https://user:sec/secret@h/p", "https://<redacted>@h/p"),
            ("https://user:]/secret@h/p", "https://<redacted>@h/p"),
            ("https://secret:x:?y@h/", "https://<redacted>@h/"),
            ("https://user:sec?secret@h/p", "https://<redacted>@h/p"),
            ("https://user:sec#secret@h/p", "https://<redacted>@h/p"),
            ("https://user:sec@secret@h/p", "https://<redacted>@h/p"),
            ("https://user:secret@\u{301}h/p", "https://<redacted>@\u{301}h/p"),
            ("https://user:secret@h/%zz?token=secret&a=1#secret", "https://<redacted>@h/%zz?token=<redacted>&a=1"),
            ("https://h/%zz?\u{301}token=secret", nil),
            ("https://h/a b?key=secret", "https://h/a b?key=<redacted>"),
            ("https://h/a b#\u{301}secret", nil),
            (#"https://h/?d={"token": "secret"}"#, "https://h/?d=<redacted>"),
            ("http://admin:secret", "http://admin:<redacted>"),
            ("http://admin:secret/x?a=1", "http://admin:<redacted>/x?a=1"),
            ("http://[::1]secret/", "http://[::1]:<redacted>/"), ("http://[::1]:80/", "http://[::1]:80/"),
            ("admin:secret/x", "admin:<redacted>/x"), ("http:admin:secret", "http:admin:<redacted>"),
            ("localhost:8080/x", "localhost:8080/x"), ("http:example.com", "http:example.com"),
            ("javascript:secret(1)", "javascript:<redacted>"),
            ("https://h/@user/x", "https://h/@user/x"),
            ("https://h:80/@user", "https://h:80/@user"),
            ("users/@me", "users/@me"), ("/@me", "/@me"), ("orders?page=2", "orders?page=2"), ("", ""),
        ] as [(String, String?)])
    func `a broken URL prints without the text in the place of credentials`(text: String, shown: String?) {
        let result = Redaction.urlText(text)
        #expect(!result.contains("secret"))
        if let shown { #expect(result.utf8.elementsEqual(shown.utf8), "\(result)") }
    }

    /// The time that this thread takes to print `text`, in nanoseconds: the shortest of `runs`, because of other load.
    private func time(_ text: String, runs: Int) throws -> Int {
        let url = try HTTPURL(text)
        func now() -> Int {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
        }
        let times = (0..<runs).map { _ in
            let start = now()
            let isEmpty = url.description.isEmpty
            let end = now()
            #expect(!isEmpty)
            return end - start
        }
        return try #require(times.min())
    }

    @Test(arguments: [
        ("a&", ""), ("a=b&", ""), ("a", "=1"), ("", "token="), ("pin_", "=1"), ("%41", "=1"), ("Pi", "=1"),
        ("toke", "=1"),
    ])
    func `the time for a query is proportional to its length`(piece: String, end: String) throws {
        func url(_ count: Int) -> String {
            "https://h/?" + (piece.isEmpty ? end : "") + String(repeating: piece.isEmpty ? "x" : piece, count: count)
                + (piece.isEmpty ? "" : end)
        }
        let (short, long) = (try time(url(4_000), runs: 7), try time(url(32_000), runs: 3))
        #expect(long < short * 24, "8 times the length: \(short) ns, then \(long); quadratic would be 64 times")
    }

    /// As the address that a login leads back to may be.
    @Test(
        arguments: [
            ("to=http://me:secret@h2/", "to=<redacted>"),
            ("to=http%3A%2F%2Fme%3Asecret%40h2%2F&a=1", "to=<redacted>&a=1"),
            ("db=postgres%3a%2f%2fme%3asecret%40db", "db=<redacted>"), ("to=%2F%2Fme:secret@h2", "to=<redacted>"),
            ("to=https%3A%2F%2Fh2%2F%3Fa%3D1%26access_token%3Dsecret", "to=<redacted>"),
            ("to=https%3A%2F%2Fh2%3Ftoken%3Dsecret%zz", "to=<redacted>"),
            ("next=%2Fcb%3Ftoken%3Dsecret&a=1", "next=<redacted>&a=1"),
            ("state=a%26api_key%3Dsecret", "state=<redacted>"), ("next=%2Fcb%3Fpage%3D2", "next=%2Fcb%3Fpage%3D2"),
            ("to=https://h2/cb%23access_token=secret", "to=<redacted>"),
            ("a=https%3A%2F%2Fh2%2F%3Fb%3Dhttps%253A%252F%252Fme%253Asecret%2540h3", "a=<redacted>"),
            ("filter=%7B%22password%22%3A%22secret%22%7D", "filter=<redacted>"),
            ("to=https%3A%2F%2Fh2%2F%3Fpage%3D2%23top", "to=https%3A%2F%2Fh2%2F%3Fpage%3D2%23top"),
            ("mail=a%40b&path=/c@d/e:f", "mail=a%40b&path=/c@d/e:f"), ("ids=%5B1,2%5D", "ids=%5B1,2%5D"),
            ("filter=%7B%22page%22%3A2%7D&%zz=%zz", "filter=%7B%22page%22%3A2%7D&%zz=%zz"),
        ])
    func `a query value that is a URL or JSON with a secret in it is masked`(query: String, shown: String) throws {
        #expect(Redaction.maskedQuery(query[...]) == shown)
        #expect(Redaction.maskedQuery(shown[...]) == shown)
        #expect(Redaction.urlText("https://h/p?" + query) == "https://h/p?" + shown)
    }

    @Test(arguments: [
        (#"{"\u0070assword":"S"}"#, true), (#"{"a":{"to\u006Ben" : "S"}}"#, true), (#"{"p\u0077":1}"#, true),
        (#"{"to":"\u002fcb?pw=S"}"#, true), (#"{"to":"\/cb?pw=S"}"#, true),
        (#"{"gr\u00f6\u00dfe":"S","a\/b":1}"#, false),
        (#"{"a":"\u0070assword"}"#, false), (#"{"a\":"b"#, false),
    ])
    func `a name in JSON is read without its escapes`(text: String, isSecret: Bool) {
        #expect(Redaction.hasSecret(inJSON: text) == isSecret)
    }

    @Test func `the URLs of a Link field are masked like URLs, and an added name is shown unchanged`() {
        let links = #"<https://u:p@h/x?page=2&token=t>; rel="next", </last>; rel=last, <//h2?key=k>"#
        #expect(
            Redaction.headerValue(links, of: "Link")
                == #"<https://<redacted>@h/x?page=2&token=<redacted>>; rel="next", </last>; rel=last, <//h2?key=<redacted>>"#
        )
        #expect(Redaction.headerValue("7", of: "X-Shard", showing: ["x-shard"]) == "7")
        // A character that combines with the next one.
        #expect(Redaction.headerValue("\u{70F}<//h?token=t>", of: "Link") == "\u{70F}<//h?token=<redacted>>")
        #expect(Redaction.headerValue("</l?token=t; rel=next", of: "Link") == "</l?token=<redacted>")
    }

    @Test(arguments: ["Authorization", "cookie", "Set-Cookie", "X-Anything", "Proxy-Authorization", "Location", ""])
    func `a header that is not on the allow-list is masked`(name: String) {
        #expect(Redaction.headerValue("secret", of: name) == "<redacted>")
    }

    @Test(arguments: [
        "Accept", "CONTENT-LENGTH", "retry-after", "Server", "X-Request-Id", "RateLimit-Remaining",
        "X-RateLimit-Reset", "Access-Control-Allow-Origin",
    ])
    func `a header known to be harmless is shown`(name: String) {
        #expect(Redaction.headerValue("shown", of: name) == "shown")
    }
}
