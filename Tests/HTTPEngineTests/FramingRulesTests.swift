import TestSupport
import HTTPEngine
import Testing

import HTTPCore

@Suite struct FramingRulesTests {
    @Test(
        arguments: [
            (.http1_1, [], false), (.http1_1, ["close"], true), (.http1_1, ["TE, Close"], true),
            (.http1_1, ["Upgrade", "close"], true), (.http1_1, ["closed"], false), (.http1_1, ["keep-alive"], false),
            (.http1_0, [], true), (.http1_0, ["Keep-Alive"], false), (.http1_0, ["keep-alive, close"], true),
        ] as [(HTTPVersion, [String], Bool)])
    func `the head tells whether the connection ends`(version: HTTPVersion, options: [String], ends: Bool) throws {
        let headers = HTTPHeaders(options.map { HTTPHeaders.Field(name: "Connection", value: $0) })
        #expect(try ResponseHead(version: version, status: .ok, headers: headers).closesConnection == ends)
    }

    @Test(
        arguments: [
            ([("Content-Length", "0")], 0), ([("Content-Length", "5")], 5), ([("Content-Length", "005")], 5),
            ([("Content-Length", "5"), ("content-length", "5")], 5), ([("Content-Length", "5, 5")], 5),
            ([("Content-Length", "5"), ("Content-Length", "05")], 5),
            ([("Content-Length", "5,5"), ("Content-Length", "5")], 5),
            ([("Content-Length", "9223372036854775807")], Int64.max), ([], nil),
            ([("Transfer-Encoding", "chunked")], nil),
            ([("Transfer-Encoding", "Chunked")], nil),
        ] as [([(String, String)], Int64?)])
    func `unambiguous framing is accepted`(headers: [(String, String)], length: Int64?) {
        #expect(ResponseHead.answer(.ok, headers).contentLength == length)
    }

    @Test(arguments: [
        [("Content-Length", "")], [("Content-Length", "x")], [("Content-Length", "-5")], [("Content-Length", "+5")],
        [("Content-Length", "5x")], [("Content-Length", "0x5")], [("Content-Length", "5 5")],
        [("Content-Length", "5,")],
        [("Content-Length", ",5")], [("Content-Length", "5.0")], [("Content-Length", "9223372036854775808")],
        // Truncated to 64 bits these would be 4 and 0.
        [("Content-Length", "18446744073709551620")], [("Content-Length", "18446744073709551616")],
        [("Content-Length", "\u{0665}")],
        [("Content-Length", "5"), ("Content-Length", "6")], [("Content-Length", "5, 6")],
        [("Content-Length", "5"), ("Content-Length", "")],
        [("Content-Length", "5"), ("Content-Length", "x")],
        [("Transfer-Encoding", "gzip")], [("Transfer-Encoding", "gzip, chunked")],
        [("Transfer-Encoding", "chunked, chunked")],
        [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "identity")], [("Transfer-Encoding", "")], [("Transfer-Encoding", "xchunked")],
        [("Transfer-Encoding", "chunked;a=b")],
        [("Content-Length", "x"), ("Transfer-Encoding", "chunked")],
        // Two readings (RFC 9112 §6.3), whatever the order, the case and the length.
        [("Transfer-Encoding", "chunked"), ("Content-Length", "5")],
        [("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
        [("content-length", "0"), ("transfer-encoding", "Chunked")],
        [("Transfer-Encoding", "chunked"), ("Content-Length", "5, 5")],
    ])
    func `ambiguous framing is refused`(headers: [(String, String)]) throws {
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        let violation = try #require(throws: ResponseHead.Violation.self) {
            _ = try ResponseHead(reading: "HTTP/1.1 200 OK\r\n\(lines)\r\n")
        }
        #expect(ASCII.lowercased(violation.reason).contains(ASCII.lowercased(headers[0].0)), "\(violation.reason)")
    }

    @Test(arguments: ["2,", ",", "2, x"]) func `a length in a list is shown as it came`(value: String) throws {
        let violation = try #require(throws: ResponseHead.Violation.self) {
            _ = try ResponseHead(version: .http1_1, status: .ok, headers: ["Content-Length": value])
        }
        #expect(violation.reason == "its Content-Length is \"\(value)\"")
    }

    @Test func `a transfer coding in HTTP 2 is refused`() throws {
        let violation = try #require(throws: ResponseHead.Violation.self) {
            _ = try ResponseHead(version: .http2, status: .ok, headers: ["Transfer-Encoding": "chunked"])
        }
        #expect(violation.reason == "it has a Transfer-Encoding in HTTP/2 (RFC 9113 §8.2.2)")
    }

    @Test(arguments: ["chunked", "Chunked", "gzip"])
    func `a transfer coding in HTTP 1_0 is refused`(coding: String) throws {
        let violation = try #require(throws: ResponseHead.Violation.self) {
            _ = try ResponseHead(reading: "HTTP/1.0 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n")
        }
        #expect(violation.reason.contains("Transfer-Encoding"), "\(violation.reason)")
    }

    @Test func `a body is announced where its status allows none`() {
        for status in [HTTPStatus(204), 205, 304] {
            #expect(ResponseHead.answer(status, [("Content-Length", "5")]).announcesForbiddenBody)
            #expect(ResponseHead.answer(status, [("Transfer-Encoding", "chunked")]).announcesForbiddenBody)
            #expect(!ResponseHead.answer(status, [("Content-Length", "0")]).announcesForbiddenBody)
            #expect(!ResponseHead.answer(status, []).announcesForbiddenBody)
        }
        #expect(!ResponseHead.answer(200, [("Content-Length", "5")]).announcesForbiddenBody)
    }
}
