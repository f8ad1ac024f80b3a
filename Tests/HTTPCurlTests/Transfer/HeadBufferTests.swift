import Foundation
import HTTPEngine
import TestSupport
import Testing

import HTTPCore
@testable import HTTPCurl

/// The lines of heads and trailers, without an exchange around them.
@Suite struct HeadBufferTests: ~Copyable {
    private var buffer = HeadBuffer()

    private mutating func take(
        _ lines: String..., http2: Bool = false
    ) throws(ResponseHead.Violation) -> [ResponseHead] {
        var heads: [ResponseHead] = []
        for line in lines {
            let bytes = Array(line.utf8)
            let head = try bytes.withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
                try buffer.take(UnsafeRawBufferPointer(bytes), http2: http2)
            }
            if let head { heads.append(head) }
        }
        return heads
    }

    private mutating func problem(_ lines: String..., http2: Bool = false) -> String? {
        do throws(ResponseHead.Violation) {
            for line in lines { _ = try take(line, http2: http2) }
            return nil
        } catch { return error.reason }
    }

    @Test mutating func `the final head comes at its empty line, once, and without the interim ones`() throws {
        let heads = try take(
            "HTTP/1.1 100 Continue\r\n", "\r\n", "HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "\r\n",
            "HTTP/1.1 201 Made\r\n", "A: 1\r\n", "\r\n")
        #expect(heads.map(\.status) == [.created] && heads.first?.headers == ["A": "1"])
    }

    @Test mutating func `a version that was not agreed is refused at the first line`() {
        #expect(problem("HTTP/2 200\r\n")?.contains("although HTTP/2 was not negotiated") == true)
        #expect(problem("HTTP/1.1 200 OK\r\n", http2: true)?.contains("although HTTP/2 was negotiated") == true)
        #expect(problem("HTTP/2 200\r\n", "\r\n", http2: true) == nil)
    }

    @Test mutating func `a switch of protocols and an invalid status are refused at the empty line`() {
        #expect(problem("HTTP/1.1 101 Switching Protocols\r\n") == nil)
        #expect(problem("\r\n") == "it switches protocols (101), and none but HTTP is spoken here (RFC 9110 §15.2.2)")
        #expect(problem("HTTP/1.1 2x0 OK\r\n", "\r\n") != nil)
        #expect(problem("HTTP/1.1 200 OK\r\n", "\r\n") == nil, "nothing of a refused head is left")
    }

    @Test mutating func `a folded field is noted, and a folded Transfer-Encoding refused`() throws {
        let status = "HTTP/1.1 200 OK\r\n"
        let heads = try take(status, "A: 1\r\n", " 2\r\n", "\tTransfer-Encoding: 3\r\n", "B: 4\r\n", "\r\n")
        #expect(heads.first?.headers == ["A": "1 2 Transfer-Encoding: 3", "B": "4"])
        // In values: the buffer cannot be copied into the macro.
        let hasFolds = buffer.hasFolds
        buffer.begin()
        let hasFoldsAfter = buffer.hasFolds
        #expect(hasFolds && !hasFoldsAfter)
        let folds = [("Transfer-Encoding:\r\n", " chunked\r\n"), ("transfer-encoding: gzip,\n", "\tchunked\n")]
        for (first, second) in folds {
            buffer.begin()
            _ = try take(status, first)
            #expect(problem(second)?.contains("Transfer-Encoding is folded") == true)
        }
    }

    /// Looking at all earlier lines for each takes a minute. The time is that of this thread, so that other load does not
    /// count.
    @Test(arguments: ["A: b\r\n", ""]) mutating func `each line of a fold takes the same time`(first: String) throws {
        _ = try take("HTTP/1.1 200 OK\r\n")
        if !first.isEmpty { _ = try take(first) }
        var start = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
        for _ in 1...100_000 { _ = try take(" \r\n") }
        var end = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
        #expect(end.tv_sec - start.tv_sec < 10)
    }

    private static let starts = ["HTTP/1.1 200 OK", "HTTP/1.0 404", "HTTP/1.1 200", "HTTP/1.1 20 OK", "HTTP/1.1 099 X"]
    private static let fields = [
        "A: 1", "b:", "A:\t 2 ", " folded", "\tonce \u{C3}\u{A9}", " ", "Set-Cookie: a=b", "X: \u{E9}",
        "Content-Length: 5", "Content-Length: +5", "Content-Encoding: gzip", "Connection: close", ": 1", "X : 1", "X",
        "X: \u{0}", "X: \u{7}",
    ]

    /// What is read of a head, as text.
    private static func shown(_ read: () throws(ResponseHead.Violation) -> ResponseHead?) -> String {
        do throws(ResponseHead.Violation) {
            guard let head = try read() else { return "nothing" }
            let fields = head.headers.map { "\($0.name): \(Array($0.value.unicodeScalars))" }
            return "\(head.version) \(head.status) \(head.reason) \(fields) \(String(describing: head.contentLength))"
        } catch { return error.reason }
    }

    /// Each character of the lines is an octet.
    @Test mutating func `any lines one by one are read as the whole head is`() {
        for _ in 0..<20_000 {
            let start = Self.starts[.random(in: Self.starts.indices)]
            let fields = (0..<Int.random(in: 0...6)).map { _ in Self.fields[.random(in: Self.fields.indices)] }
            let lines = ([start] + fields + [""]).map { line in
                Array((line + (Bool.random() ? "\r\n" : "\n")).unicodeScalars.map { UInt8($0.value) })
            }
            buffer.begin()
            let oneByOne = Self.shown { () throws(ResponseHead.Violation) in
                for line in lines {
                    let head = try line.withUnsafeBufferPointer { line throws(ResponseHead.Violation) in
                        try buffer.take(UnsafeRawBufferPointer(line), http2: false)
                    }
                    if let head { return head }
                }
                return nil
            }
            let whole = Self.shown { () throws(ResponseHead.Violation) in
                try Array(lines.joined()).withUnsafeBufferPointer { bytes throws(ResponseHead.Violation) in
                    try ResponseHead(bytes)
                }
            }
            guard oneByOne == whole else { return unexpected("\(fields) is \(oneByOne), and not \(whole)") }
        }
    }

    @Test mutating func `a head that broke off is no part of the next exchange, and neither are trailers`() throws {
        _ = try take("HTTP/1.1 404 Not Found\r\n", "B: 2\r\n")
        Array("X: 1\r\n".utf8).withUnsafeBytes { buffer.takeTrailer($0) }
        #expect(buffer.trailers() == ["X": "1"])
        buffer.begin()
        #expect(buffer.trailers() == [:])
        #expect(try take("HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n").first?.headers == ["A": "1"])
    }

    @Test(arguments: ["X 1\r\n", "X : 1\r\n", ": 1\r\n"])
    mutating func `invalid trailer fields are none`(line: String) {
        Array(line.utf8).withUnsafeBytes { buffer.takeTrailer($0) }
        #expect(buffer.trailers() == nil)
    }
}
