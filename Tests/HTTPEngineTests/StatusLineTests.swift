import TestSupport
import HTTPEngine
import Testing

import HTTPCore

@Suite struct StatusLineTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK", HTTPVersion.http1_1, 200, "OK"), ("HTTP/1.0 404 Not Found", .http1_0, 404, "Not Found"),
        ("HTTP/1.1 200 ", .http1_1, 200, ""), ("HTTP/1.1 200", .http1_1, 200, ""), ("HTTP/2 204", .http2, 204, ""),
        ("HTTP/2 204 ", .http2, 204, ""), ("HTTP/3 200", .http3, 200, ""), ("HTTP/2.0 200 x", .http2, 200, "x"),
        ("HTTP/1.1 999 Far Out", .http1_1, 999, "Far Out"), ("HTTP/1.1 100 Continue", .http1_1, 100, "Continue"),
        ("HTTP/1.1 200 \ttab", .http1_1, 200, "\ttab"), ("HTTP/1.1 200  two", .http1_1, 200, " two"),
        ("HTTP/1.1 200 Größe", .http1_1, 200, "Größe"),
    ])
    func `a status line is parsed`(line: String, version: HTTPVersion, code: Int, reason: String) throws {
        for end in ["\r\n", "\n", ""] {
            let head = try ResponseHead(reading: line + end + (end.isEmpty ? "" : end))
            #expect(head.version == version)
            #expect(head.status.rawValue == code)
            #expect(head.reason == reason)
            #expect(head.headers.isEmpty)
        }
    }

    @Test(arguments: [
        "", "\r\n", "http/1.1 200 OK", "Http/1.1 200 OK", "HTTP 200 OK", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1200 OK",
        "HTTP/1.1  200 OK", "HTTP/1.1\t200 OK", " HTTP/1.1 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK",
        "HTTP/1.1 20", "HTTP/1.1 20x OK", "HTTP/1.1 +20 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 200OK", "HTTP/1.1 200\tOK",
        "HTTP/1.1 099 Low", "HTTP/1.1 000 Zero", "HTTP/1.10 200 OK", "HTTP/11 200 OK", "HTTP/1 200 OK",
        "HTTP/.1 200 OK",
        "HTTP/1. 200 OK", "HTTP/1,1 200 OK", "HTTP/x.1 200 OK", "HTTP/ 200 OK", "HTTPS/1.1 200 OK", "ICY 200 OK",
        "SSH-2.0-OpenSSH", "HTTP/1.1 \u{0662}\u{0660}\u{0660} OK",
        "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 \u{1B}[31m",
    ])
    func `an invalid status line is refused`(line: String) throws {
        let violation = try #require(throws: ResponseHead.Violation.self) {
            _ = try ResponseHead(reading: line + "\r\n\r\n")
        }
        #expect(violation.reason.contains("status") || violation.reason.contains("empty"), "\(violation.reason)")
        #expect(!violation.reason.utf8.contains { $0 < 0x20 }, "\(violation.reason.debugDescription)")
    }

    @Test func `a reason that is not UTF-8 keeps its bytes as characters`() throws {
        let head = try ResponseHead(bytes: Array("HTTP/1.1 200 Gr".utf8) + [0xFC, 0xDF, 0x65] + Array("\r\n\r\n".utf8))
        #expect(head.reason == "Grüße")
    }

    @Test(arguments: [
        (HTTPMethod.get, 200, true), (.post, 404, true), (.head, 200, false), (.head, 404, false), (.get, 204, false),
        (.get, 304, false), (.get, 103, false), (.get, 206, true), (.delete, 200, true),
    ])
    func `whether a body can follow depends on method and status`(method: HTTPMethod, code: Int, mayHave: Bool) {
        #expect(ResponseHead.answer(HTTPStatus(code)).mayHaveBody(answering: method) == mayHave)
    }
}
