import HTTPArchiving
import Foundation
import HTTPCore
import HTTPTesting
import Testing

@Suite struct ArchiveRedactionTests {
    private func body(_ text: String, _ type: String = "application/json", _ redaction: ArchiveRedaction = .standard)
        -> String
    {
        let content = HTTPArchive.Content(size: 0, mimeType: type, text: text)
        return redaction.redacted(HTTPArchive.Response(status: 200, content: content)).content.text ?? ""
    }

    private func url(_ url: String, _ redaction: ArchiveRedaction = .standard) -> String {
        redaction.redacted(HTTPArchive.Request(method: "GET", url: url)).url
    }

    private func header(_ name: String, _ value: String, _ redaction: ArchiveRedaction = .standard) -> String {
        let request = HTTPArchive.Request(
            method: "GET", url: "https://a.example/", headers: [HTTPArchive.Parameter(name, value)])
        return redaction.redacted(request).headers[0].value
    }

    @Test(arguments: [
        ("Authorization", "Bearer abc", "Bearer REDACTED"), ("authorization", "abc", "REDACTED"),
        ("Cookie", "sid=abc; theme=dark", "sid=REDACTED; theme=REDACTED"),
        ("Set-Cookie", "sid=abc; Path=/; Secure", "sid=REDACTED; Path=/; Secure"),
        ("Set-Cookie", "a=1; Path=/\nb=2", "a=REDACTED; Path=/\nb=REDACTED"),
        ("Set-Cookie", "a=1\r\nb=2", "a=REDACTED\nb=REDACTED"),
        (
            "Set-Cookie", "a=1; expires=Sun, 01 Mar 2026 09:30:00 GMT, b=2; Path=/",
            "a=REDACTED; expires=Sun, 01 Mar 2026 09:30:00 GMT, b=REDACTED; Path=/"
        ), ("X-API-Key", "abc", "REDACTED"),
        ("X-Auth-Token", "abc", "REDACTED"), ("DPoP", "abc", "REDACTED"), ("X-Request-Id", "abc", "abc"),
        ("WWW-Authenticate", "Basic realm=\"x\"", "Basic realm=\"x\""),
        ("Access-Control-Allow-Credentials", "true", "true"),
        ("Location", "/cb?code=abc&x=1#f", "/cb?code=REDACTED&x=1#f"),
        ("Location", "/cb#access_token=abc&lang=b", "/cb#access_token=REDACTED&lang=b"),
        ("Location", "/cb;jsessionid=abc;lang=b", "/cb;jsessionid=REDACTED;lang=b"),
        ("Location", "https://ann:abc@h.example/x", "https://REDACTED@h.example/x"),
        ("Location", "//ann:a@bc@h.example/x", "//REDACTED@h.example/x"), ("Location", "/x/a@b", "/x/a@b"),
        (
            "Link", "<https://a.example/?page=2&access_token=abc>; rel=next",
            "<https://a.example/?page=2&access_token=REDACTED>; rel=next"
        ), ("Link", "<https://ann:abc@a.example/x>; rel=next", "<https://REDACTED@a.example/x>; rel=next"),
        ("Refresh", "0; url=/cb#access_token=abc", "REDACTED"),
        (
            "Referer", "/?to=https%3A%2F%2Fa.example%2F%3Fcode%3Dabc",
            "/?to=https%3A%2F%2Fa.example%2F%3Fcode%3DREDACTED"
        ),
        (":path", "/?token=a,bc", "/?token=REDACTED"), ("Cookie", "abc", "REDACTED"),
        ("Set-Cookie", "abc; Path=/", "REDACTED; Path=/"),
    ])
    func `header fields`(_ name: String, _ value: String, _ masked: String) {
        #expect(header(name, value) == masked)
    }

    @Test(arguments: [
        (ArchiveRedaction.none.masking("sid"), "sid=REDACTED; theme=dark;; next=/a?token=b;"),
        (.none.masking(["sid", "token"]), "sid=REDACTED; theme=dark;; next=/a?token=REDACTED;"),
        (.none.masking("Cookie", "Set-Cookie"), "sid=REDACTED; theme=REDACTED;; next=REDACTED;"),
        (.none.masking("Cookie", "Set-Cookie").keeping("sid"), "sid=abc; theme=REDACTED;; next=REDACTED;"),
        (.standard.keeping("Cookie", "Set-Cookie"), "sid=abc; theme=dark;; next=/a?token=REDACTED;"),
        (.none, "sid=abc; theme=dark;; next=/a?token=b;"),
    ])
    func `cookies are masked by their names in their fields, too`(_ redaction: ArchiveRedaction, _ masked: String) {
        #expect(header("Cookie", "sid=abc; theme=dark;; next=/a?token=b;", redaction) == masked)
        // Attributes are none of its pairs.
        let first = String(masked.prefix { $0 != ";" })
        #expect(header("Set-Cookie", "sid=abc; Path=/; Secure;", redaction) == first + "; Path=/; Secure;")
    }

