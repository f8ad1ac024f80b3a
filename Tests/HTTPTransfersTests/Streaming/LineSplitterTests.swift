@testable import HTTPTransfers
import Testing

@Suite struct LineSplitterTests {
    /// The lines of `pieces`, and the last one at the end.
    private func lines(_ pieces: [[UInt8]], limit: Int = 100) -> (lines: [String], LineSplitter.LineTooLong?) {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        let take = { (line: UnsafeBufferPointer<UInt8>) in lines.append(String(decoding: line, as: UTF8.self)) }
        for piece in pieces {
            let tooLong = piece.withUnsafeBufferPointer { splitter.split($0, into: take) }
            if let tooLong { return (lines, tooLong) }
        }
        splitter.finish(into: take)
        return (lines, nil)
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r", ["a"]), ("a\r\n", ["a"]), ("\n", [""]), ("\r\r", ["", ""]),
        ("\n\r", ["", ""]), ("a\r\n\r\nb", ["a", "", "b"]), ("a\n\nb\n", ["a", "", "b"]),
        ("a\rb\nc\r\nd", ["a", "b", "c", "d"]),
        ("é\r\nü", ["é", "ü"]),
    ])
    func `LF, CR LF and CR end a line, wherever the bytes are split`(text: String, expected: [String]) {
        let bytes = Array(text.utf8)
        #expect(lines([bytes]).lines == expected)
        #expect(lines(bytes.map { [$0] }).lines == expected, "byte by byte")
        for cut in 0...bytes.count {
            #expect(lines([Array(bytes[..<cut]), [], Array(bytes[cut...])]).lines == expected, "cut at \(cut)")
        }
    }

    @Test func `a line of the limit's length passes and a longer one is an error, also in pieces`() {
        #expect(lines([Array("12345\n".utf8)], limit: 5).lines == ["12345"])
        let whole = lines([Array("1\n123456\n".utf8)], limit: 5)
        #expect(whole.lines == ["1"])
        #expect(whole.1 == LineSplitter.LineTooLong(limit: 5))
        let pieces = lines([Array("123".utf8), Array("456".utf8)], limit: 5)
        #expect(pieces.lines.isEmpty)
        #expect(pieces.1 == LineSplitter.LineTooLong(limit: 5))
    }

    @Test func `an error of the receiver passes through and the line is not delivered again`() {
        struct Enough: Error {}
        var splitter = LineSplitter(limit: 10)
        var seen: [String] = []
        for piece in ["a", "b\nc\n"] {
            do {
                _ = try Array(piece.utf8).withUnsafeBufferPointer { bytes in
                    Result { () throws(Enough) in
                        try splitter.split(bytes) { line throws(Enough) in
                            seen.append(String(decoding: line, as: UTF8.self))
                            throw Enough()
                        }
                    }
                }.get()
            } catch {}
        }
        splitter.finish { seen.append(String(decoding: $0, as: UTF8.self)) }
        #expect(seen == ["ab"])
    }
}
