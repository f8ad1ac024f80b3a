import Foundation
import HTTPCore
import Testing

/// Method, headers, framing and options: each rule, over a real server that must receive nothing.
@Suite struct RequestValidationTests {
    @Test(arguments: [
        "", " ", "GET ", "G ET", "GET\r\nX: y", "GET\u{0}", "GÉT", "GET/", "GET:", "(GET)", "\"GET\"", "G\tET",
    ])
    func `a method that is not a token is refused`(method: String) throws {
        try RefusedDraft(method, names: "method", method.debugDescription, "token") {
            .request(HTTPMethod(method), $0)
        }.expectRefusal()
    }

    @Test(arguments: [
        "", " ", "X Y", "X-Y ", " X-Y", "X:", "X:Y", "X\r\nY", "X\nY", "X\rY", "X\u{0}", "X\u{7F}", "Ünicode", "X\tY",
        "X(Y)", "X/Y", "X@Y", "\"X\"", "X,Y", "X\u{301}",
    ])
    func `a header name that is not a token is refused`(name: String) throws {
        try RefusedDraft(name, names: "header name", name.debugDescription, "token") {
            .get($0) |> .header(name, "secret")
        }.expectRefusal()
    }

    @Test(arguments: [
        ("a\rb", "0x0D"), ("a\nb", "0x0A"), ("a\r\nEvil: 1", "0x0D"), ("\r\n", "0x0D"), ("a\u{0}b", "0x00"),
        ("a\u{1}", "0x01"), ("\u{1F}a", "0x1F"), ("a\u{7F}b", "0x7F"), ("a\u{1B}[0m", "0x1B"), ("a\u{B}b", "0x0B"),
        (" a", "begins or ends"), ("a ", "begins or ends"), ("\ta", "begins or ends"), ("a\t", "begins or ends"),
        (" ", "begins or ends"),
    ])
    func `a header value with a control character or surrounding blanks is refused`(value: String, named: String) throws
    {
        try RefusedDraft(value, names: "X-Header", named) { .get($0) |> .header("X-Header", value) }.expectRefusal()
        try RefusedDraft(value, names: "X-Header", named) { .get($0) |> .addingHeader("X-Header", value) }
            .expectRefusal()
    }

    @Test func `the error for a header value does not repeat the value`() throws {
        try RefusedDraft("bearer", names: "Authorization", "0x0A") { .get($0) |> .bearer("secret\n") }.expectRefusal()
        try RefusedDraft("bearer", names: "Authorization", "space") { .get($0) |> .bearer("secret ") }.expectRefusal()
        try RefusedDraft("empty bearer", names: "Authorization", "empty") { .get($0) |> .bearer("") }.expectRefusal()
    }

    static let mediaTypes = [
        RefusedDraft("of data", names: "Content-Type", "0x0D") {
            .post($0) |> .data(Data([1]), contentType: "text/plain\r\nX-Other: secret")
        },
        RefusedDraft("of a file", names: "Content-Type", "0x0A") {
            .post($0) |> .file("/dev/null", contentType: "text/plain\nX-Other: secret")
        },
        RefusedDraft("of a stream", names: "Content-Type", "0x00") {
            .post($0) |> .stream(length: 0, contentType: "secret\0") { BodySource { _ in 0 } }
        },
        RefusedDraft("of a body that the caller's own hides", names: "Content-Type", "0x0D") {
            .post($0) |> .data(Data([1]), contentType: "secret\r\n") |> .contentType("text/plain")
        },
        RefusedDraft("with a space behind it", names: "Content-Type", "space") {
            .post($0) |> .data(Data([1]), contentType: "text/plain ")
        },
    ]