    @Test(arguments: [
        "apikey", "accesskey", "authcode", "authorization", "codeVerifier", "credential", "jwt", "oauth", "passcode",
        "passphrase", "password", "privatekey", "SAMLart", "SAMLRequest", "SAMLResponse", "secret", "PHPSESSID",
        "sessionid", "signature", "client_assertion", "auth", "bearer", "_csrf", "csrftoken", "hmac", "otp",
        "db_pass", "pin", "psk", "pw", "pwd", "refresh", "session", "sid", "sig", "ticket", "token", "refresh_tokens",
        "totp", "XSRF", "pageToken", "access_code", "account_code", "api_code", "backup_codes", "clientKey",
        "device_code", "encryption_key", "id_key", "license_key", "master_key", "private_code", "recovery_codes",
        "security_code", "shared_key", "signing_key", "storage_keys", "subscription_key", "user_code",
        "verification_code",
    ])
    func `a name that says secret`(_ name: String) {
        #expect(body(#"{"\#(name)":"S"}"#) == #"{"\#(name)":"REDACTED"}"#)
        #expect(url("https://a.example/?\(name)=S") == "https://a.example/?\(name)=REDACTED")
    }

    @Test func `a row of question marks takes no more time than other text`() {
        let marks = String(repeating: "a=?", count: 1000)
        #expect(header("Location", "/\("?" + marks)token=a?b&c=d") == "/?\(marks)token=REDACTED&c=d")
    }

