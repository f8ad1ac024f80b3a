import Testing

@testable import HTTPCore

/// What may be printed of a URL that was read, and of a text that is none.
@Suite struct RedactionTests {
    @Test(
        arguments: [
            ("https://h/", "https://h/"),
            ("https://user:secret@h/", "https://h/"),
            ("https://h/p?page=2&q=x", "https://h/p?page=2&q=x"),
            ("https://h/p?access_token=secret&page=2", "https://h/p?access_token=<redacted>&page=2"),
            ("https://h/p?API-KEY=secret", "https://h/p?API-KEY=<redacted>"),
            ("https://h/p?X-Amz-Signature=secret&X-Amz-Credential=secret", nil),
            ("https://h/p?password=secret", nil), ("https://h/p?client_secret=secret", nil),
            ("https://h/p?code=secret&state=1", nil), ("https://h/p?sig=secret", nil), ("https://h/p?jwt=secret", nil),
            ("https://h/p?%74oken=secret", nil), ("https://h/p?session_id=secret", nil),
            ("https://h/p?pwd=secret", nil),
            ("https://h/p?oauth_verifier=secret", nil), ("https://h/p?token=a=secret", nil),
            ("https://h/p#access_token=secret", "https://h/p"),
            ("https://h/p?", "https://h/p?"), ("https://h/p?a&&b", "https://h/p?a&&b"),
            ("https://h/p?token", "https://h/p?token"),
        ] as [(String, String?)])
    func `a URL prints without credentials, fragment and secret-looking values`(text: String, shown: String?) throws {
        let url = try HTTPURL(text)
        #expect(!"\(url)".contains("secret") || url.query?.contains("client_secret") == true)
        #expect(!"\(url)".contains("=secret"))
        if let shown { #expect("\(url)" == shown) }
        #expect(!String(reflecting: url).contains("=secret") && !String(reflecting: url).contains(":secret"))
    }

    @Test(
        arguments: [
            ("https://user:secret@h/p", "https://<redacted>@h/p"),
            ("https://user:secret@h:x/p", "https://<redacted>@h:x/p"),
            ("//user:secret@h/p", "//<redacted>@h/p"),
            ("ftp://user:secret@h", "ftp://<redacted>@h"),
            ("user:secret@h/p", "<redacted>@h/p"),
            ("https:user:secret@h/p", "<redacted>@h/p"),
            ("https:/user:secret@h/p", "<redacted>@h/p"),
            ("https:\\\\user:secret@h\\p", "<redacted>@h\\p"),
            ("https://user:sec/secret@h/p", "https://<redacted>@h/p"),
            ("https://user:sec?secret@h/p", "https://<redacted>@h/p"),
            ("https://user:sec#secret@h/p", "https://<redacted>@h/p"),
            ("https://user:sec@secret@h/p", "https://<redacted>@h/p"),
            ("https://user:secret@\u{301}h/p", "https://<redacted>@\u{301}h/p"),
            ("https://user:secret@h/%zz?token=secret&a=1#secret", "https://<redacted>@h/%zz?token=<redacted>&a=1"),
            ("https://h/%zz?\u{301}token=secret", nil),
            ("https://h/a b?key=secret", "https://h/a b?key=<redacted>"),
            ("https://h/a b#\u{301}secret", nil),
            ("https://h/@user/x", "https://h/@user/x"),
            ("https://h:80/@user", "https://h:80/@user"),
            ("users/@me", "users/@me"), ("/@me", "/@me"), ("orders?page=2", "orders?page=2"), ("", ""),
        ] as [(String, String?)])
    func `a broken URL prints without what stands where credentials do`(text: String, shown: String?) {
        let result = Redaction.urlText(text)
        #expect(!result.contains("secret"))
        if let shown { #expect(result.utf8.elementsEqual(shown.utf8), "\(result)") }
    }

    @Test(arguments: ["Authorization", "cookie", "Set-Cookie", "X-Anything", "Proxy-Authorization", "Origin", ""])
    func `a header that nobody allowed is masked`(name: String) {
        #expect(Redaction.headerValue("secret", of: name) == "<redacted>")
    }

    @Test(arguments: ["Accept", "CONTENT-LENGTH", "retry-after", "Server"])
    func `a header known to be harmless is shown`(name: String) {
        #expect(Redaction.headerValue("shown", of: name) == "shown")
    }
}