    @Test(arguments: mediaTypes)
    func `a media type set by a body follows the rules of headers`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }

    static let framing = [
        RefusedDraft("longer length", names: "Content-Length", "\"5\"", "4 bytes") {
            .post($0) |> .text("body") |> .header("Content-Length", "5")
        },
        RefusedDraft("shorter length", names: "Content-Length", "\"3\"") {
            .post($0) |> .text("body") |> .header("Content-Length", "3")
        },
        RefusedDraft("length without a body", names: "Content-Length", "0 bytes") {
            .get($0) |> .header("content-length", "1")
        },
        RefusedDraft("one of two lengths is wrong", names: "Content-Length", "\"5\"") {
            .post($0) |> .text("body") |> .header("Content-Length", "4") |> .addingHeader("content-length", "5")
        },
        RefusedDraft("signed length", names: "\"+4\"") {
            .post($0) |> .text("body") |> .header("Content-Length", "+4")
        },
        RefusedDraft("list of lengths", names: "\"4, 4\"") {
            .post($0) |> .text("body") |> .header("Content-Length", "4, 4")
        },
        RefusedDraft("transfer coding", names: "Transfer-Encoding") {
            .post($0) |> .text("body") |> .header("transfer-encoding", "chunked")
        },
        RefusedDraft("transfer coding without a body", names: "Transfer-Encoding") {
            .get($0) |> .header("Transfer-Encoding", "identity")
        },
        RefusedDraft("two hosts", names: "Host", "more than once") {
            .get($0) |> .header("Host", "a") |> .addingHeader("host", "a")
        },
        RefusedDraft("two media types", names: "Content-Type", "more than once") {
            .post($0) |> .header("Content-Type", "text/a") |> .addingHeader("content-type", "text/b") |> .text("x")
        },
        RefusedDraft("a form with another media type", names: "\"application/json\"", "boundary") {
            .post($0) |> .header("Content-Type", "application/json") |> .multipart(MultipartBody([.text("a", "1")]))
        },
        RefusedDraft("credentials of the proxy", names: "Proxy-Authorization", "proxy configuration") {
            .get($0) |> .header("proxy-authorization", "Basic eDp5")
        },
        RefusedDraft("CONNECT", names: "CONNECT", "proxy") { .request(.connect, $0) },
        RefusedDraft("TRACE with a body", names: "TRACE", "body") { .request(.trace, $0) |> .text("x") },
        RefusedDraft("TRACE with credentials", names: "TRACE", "Authorization") {
            .request(.trace, $0) |> .bearer("t")
        },
        RefusedDraft("TRACE with a password in the URL", names: "TRACE", "Authorization") { _ in
            .request(.trace, "http://u:p@127.0.0.1:8080/")
        },
        RefusedDraft("TRACE with a cookie", names: "TRACE", "Cookie") {
            .request(.trace, $0) |> .header("cookie", "a=1")
        },
        RefusedDraft("HEAD with a body", names: "HEAD", "body") { .head($0) |> .text("x") },
    ]

    @Test(arguments: framing)
    func `an ambiguous message is refused`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }

    @Test(arguments: ["a b", "u@h", "h/x", "h:x", "[::1", "[h]", "[::1]x", "é.example", "a%2", "a:1:2", "h?"])
    func `a Host that is no host is refused`(host: String) throws {
        try RefusedDraft(host, names: "Host", "must be a host") { .get($0) |> .header("Host", host) }.expectRefusal()
    }

    @Test(arguments: ["", "h", "H_1.example.:80", "h:", ":80", "[::1]", "[::1]:80", "127.0.0.1:8080", "a%20b!c"])
    func `a Host of the grammar is sent as given`(host: String) throws {
        #expect(try Request(.get("http://h/") |> .header("Host", host)).headers["Host"] == host)
    }

    static let options = [
        RefusedDraft("timeout 0", names: "total timeout") { .get($0) |> .timeout(.zero) },
        RefusedDraft("timeout -1", names: "total timeout", "-1") { .get($0) |> .timeout(.seconds(-1)) },
        RefusedDraft("connect timeout 0", names: "connect timeout") { .get($0) |> .connectTimeout(.zero) },
        RefusedDraft("idle timeout -1", names: "idle timeout") { .get($0) |> .idleTimeout(.nanoseconds(-1)) },
        RefusedDraft("body limit -1", names: "body limit", "-1") { .get($0) |> .bodyLimit(-1) },
        RefusedDraft("header limit -1", names: "header limit", "-1") { .get($0) |> .headerLimit(-1) },
        RefusedDraft("redirect limit -1", names: "redirect limit", "-1") {
            .get($0) |> .redirects(RedirectPolicy(limit: -1))
        },
    ]

    @Test(arguments: options)
    func `a meaningless timeout or limit is refused`(refused: RefusedDraft) throws {
        try refused.expectRefusal()
    }

    static let steps = [
        RefusedDraft("NaN", names: "JSON") { .post($0) |> .json(["amount": Double.nan]) },
        RefusedDraft("infinity", names: "JSON", "at list[1]") { .post($0) |> .json(["list": [1, -Double.infinity]]) },
        RefusedDraft("colon in a user name", names: "colon") { .get($0) |> .basic(user: "a:b", password: "secret") },
        RefusedDraft("own step", names: "my reason") {
            .get($0)
                |> RequestStep { (draft: inout MutableRequest) throws(HTTPError) in
                    throw .invalidRequest(InvalidRequest(draft, "my reason"))
                }
        },
        RefusedDraft("failed step before a good one", names: "JSON") { .post($0) |> .json(Double.nan) |> .json(1) },
    ]

    @Test(arguments: steps)
    func `a failing step fails the request`(refused: RefusedDraft) throws { try refused.expectRefusal() }
}