    @Test(arguments: [
        ("?api_key=abc&page=2", "?api_key=REDACTED&page=2"), ("?key=abc", "?key=REDACTED"),
        ("?access%5Ftoken=abc", "?access%5Ftoken=REDACTED"), ("?user[password]=abc&a", "?user[password]=REDACTED&a"),
        ("?token=a,b;c'(d)?e&x=1", "?token=REDACTED&x=1"), ("?next=/a?token=abc", "?next=/a?token=REDACTED"),
        ("/a;token=abc/b?x;sessionid=1;y=2", "/a;token=REDACTED/b?x;sessionid=REDACTED"),
        ("?oauth/token=abc", "?oauth/token=REDACTED"), ("?a#/auth?page=2", "?a#/auth?page=2"),
        ("?next=%2Fa%3Ftoken%3Dabc%26b%3D1&c=%26", "?next=%2Fa%3Ftoken%3DREDACTED%26b%3D1&c=%26"),
        ("?X-Amz-Signature=abc&X-Amz-Date=1", "?X-Amz-Signature=REDACTED&X-Amz-Date=1"), ("?token=", "?token="),
        ("?pw=a&power=2&wifi_psk=b&hmac=c", "?pw=REDACTED&power=2&wifi_psk=REDACTED&hmac=REDACTED"),
        (
            "?code_verifier=a&SAMLResponse=b&SAMLRequest=c&codeVerifier=d",
            "?code_verifier=REDACTED&SAMLResponse=REDACTED&SAMLRequest=REDACTED&codeVerifier=REDACTED"
        ),
        ("?f=%7B%22password%22%3A%22S%22%7D&p=2", "?f=%7B%22password%22%3A%22REDACTED%22%7D&p=2"),
        (#"?f={"token":"S","n":[1]}"#, #"?f={"token":"REDACTED","n":[1]}"#),
        (
            "?to=%2Fa%3Ff%3D%257B%2522token%2522%253A%2522S%2522%257D",
            "?to=%2Fa%3Ff%3D%257B%2522token%2522%253A%2522REDACTED%2522%257D"
        ),
        ("?f=%7B%22key%22%3A%22name%22%7D", "?f=%7B%22key%22%3A%22name%22%7D"),
        (
            "?keyword=swift&author=me&country_code=de&max_tokens=5&design=a",
            "?keyword=swift&author=me&country_code=de&max_tokens=5&design=a"
        ),
    ])
    func `query items`(_ query: String, _ masked: String) {
        #expect(url("https://a.example/p" + query) == "https://a.example/p" + masked)
        #expect(url("https://a.example/p" + masked) == "https://a.example/p" + masked)
    }

    @Test(arguments: [
        (#"{"access_token" : "abc","expires_in":3600}"#, #"{"access_token" : "REDACTED","expires_in":3600}"#),
        (#"{"user":{"Password":"a\"b","name":"token"}}"#, #"{"user":{"Password":"REDACTED","name":"token"}}"#),
        (#"{"tokens":["a","b"],"x":[1]}"#, #"{"tokens":["REDACTED","REDACTED"],"x":[1]}"#),
        (
            #"{"credentials":{"user":"ann","n":[1,"x"]},"z":"q"}"#,
            #"{"credentials":{"user":"REDACTED","n":[1,"REDACTED"]},"z":"q"}"#
        ),
        (
            #"{"total_tokens":12,"author":"ann","code":"E1","key":"k"}"#,
            #"{"total_tokens":12,"author":"ann","code":"E1","key":"k"}"#
        ),
        (#"{"next":"https://a.example/?page=2\u0026sig=abc"}"#, #"{"next":"https://a.example/?page=2\u0026sig=abc"}"#),
        (
            #"{"next":"https://a.example/?sig=abc\u0026page=2"}"#,
            #"{"next":"https://a.example/?sig=REDACTED\u0026page=2"}"#
        ),
        (
            #"{"pw":"a","psk":"b","hmac":"c","code_verifier":"d","SAMLResponse":"e","samlEnabled":"yes"}"#,
            #"{"pw":"REDACTED","psk":"REDACTED","hmac":"REDACTED","code_verifier":"REDACTED","SAMLResponse":"REDACTED","samlEnabled":"yes"}"#
        ),
        (#"{"otp":123456,"pin" : -1}"#, #"{"otp":0,"pin" : 0}"#),
        (#"{"pass\u0077ord":"abc"}"#, #"{"pass\u0077ord":"REDACTED"}"#),
        (#"{"body":"{\"token\":\"a/b\",\"n\":1}"}"#, #"{"body":"{\"token\":\"REDACTED\",\"n\":1}"}"#),
        (#"{"body":"{\u0022token\u0022:\u0022ab\u0022}"}"#, #"{"body":"{\"token\":\"REDACTED\"}"}"#),
        ("data: {\"client_secret\":\"abc\"}\n\n", "data: {\"client_secret\":\"REDACTED\"}\n\n"),
        (#"{"secret":"abc"#, #"{"secret":"REDACTED""#), (#"{"secret":"#, #"{"secret":"#),
        (#"{"secret":["a"#, #"{"secret":["REDACTED""#),
    ])
    func `bodies of JSON, and texts that contain JSON`(_ text: String, _ masked: String) {
        #expect(body(text) == masked)
        #expect(body(masked) == masked)
    }

    @Test func `forms, plain and with files`() {
        #expect(body("user=ann&password=abc", "application/x-www-form-urlencoded") == "user=ann&password=REDACTED")
        let form =
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nabc\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nSea\r\n--b--\r\n"
        let masked = form.replacing("abc", with: "REDACTED")
        #expect(body(form, "multipart/form-data; boundary=b") == masked)
        let json = "--b\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n"
        #expect(
            body(json + #"{"password":"abc"}"# + "\r\n--b--\r\n", "multipart/form-data; boundary=b")
                == json + #"{"password":"REDACTED"}"# + "\r\n--b--\r\n")
        let bare = form.replacing("name=\"password\"", with: "filename=x; name=password")
        #expect(!body(bare, "multipart/form-data; boundary=b").contains("abc"))
        let behind = form.replacing("Content-D", with: "Content-Type: text/plain; name=x\r\nContent-D")
            .replacing("name=\"p", with: "Name=\"p")
        #expect(!body(behind, "multipart/form-data; boundary=b").contains("abc"))
        #expect(body("password=abc&user=ann", "text/plain") == "password=REDACTED&user=ann")
    }

    @Test(arguments: ["\r\n", "\n"])
    func `the header fields of parts, and those of messages in a batch`(_ end: String) {
        let lines = [
            "--b", "Content-Type: application/json", "X-Api-Key: abc", "Location: /a?token=abc", "", "{}",
            "--b", "Content-Type: application/http", "", "GET /a?token=abc HTTP/1.1", "Authorization: Bearer abc",
            "Accept: text/plain", "", #"{"password":"abc"}"#,
            "--b", "Content-Type: multipart/mixed; boundary=c", "", "--c", "Content-Type: application/http", "",
            "POST /a HTTP/1.1", "Authorization: Bearer abc", "--c--", "--b--", "",
        ]
        let text = lines.joined(separator: end)
        let masked = text.replacing("abc", with: "REDACTED")
        #expect(body(text, "multipart/mixed; boundary=b") == masked)
        #expect(body(masked, "multipart/mixed; boundary=b") == masked)
    }

    @Test(arguments: ["multipart/form-data; boundary=b", "multipart/form-data"])
    func `forms with a preamble or with bare line feeds`(_ type: String) {
        let form =
            "a preamble\r\n\r\n--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nabc\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nSea\r\n--b--\r\n"
        for text in [form, form.replacing("\r\n", with: "\n"), form.replacing("a preamble\r\n\r\n", with: "")] {
            #expect(body(text, type) == text.replacing("abc", with: "REDACTED"))
        }
    }

    @Test(arguments: [
        ("a=1&payload=%7B%22token%22%3A%22abc%22%7D", "a=1&payload=%7B%22token%22%3A%22REDACTED%22%7D"),
        (#"payload={"token":"abc","n":[1]}&b=2"#, #"payload={"token":"REDACTED","n":[1]}&b=2"#),
        ("payload=%7B%22title%22%3A%22a+b%22%7D", "payload=%7B%22title%22%3A%22a+b%22%7D"),
    ])
    func `JSON in the field of a form is masked, too`(_ text: String, _ masked: String) {
        #expect(body(text, "application/x-www-form-urlencoded") == masked)
        #expect(body(masked, "application/x-www-form-urlencoded") == masked)
    }

    @Test func `what names and comments repeat is masked where they stand, too`() {
        var request = HTTPArchive.Request(
            method: "POST", url: "https://a.example/?to=https://b.example/?token=abc", headers: [],
            postData: HTTPArchive.PostData(
                mimeType: "multipart/form-data", params: [.init(name: "f", fileName: "abc.txt")], text: ""))
        request.comment = "see /?token=abc"
        let masked = ArchiveRedaction.standard.redacted(request)
        #expect(masked.queryString.map(\.value) == ["https://b.example/?token=REDACTED"])
        #expect(masked.comment == "see /?token=REDACTED")
        request.url = "https://a.example/?abc"
        request.queryString = [HTTPArchive.Parameter("abc", "")]
        let value = ArchiveRedaction.none.masking(value: "abc").redacted(request)
        #expect(value.queryString.map(\.name) == ["REDACTED"])
        #expect(value.postData?.params?.map(\.fileName) == ["REDACTED.txt"])
        #expect(value.comment == "see /?token=REDACTED")
    }

    @Test func `JSON in a query item is masked in the item, too, and so it is in a Location`() {
        let target = "/a?f=%7B%22token%22%3A%22abc%22%7D"
        let masked = target.replacing("abc", with: "REDACTED")
        let request = HTTPArchive.Request(method: "GET", url: "https://a.example" + target, headers: [])
        #expect(ArchiveRedaction.standard.redacted(request).queryString.map(\.value) == [#"{"token":"REDACTED"}"#])
        #expect(ArchiveRedaction.standard.redacted(request).url == "https://a.example" + masked)
        #expect(header("Location", target) == masked)
    }

    @Test func `a cookie without a name is recorded as a value, which is masked`() throws {
        let recorder = ArchiveRecorder()
        let stub = StubClient { .success(Response(request: $0, status: .ok, headers: ["Set-Cookie": "s3; Secure"])) }
        _ = stub.intercepted(by: .recording(into: recorder))
            .executeRequest(.get("https://a.example/") |> .header("Cookie", "s3; a=1"))
        let entry = try #require(recorder.archive.entries.first)
        #expect(entry.request.cookies == [HTTPArchive.Cookie("", "REDACTED"), HTTPArchive.Cookie("a", "REDACTED")])
        #expect(entry.response.cookies.map(\.value) == ["REDACTED"])
        #expect(entry.response.cookies.map(\.secure) == [true])
        #expect(!String(decoding: try recorder.archive.encoded(), as: UTF8.self).contains("s3"))
    }

    @Test func `a combining mark does not hide an item of a form`() {
        let content = HTTPArchive.Content(
            mimeType: "application/x-www-form-urlencoded", text: "a=\u{70F}&password=S3CR3T&b=\u{600}&token=S3CR3T")
        let masked = ArchiveRedaction.standard.redacted(HTTPArchive.Response(status: 200, content: content))
        #expect(masked.content.text == "a=\u{70F}&password=REDACTED&b=\u{600}&token=REDACTED")
    }

    @Test func `trailers, cookies and the target of a redirect`() {
        var response = HTTPArchive.Response(status: 302, redirectURL: "/cb?code=abc")
        response.trailers = [HTTPArchive.Parameter("X-Signature", "abc"), HTTPArchive.Parameter("X-Sum", "1")]
        response.cookies = [HTTPArchive.Cookie("sid", "abc")]
        response.error = "GET https://a.example/?token=abc failed"
        response.failure = HTTPArchive.Failure(
            kind: "protocolViolation", reason: "it has the header line Location: /?token=abc")
        response.failure?.engine = #"the server said {"token":"abc"}"#
        let masked = ArchiveRedaction.standard.redacted(response)
        #expect(masked.trailers?.map(\.value) == ["REDACTED", "1"])
        #expect(masked.cookies.map(\.value) == ["REDACTED"])
        #expect(masked.redirectURL == "/cb?code=REDACTED")
        #expect(masked.error == "GET https://a.example/?token=REDACTED failed")
        #expect(masked.failure?.reason == "it has the header line Location: /?token=REDACTED")
        #expect(masked.failure?.engine == #"the server said {"token":"REDACTED"}"#)
    }

    @Test func `base64 text is masked, and binary content is unchanged`() throws {
        let form =
            Data("--b\r\nContent-Disposition: form-data; name=\"pwd\"\r\n\r\nabc\r\n--b\r\n\r\n".utf8) + [0xFF, 0]
            + Data("\r\n--b--\r\n".utf8)
        let post = HTTPArchive.PostData(
            mimeType: "multipart/form-data; boundary=b", text: form.base64EncodedString(), encoding: "base64")
        let request = HTTPArchive.Request(method: "POST", url: "https://a.example/", postData: post)
        let text = try #require(ArchiveRedaction.standard.redacted(request).postData?.text)
        let data = try #require(Data(base64Encoded: text))
        #expect(data.firstRange(of: Data("abc".utf8)) == nil)
        #expect(data.firstRange(of: Data("REDACTED\r\n--b\r\n\r\n".utf8) + [0xFF, 0]) != nil)
        let image = HTTPArchive.Content(size: 2, mimeType: "image/png", text: "/wA=", encoding: "base64")
        let response = HTTPArchive.Response(status: 200, content: image)
        #expect(ArchiveRedaction.standard.redacted(response).content == image)
    }

    @Test(arguments: [("x-unknown", "abc"), ("", "REDACTED"), ("text/plain", "REDACTED")])
    func `bytes that are not UTF-8 are masked where their type says text, or is missing`(type: String, secret: String)
        throws
    {
        func text(_ secret: String) -> Data { Data([0xFF]) + Data(#"{"token":"\#(secret)"}"#.utf8) }
        let content = HTTPArchive.Content(
            mimeType: type, text: text("abc").base64EncodedString(), encoding: "base64")
        let masked = ArchiveRedaction.standard.redacted(HTTPArchive.Response(status: 200, content: content)).content
        #expect(Data(base64Encoded: masked.text ?? "") == text(secret))
    }

    @Test(arguments: ["application/x-amz-json-1.1", "application/octet-stream", "application/x-javascript", "json"])
    func `a body that is text is masked whatever its type, and matches with other secrets`(type: String) throws {
        let recorder = ArchiveRecorder()
        let answer = Data(#"{"token":"abc"}"#.utf8)
        let stub = StubClient {
            .success(Response(request: $0, status: .ok, headers: ["Content-Type": type], body: answer))
        }
        func text(_ secret: String) -> Data { Data(#"{"password":"\#(secret)","n":1}"#.utf8) }
        func draft(_ secret: String) -> MutableRequest {
            .post("https://a.example/") |> .body(.data(text(secret), contentType: type))
        }
        _ = try stub.intercepted(by: .recording(into: recorder)).send(draft("abc"))
        var older = recorder.archive
        let entry = try #require(older.entries.first)
        #expect(entry.request.postData?.text == #"{"password":"REDACTED","n":1}"#)
        #expect(entry.response.content.text == #"{"token":"REDACTED"}"#)
        older.entries[0].request.postData?.text = text("abc").base64EncodedString()
        older.entries[0].request.postData?.encoding = "base64"
        for archive in [recorder.archive, older] {
            #expect(try ReplayClient(archive).send(draft("other")).content == #"{"token":"REDACTED"}"#)
        }
        let again = ArchiveRedaction.standard.redacted(older.entries[0])
        #expect(Data(base64Encoded: again.request.postData?.text ?? "") == text("REDACTED"))
    }

    @Test(arguments: [true, false])
    func `text in UTF-16 is masked`(isBigEndian: Bool) throws {
        let encoding = isBigEndian ? String.Encoding.utf16BigEndian : .utf16LittleEndian
        func masked(_ text: String) throws -> String? {
            let data = try #require(text.data(using: encoding))
            let content = HTTPArchive.Content(
                mimeType: "application/json; charset=utf-16", text: data.base64EncodedString(), encoding: "base64")
            let masked = ArchiveRedaction.standard.redacted(HTTPArchive.Response(status: 200, content: content)).content
            return Data(base64Encoded: masked.text ?? "").flatMap { String(data: $0, encoding: encoding) }
        }
        for mark in ["", "\u{FEFF}"] {
            #expect(try masked(mark + #"{"token":"abc","é":1}"#) == mark + #"{"token":"REDACTED","é":1}"#)
        }
    }

    @Test func `a part of a form is masked if it is text, whatever its type`() {
        func form(_ content: String) -> String {
            "--b\r\nContent-Disposition: form-data; name=\"f\"\r\nContent-Type: application/octet-stream\r\n\r\n\(content)\r\n--b--"
        }
        let type = "multipart/form-data; boundary=b"
        #expect(body(form(#"{"token":"abc"}"#), type) == form(#"{"token":"REDACTED"}"#))
        #expect(body(form("\0" + #"{"token":"abc"}"#), type) == form("\0" + #"{"token":"abc"}"#))
    }

    @Test func `a compressed text of a request is not kept where secrets are masked`() throws {
        let text = Data([0x1F, 0x8B, 8, 0, 0]).base64EncodedString()
        func redacted(_ type: String, _ coding: String, _ redaction: ArchiveRedaction) -> HTTPArchive.PostData? {
            let request = HTTPArchive.Request(
                method: "POST", url: "https://a.example/", headers: [HTTPArchive.Parameter("content-encoding", coding)],
                postData: HTTPArchive.PostData(mimeType: type, text: text, encoding: "base64"), bodySize: 5)
            let masked = redaction.redacted(request)
            #expect(redaction.redacted(masked) == masked)
            #expect(masked.bodySize == 5)
            return masked.postData
        }
        for redaction in [.standard, ArchiveRedaction.none.masking("a"), .none.masking(value: "abc")] {
            let left = try #require(redacted("application/json", "gzip", redaction))
            #expect(left.text.isEmpty && left.encoding == nil)
            #expect(left.comment?.contains("gzip") == true)
        }
        #expect(redacted("application/json", "gzip", .none)?.text == text)
        #expect(redacted("application/json; charset=utf-16", "identity", .standard)?.text == text)
        for type in ["image/svgz", "x-unknown"] { #expect(redacted(type, "gzip", .standard)?.text == text) }
        #expect(redacted("", "gzip", .standard)?.text.isEmpty == true)
    }

    @Test(arguments: [[0x1F, 0x8B, 8, 0], [0x28, 0xB5, 0x2F, 0xFD], [0x78, 0x9C, 1, 0]] as [[UInt8]])
    func `a compressed text of a response is not kept where secrets are masked`(_ bytes: [UInt8]) {
        let text = Data(bytes).base64EncodedString()
        func redacted(_ type: String, _ coding: String, _ redaction: ArchiveRedaction) -> HTTPArchive.Content {
            let response = HTTPArchive.Response(
                status: 200, headers: [HTTPArchive.Parameter("content-encoding", coding)],
                content: HTTPArchive.Content(size: 4, mimeType: type, text: text, encoding: "base64"))
            let masked = redaction.redacted(response)
            #expect(redaction.redacted(masked) == masked)
            return masked.content
        }
        let left = redacted("application/json", "gzip", .standard)
        #expect(left.text == nil && left.encoding == nil && left.size == 4)
        #expect(left.comment?.contains("gzip") == true)
        #expect(redacted("application/json", "gzip", .none).text == text)
        #expect(redacted("application/json", "identity", .standard).text == text)
        #expect(redacted("image/svgz", "gzip", .standard).text == text)
    }

    @Test func `a text that was decoded is kept, though its field names a coding`() {
        let text = Data([0x5A, 0xFC, 0x72, 0x69, 0x63, 0x68]).base64EncodedString()
        let response = HTTPArchive.Response(
            status: 200, headers: [HTTPArchive.Parameter("Content-Encoding", "gzip")],
            content: HTTPArchive.Content(size: 6, mimeType: "text/plain", text: text, encoding: "base64"))
        #expect(ArchiveRedaction.standard.redacted(response).content == response.content)
    }

    @Test func `further names are masked or kept, everywhere`() {
        let more = ArchiveRedaction.standard.masking("Tenant", "pin")
        #expect(url("https://a.example/?tenant=t", more) == "https://a.example/?tenant=REDACTED")
        #expect(header("tenant", "t", more) == "REDACTED")
        #expect(body(#"{"pin":1234,"TENANT":"t"}"#, "application/json", more) == #"{"pin":0,"TENANT":"REDACTED"}"#)
        let kept = ArchiveRedaction.standard.keeping("key", "X-Api-Key", "theme", "Authorization")
        #expect(url("https://a.example/?key=k&token=t", kept) == "https://a.example/?key=k&token=REDACTED")
        #expect(header("x-api-key", "k", kept) == "k")
        #expect(header("Authorization", "Bearer abc", kept) == "Bearer abc")
        #expect(header("Cookie", "theme=dark; sid=1", kept) == "theme=dark; sid=REDACTED")
        #expect(header("Cookie", "sid=1", .none) == "sid=1")
        #expect(url("https://a.example/?token=t", ArchiveRedaction.none.masking("token")).hasSuffix("=REDACTED"))
    }

    @Test func `a value is masked wherever it occurs, and edits come last`() {
        let value = ArchiveRedaction.standard.masking(value: "s3cr3t")
        #expect(url("https://a.example/bot-s3cr3t/send", value) == "https://a.example/bot-REDACTED/send")
        #expect(body("<p>s3cr3t</p>", "text/html", value) == "<p>REDACTED</p>")
        #expect(url("https://a.example/?q=p%40ss%20w", .standard.masking(value: "p@ss w")).hasSuffix("?q=REDACTED"))
        let image = HTTPArchive.Content(
            size: 0, mimeType: "image/png", text: Data([0xFF] + "s3cr3t".utf8 + [0]).base64EncodedString(),
            encoding: "base64")
        var response = HTTPArchive.Response(status: 200, content: image)
        response.cookies = [HTTPArchive.Cookie("theme", "s3cr3t")]
        response.trailers = [HTTPArchive.Parameter("X-Sum", "1-s3cr3t")]
        response.failure = HTTPArchive.Failure(kind: "protocolViolation", reason: "its status line is \"s3cr3t\"")
        let masked = ArchiveRedaction.none.masking(value: "s3cr3t").redacted(response)
        #expect(masked.content.text == Data([0xFF] + "REDACTED".utf8 + [0]).base64EncodedString())
        #expect(masked.cookies.map(\.value) == ["REDACTED"])
        #expect(masked.trailers?.map(\.value) == ["1-REDACTED"])
        #expect(masked.failure?.reason == "its status line is \"REDACTED\"")
        let edited = ArchiveRedaction.standard.editingRequests { request in
            #expect(!request.url.contains("abc"))
            request.url = "https://b.example/"
        }
        #expect(url("https://a.example/?token=abc", edited) == "https://b.example/")
    }

    @Test(arguments: [("aaab", "a*"), ("abab", "abab"), ("aabaab", "**"), ("xaab", "x*"), ("aabaa", "*aa"), ("", "")])
    func `a value is found behind a part of itself, and only whole`(text: String, masked: String) {
        let value = ArchiveRedaction.none.masking(value: "aab")
        #expect(body(text, "text/plain", value) == masked.replacing("*", with: "REDACTED"))
    }

    @Test func `a value is masked with small escapes, and before a combining mark`() {
        let value = ArchiveRedaction.none.masking(value: "ab/cd==")
        for query in ["ab%2fcd%3d%3d", "ab%2Fcd%3D%3D", "ab/cd=="] {
            #expect(url("https://a.example/?x=" + query, value) == "https://a.example/?x=REDACTED")
        }
        for mark in ["\u{301}", "\u{200D}", "\u{FE0F}"] {
            #expect(body("is ab/cd==\(mark)", "text/plain", value) == "is REDACTED\(mark)")
        }
    }

    @Test(arguments: [
        ("note=a+b%2F%22c%7E", "application/x-www-form-urlencoded"), (#"{"note":"a b/\"c~"}"#, "application/json"),
        (#"{"note":"a b\/\"c~"}"#, "application/json"),
    ])
    func `a value is masked as forms and JSON spell it`(_ text: String, _ type: String) {
        let masked = body(text, type, .standard.masking(value: #"a b/"c~"#))
        #expect(masked == "note=REDACTED" || masked == #"{"note":"REDACTED"}"#)
        let content = HTTPArchive.Content(
            size: 0, mimeType: "multipart/form-data", text: Data([0xFF] + text.utf8).base64EncodedString(),
            encoding: "base64")
        let response = HTTPArchive.Response(status: 200, content: content)
        let shown = ArchiveRedaction.none.masking(value: #"a b/"c~"#).redacted(response).content.text
        #expect(shown == Data([0xFF] + masked.utf8).base64EncodedString(), "beside bytes that are no text")
    }

    @Test(arguments: [
        ("<a><password>s3</password><user>ann</user></a>", "<a><password>REDACTED</password><user>ann</user></a>"),
        ("<wsse:Password Type=\"text\">s3</wsse:Password>", "<wsse:Password Type=\"text\">REDACTED</wsse:Password>"),
        ("<login user='ann' password='s3'/>", "<login user='ann' password='REDACTED'/>"),
        ("<a api:accessToken = \"s3\" b=\"1\">x</a>", "<a api:accessToken = \"REDACTED\" b=\"1\">x</a>"),
        ("<secret><![CDATA[s3]]></secret><b>1</b>", "<secret><![CDATA[REDACTED]]></secret><b>1</b>"),
        (
            "<credentials>\n <id>ann</id>\n <key>s3</key>\n</credentials><b>1</b>",
            "<credentials>\n <id>REDACTED</id>\n <key>REDACTED</key>\n</credentials><b>1</b>"
        ),
        ("<a><ClientSecret>s3", "<a><ClientSecret>REDACTED"), ("<a><token>s3<", "<a><token>REDACTED<"),
        ("<password/><b>1</b>", "<password/><b>1</b>"), ("<password></password>", "<password></password>"),
        ("<secret><!-- s3 --></secret>", "<secret><!--REDACTED--></secret>"),
        ("<!-- password --><author>ann</author>", "<!-- password --><author>ann</author>"),
        ("<pin>1234</pin>", "<pin>REDACTED</pin>"), ("<a token=\"s3", "<a token=\"REDACTED"),
        ("<?xml version=\"1.0\"?><p:a xmlns:p=\"u\">x</p:a>", "<?xml version=\"1.0\"?><p:a xmlns:p=\"u\">x</p:a>"),
    ])
    func `secrets in XML are masked, and the rest stays`(_ text: String, _ masked: String) {
        for type in ["application/xml", "text/xml; charset=utf-8", "application/soap+xml"] {
            #expect(body(text, type) == masked)
            #expect(body(masked, type) == masked)
        }
        let request = HTTPArchive.Request(
            method: "POST", url: "https://a.example/", postData: .init(mimeType: "text/xml", text: text))
        #expect(ArchiveRedaction.standard.redacted(request).postData?.text == masked)
    }

    @Test(arguments: [
        (
            "<dict>\n\t<key>password</key>\n\t<string>s3</string>\n\t<key>user</key>\n\t<string>ann</string>\n</dict>",
            "<dict>\n\t<key>password</key>\n\t<string>REDACTED</string>\n\t<key>user</key>\n\t<string>ann</string>\n</dict>"
        ),
        (
            "<key>pin</key><integer>4711</integer><key>n</key><integer>1</integer>",
            "<key>pin</key><integer>0</integer><key>n</key><integer>1</integer>"
        ),
        (
            "<key>credentials</key><dict><key>id</key><string>s3</string></dict><key>n</key><real>1</real>",
            "<key>credentials</key><dict><key>id</key><string>REDACTED</string></dict><key>n</key><real>1</real>"
        ), ("<key>token</key><true/><string>a</string>", "<key>token</key><true/><string>a</string>"),
        ("<key>token</key></dict><string>a</string>", "<key>token</key></dict><string>a</string>"),
    ])
    func `the value of a secret key in a property list is masked`(_ text: String, _ masked: String) {
        for type in ["application/x-plist", "application/xml"] {
            let start = "<?xml version=\"1.0\"?>\n<!DOCTYPE plist>\n"
            #expect(body(start + text, type) == start + masked)
            #expect(body(start + masked, type) == start + masked)
        }
        for type in ["application/x-plist", "text/x-apple-plist+xml", "application/plist"] {
            #expect(body("<plist>" + text, type) == "<plist>" + masked)
        }
    }

    @Test func `a property list is recorded as text, masked`() throws {
        let recorder = ArchiveRecorder()
        let stub = StubClient { .success(Response(request: $0, status: .ok)) }
        _ = stub.intercepted(by: .recording(into: recorder))
            .executeRequest(.post("https://a.example/") |> .propertyList(["password": "s3", "user": "ann"]))
        let post = try #require(recorder.archive.entries.first?.request.postData)
        #expect(post.encoding == nil)
        let fields = try PropertyListDecoder().decode([String: String].self, from: Data(post.text.utf8))
        #expect(fields == ["password": "REDACTED", "user": "ann"])
    }

    @Test func `names that are given are masked in XML, too, and kept ones stay`() {
        #expect(body("<n:Iban>AT1</n:Iban>", "text/xml", .standard.masking("iban")) == "<n:Iban>REDACTED</n:Iban>")
        #expect(body("<token>t</token>", "text/xml", .standard.keeping("token")) == "<token>t</token>")
        #expect(body("<token>t</token>", "text/html") == "<token>t</token>")
    }
}
