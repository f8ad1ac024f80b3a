import Testing

import HTTPEngine

struct ChunkReaderTests {
    /// The problem found in `text`, split into pieces of that size.
    private func problem(_ text: String, piece: Int = .max) -> String? {
        var reader = ChunkReader()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let problem = problem(rest.prefix(piece), &reader) { return problem }
            rest = rest.dropFirst(piece)
        }
        return nil
    }

    private func problem(_ bytes: ArraySlice<UInt8>, _ reader: inout ChunkReader) -> String? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            do throws(ResponseHead.Violation) {
                while try reader.next(in: &rest) != nil {}
                return nil
            } catch { return error.reason }
        }
    }

    private static let sound = [
        "5\r\nhello\r\n0\r\n\r\n", "0\r\n\r\n", "0\r\nX: 1\r\nY: 2\r\n\r\nbehind\nit", "000\r\nX: 1\r\n\r\n",
        "5;a=b;c\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n",
        "5 \t\r\nhello\r\n0 \r\n\r\n", "fFfFf\r\n", "5\r\n\r\n\r\n\n\r\n0\r\n\r\n",
        "0\r\n\r\nwhat comes behind it: 5x\r\n",
    ]
    private static let broken = [
        "5x\r\nhello", "0x5\r\nhello", "\r\n", "\n", " 5\r\n", "5 5\r\n", ";a\r\n", "-1\r\n", "5\u{0}\r\n",
        "5\r\nhello\r\n5x\r\n", "11111111111111111\r\n",
        // Lines that do not end in CR and LF.
        "5\nhello\r\n", "5;a=b\nhello\r\n", "5\r\nhello\n0\r\n\r\n", "0\n\r\n", "0\r\n\n", "0\r\nX: 1\n\r\n",
        "5\rhello", "5\r\r\nhello", "5;a\rb\r\n", "5\r\nhello\r\r\n", "5\r\nhello!\r\n", "0\r\nX: a\rb\r\n\r\n",
    ]

    @Test(arguments: sound, [1, 2, 3, .max])
    func `valid sizes pass, however the bytes are split`(text: String, piece: Int) {
        #expect(problem(text, piece: piece) == nil)
    }

    @Test(arguments: broken, [1, 2, 3, .max])
    func `an invalid size is found, however the bytes are split`(text: String, piece: Int) throws {
        let found = try #require(problem(text, piece: piece))
        #expect(found.contains("chunk size"))
    }

    @Test func `an invalid size is shown as far as it was read`() {
        #expect(problem("5\r\nhello\r\n1f!x\r\n")?.contains("\"1f!\"") == true)
    }

    @Test func `any number of sizes with extensions is accepted`() {
        #expect(problem(String(repeating: "1;name=value\r\nx\r\n", count: 5000), piece: 1000) == nil)
    }

    @Test(arguments: ["0", "1 ", "5;name=value"], [1, 1000, .max])
    func `a size that does not end is refused, and only its start is kept`(start: String, piece: Int) throws {
        var reader = ChunkReader()
        let padding = start.suffix(1)
        let line = start + String(repeating: String(padding), count: (16 << 10) - start.utf8.count)
        #expect(problem("1\r\nx\r\n" + line, piece: piece) == nil)
        #expect(problem("1\r\nx\r\n" + line + padding, piece: piece)?.contains("16 KiB") == true)
        let bytes = Array(line.utf8)
        #expect(problem(bytes[...], &reader) == nil)
        let kept = try #require(Mirror(reflecting: reader).descendant("line") as? [UInt8])
        #expect(kept.count < 100)
    }
}
