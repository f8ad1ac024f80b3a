import TestSupport
import HTTPEngine
import Foundation
import Testing

import HTTPCore

@Suite struct FieldLineTests {
    private func headers(_ lines: String) throws(ResponseHead.Violation) -> HTTPHeaders {
        try ResponseHead(reading: "HTTP/1.1 200 OK\r\n\(lines)\r\n").headers
    }

    @Test(
        arguments: [
            ("A: b\r\n", ["A": "b"]), ("A:b\r\n", ["A": "b"]), ("A: \t b \t\r\n", ["A": "b"]), ("A:\r\n", ["A": ""]),
            ("A:   \r\n", ["A": ""]), ("A: b: c\r\n", ["A": "b: c"]), ("A: b\nC: d\n", ["A": "b", "C": "d"]),
            ("a: 1\r\nA: 2\r\n", ["a": "1", "A": "2"]), ("A: b\tc\r\n", ["A": "b\tc"]),
            ("!#$%&'*+-.^_`|~09azAZ: x\r\n", ["!#$%&'*+-.^_`|~09azAZ": "x"]), ("A: é€😀\r\n", ["A": "é€😀"]), ("", [:]),
        ] as [(String, HTTPHeaders)])
    func `fields are parsed in order with their spelling`(lines: String, expected: HTTPHeaders) throws {
        let read = try headers(lines)
        #expect(read.map(\.name) == expected.map(\.name))
        #expect(read == expected)
    }

    @Test(arguments: [
        ("A: b\r\n c\r\n", "b c"), ("A: b\r\n\t  c  \r\n", "b c"), ("A: b\r\n c\r\n d\r\n", "b c d"),
        ("A:\r\n b\r\n", "b"), ("A: b\n c\n", "b c"), ("A: b\r\n \r\n", "b"), ("A: b\r\n\t\r\n c\r\n", "b c"),
    ])
    func `a folded line continues the value before it`(lines: String, value: String) throws {
        #expect(try headers(lines) == ["A": value])
    }

    /// Copying the earlier text for each of so many lines takes half a minute. The time is that of this thread, so that
    /// other load does not count.
    @Test func `folded lines take time proportional to their number, not its square`() throws {
        func threadTime() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        let count = 400_000
        let start = threadTime()
        let value = try #require(
            try headers("A: b\r\n" + String(repeating: " x\r\n", count: count) + "C: d\r\n")["A"])
        #expect(threadTime() - start < 10)
        #expect(value.utf8.count == 1 + 2 * count && value.hasPrefix("b x x"))
    }

    @Test(arguments: [
        "A : b\r\n", "A\t: b\r\n", ": b\r\n", "A b: c\r\n", "A\r\n", "A b\r\n", "A(x): b\r\n", "\u{E9}: b\r\n",
        "A\u{0}: b\r\n", "A: b\u{0}c\r\n", "A: b\rc\r\n", "A: b\r\r\n", "A: \u{0}\r\n", "A: \u{1}\u{0}\r\n",
        " folded: first\r\n", "\tfolded\r\n", "A: b\r\n c\u{0}d\r\n", "A: b\r\n c\rd\r\n",
        "\"A\": b\r\n", "A,B: c\r\n", "HTTP/1.1 200 OK\r\n",
    ])
    func `an invalid line is refused with a phrase that shows it`(lines: String) throws {
        let violation = try #require(throws: ResponseHead.Violation.self) { _ = try headers(lines) }
        #expect(violation.reason.contains("header"), "\(violation.reason)")
        #expect(!violation.reason.utf8.contains { $0 < 0x20 }, "\(violation.reason.debugDescription)")
    }

    @Test(arguments: [
        "Set-Cookie : sid=secret\r\n", "X-Key\tfoo: secret\r\n", " Cookie: secret\r\n", "token=secret\r\n",
    ])
    func `what may be a value is not shown`(lines: String) throws {
        let violation = try #require(throws: ResponseHead.Violation.self) { _ = try headers(lines) }
        #expect(violation.reason.contains("line") && !violation.reason.contains("secret"), "\(violation.reason)")
    }

    @Test(arguments: Array(0x01...0x1F) + [0x7F])
    func `a control character that ends nothing stays in its value`(byte: UInt8) throws {
        guard byte != 0x0A, byte != 0x0D else { return }
        let line = Array("A: long enough for".utf8) + [byte] + Array("a word of eight\r\n c".utf8) + [byte, 0x64]
        let head = try ResponseHead(bytes: Array("HTTP/1.1 200 OK\r\n".utf8) + line + Array("\r\n\r\n".utf8))
        let control = String(Unicode.Scalar(byte))
        #expect(head.headers["A"] == "long enough for\(control)a word of eight c\(control)d")
    }

    @Test func `a control character of a value is printed escaped`() throws {
        let headers = try headers("Server: a\u{1B}[2J\u{8}b\r\nX: \u{7F}secret\r\n")
        #expect("\(headers)" == "Server: a\\u{1B}[2J\\u{08}b\nX: <redacted>")
    }

    @Test func `a value that is not UTF-8 keeps its octets, and reads as ISO-8859-1`() throws {
        let bytes = Array("HTTP/1.1 200 OK\r\nA: ".utf8) + [0x66, 0xFC, 0x72, 0xFF] + Array("\r\n\r\n".utf8)
        let field = try #require(try ResponseHead(bytes: bytes).headers.first)
        #expect(field.text == "für\u{FF}")
        #expect(field.octets == [0x66, 0xFC, 0x72, 0xFF])
        #expect("\(HTTPHeaders.Field(name: "Server", value: field.value))" == "Server: f\\xFCr\\xFF")
    }

    @Test func `only the start of a long line is shown`() throws {
        let long = String(repeating: "x", count: 10_000)
        let violation = try #require(throws: ResponseHead.Violation.self) { _ = try headers(long + "\r\n") }
        #expect(violation.reason.utf8.count < 200)
    }

    @Test(arguments: ["\r\n\r\n", "\n\n", "\r\n\n", "\n\r\n"])
    func `a head that goes on behind an empty line is refused`(end: String) throws {
        let head = "HTTP/1.1 200 OK\r\nA: b\(end)"
        #expect(try ResponseHead(reading: head).headers == ["A": "b"])
        let violation = #expect(throws: ResponseHead.Violation.self) {
            try ResponseHead(reading: head + "Content-Length: 5\r\n\r\n")
        }
        #expect(violation?.reason == "it goes on behind an empty line (RFC 9112 §2.1)")
    }

    @Test func `the shown start of a field does not reveal its value`() throws {
        let violation = try #require(throws: ResponseHead.Violation.self) {
            _ = try headers("Set-Cookie: id=secret\u{0}\r\n")
        }
        #expect(!violation.reason.contains("secret"))
    }
}
