import TestSupport
import HTTPSupport
import HTTPEngine
import HTTPMockServer
import Testing

import HTTPCore
@testable import HTTPCurl

@Suite struct ContentDecodingTests {
    @Test(arguments: CodedBody.whole)
    func `a body is decoded`(body: CodedBody) throws {
        let outcome = try body.decode()
        #expect(outcome.text == CodedBodies.text)
        #expect(outcome.isWhole)
    }

    @Test(arguments: CodedBody.whole)
    func `a body is decoded wherever it is split in two`(body: CodedBody) throws {
        for cut in 0...body.bytes.count {
            let outcome = try body.decode(cuts: [cut])
            guard outcome.text == CodedBodies.text, outcome.isWhole else {
                return unexpected("cut at \(cut): \(outcome)")
            }
        }
    }

    @Test(arguments: CodedBody.whole)
    func `a body is decoded byte by byte, with empty pieces between`(body: CodedBody) throws {
        let cuts = Array((0..<body.bytes.count).flatMap { [$0, $0] })
        let outcome = try body.decode(cuts: cuts)
        #expect(outcome.text == CodedBodies.text)
        #expect(outcome.unfinished == nil)
    }

    @Test(arguments: CodedBody.whole)
    func `a truncated body is unfinished, wherever it ends`(body: CodedBody) throws {
        let memberEnds = try CodedBody.whole.filter { $0.testDescription.contains("in two") }.map { try $0.ends() }
        for count in 1..<body.bytes.count {
            let outcome = try body.with(body.bytes.prefix(count)).decode()
            // A stream of several parts is complete at the end of each.
            if body.testDescription.contains("in two"), memberEnds.contains(count) { continue }
            guard outcome.unfinished != nil, outcome.stop == nil else {
                return unexpected("\(count) of \(body.bytes.count) bytes: \(outcome)")
            }
            guard CodedBodies.text.hasPrefix(outcome.text) else { return unexpected(outcome.text) }
        }
    }

    @Test(arguments: CodedBody.whole)
    func `bytes after the end are an error, together with the end or later`(body: CodedBody) throws {
        let longer = body.with(body.bytes + Array("trailing garbage".utf8))
        for outcome in [try longer.decode(), try longer.decode(cuts: [body.bytes.count])] {
            guard case .violation(let reason, .contentCoding)? = outcome.stop else { return unexpected(outcome) }
            #expect(reason.hasPrefix("its body is not what its Content-Encoding says: "))
        }
    }

    @Test(arguments: CodedBody.whole)
    func `a single byte after the end is not accepted either`(body: CodedBody) throws {
        let outcome = try body.with(body.bytes + [0x0A]).decode()
        if case .violation(_, .contentCoding)? = outcome.stop { return }
        #expect(outcome.unfinished != nil)
    }

    @Test(arguments: CodedBody.whole)
    func `a changed byte is always detected with a checksum, and never crashes without one`(
        body: CodedBody
    ) throws {
        let isChecked = body.testDescription.hasPrefix("gzip") || body.testDescription == "zstd"
        for place in body.bytes.indices {
            var bytes = body.bytes
            bytes[place] ^= 0x81
            let outcome = try body.with(bytes).decode(limit: 10_000)
            if isChecked, outcome.isWhole, outcome.text != CodedBodies.text {
                return unexpected("byte \(place): \(outcome)")
            }
        }
    }

    @Test func `a zstd frame with an empty last block is decoded alike, whole and in pieces`() throws {
        // It announces five bytes and has none.
        let body = CodedBody("zstd", "zstd", bytes: [0x28, 0xB5, 0x2F, 0xFD, 0x20, 5, 1, 0, 0])
        for cut in 0...body.bytes.count {
            let outcome = try body.decode(cuts: [cut])
            #expect(outcome.output.isEmpty && outcome.isWhole, "cut at \(cut): \(outcome)")
        }
    }

    @Test(arguments: ["gzip", "deflate", "br", "zstd"])
    func `text in no coding is corrupt`(coding: String) throws {
        let outcome = try CodedBody("plain", coding, bytes: Array("{\"plain\":\"JSON\"}, not encoded".utf8)).decode()
        guard case .violation(_, .contentCoding)? = outcome.stop else { return unexpected(outcome) }
    }

    @Test(arguments: [
        CodedBody("gzip", "gzip", bytes: CodedBodies.gzipEmpty),
        CodedBody("deflate", "deflate", bytes: CodedBodies.zlibEmpty),
        CodedBody("br", "br", bytes: CodedBodies.brEmpty), CodedBody("zstd", "zstd", bytes: CodedBodies.zstdEmpty),
        CodedBody("no bytes at all", "gzip", bytes: []), CodedBody("no bytes of two codings", "gzip", "br", bytes: []),
    ])
    func `an empty body, encoded or not, is empty`(body: CodedBody) throws {
        let outcome = try body.decode()
        #expect(outcome.output.isEmpty && outcome.isWhole)
    }

    @Test(arguments: [
        CodedBody("gzip in gzip", "gzip", "gzip", bytes: CodedBodies.gzipBomb),
        CodedBody("br", "br", bytes: CodedBodies.brBomb), CodedBody("zstd", "zstd", bytes: CodedBodies.zstdBomb),
    ])
    func `a bomb of 16 MiB stops as soon as its output is refused`(body: CodedBody) throws {
        let outcome = try body.decode(limit: 100_000)
        guard case .enough? = outcome.stop else { return unexpected(outcome) }
        #expect(outcome.output.count <= 100_000)
        #expect(outcome.output.count > 100_000 - ContentCodings.pieceSize)
        #expect(try body.decode().output.count == 16 << 20)
    }

    @Test func `once refused, no output is delivered again`() throws {
        let headers: HTTPHeaders = ["Content-Encoding": "gzip, gzip"]
        let decoding = try #require(try ContentDecoding.forBody(of: headers))
        var calls = 0
        #expect(throws: ResponseReceiver.Stop.self) {
            try CodedBodies.gzipWideBomb.withUnsafeBytes { bytes in
                try decoding.decode(bytes) { _ throws(ResponseReceiver.Stop) in
                    calls += 1
                    throw .enough
                }
            }
        }
        #expect(calls == 1)
    }

    @Test(arguments: CodedBody.whole, [1, 7, .max])
    func `held input continues where it was, however it is passed again`(body: CodedBody, size: Int) throws {
        let headers = HTTPHeaders(body.codings.map { HTTPHeaders.Field(name: "Content-Encoding", value: $0) })
        let decoding = try #require(try ContentDecoding.forBody(of: headers))
        var output: [UInt8] = []
        var rest = body.bytes[...]
        var holds = 0
        while !rest.isEmpty {
            let isHeld = try Array(rest.prefix(size)).withUnsafeBytes { bytes in
                try decoding.decode(bytes, most: 1) { output += $0 }
            }
            if isHeld { holds += 1 } else { rest = rest.dropFirst(size) }
        }
        #expect(String(decoding: output, as: UTF8.self) == CodedBodies.text)
        #expect(holds > 0 && decoding.unfinishedCoding == nil)
    }

    @Test func `at most one piece beyond the limit of a bomb is decoded at once`() throws {
        for (coding, bomb) in [
            ("gzip, gzip", CodedBodies.gzipBomb), ("br", CodedBodies.brBomb), ("zstd", CodedBodies.zstdBomb),
        ] {
            let decoding = try #require(try ContentDecoding.forBody(of: ["Content-Encoding": coding]))
            var total = 0
            var isHeld: Bool
            repeat {
                var given = 0
                isHeld = try bomb.withUnsafeBytes { bytes in
                    try decoding.decode(bytes, most: 1 << 20) { given += $0.count }
                }
                #expect(given < (1 << 20) + ContentCodings.pieceSize)
                total += given
            } while isHeld
            #expect(total == 16 << 20 && decoding.unfinishedCoding == nil)
        }
    }

    /// Empty members are not a body, whatever their number.
    @Test func `the output between two codings is limited as well`() throws {
        let members = Array(repeating: CodedBodies.gzipEmpty, count: 10_000).flatMap(\.self)
        let coded = try Self.deflated(members)
        func decode(limit: Int) throws -> Bool {
            let headers: HTTPHeaders = ["Content-Encoding": "gzip, deflate"]
            let decoding = try #require(try ContentDecoding.forBody(of: headers, limit: limit))
            return try coded.withUnsafeBytes { try decoding.decode($0) { _ in } }
        }
        let stop = try #require(throws: ResponseReceiver.Stop.self) { try decode(limit: 1000) }
        guard case .limitExceeded(.body, bytes: 1000) = stop else { return unexpected(stop) }
        #expect(try !decode(limit: members.count))
    }

    private static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
        typealias Compress =
            @convention(c) (
                UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedLong>, UnsafePointer<UInt8>, CUnsignedLong,
                CInt
            ) -> CInt
        let compress = try #require(SystemLibrary.zlib.function("compress2", as: Compress.self))
        var coded = [UInt8](repeating: 0, count: bytes.count)
        var count = CUnsignedLong(coded.count)
        try #require(compress(&coded, &count, bytes, CUnsignedLong(bytes.count), 6) == 0)
        return Array(coded.prefix(Int(count)))
    }

    @Test func `a zstd window beyond the 8 MiB of RFC 9659 is refused`() throws {
        let outcome = try CodedBody("wide", "zstd", bytes: CodedBodies.zstdWide).decode()
        guard case .violation(let reason, .contentCoding)? = outcome.stop else { return unexpected(outcome) }
        #expect(reason.contains("window is larger than 8 MiB"))
    }

    /// The library reads them if it was built with that support.
    @Test func `a zstd frame of a version before 1_0 is refused, wherever it is cut`() throws {
        let old: [UInt8] = [0x26, 0xB5, 0x2F, 0xFD, 0x0C, 0, 0, 0]
        for bytes in [old, CodedBodies.zstd + old] {
            for cuts in [[], Array(1..<bytes.count)] {
                let outcome = try CodedBody("old", "zstd", bytes: bytes).decode(cuts: cuts)
                guard case .violation(_, .contentCoding)? = outcome.stop else { return unexpected(outcome) }
            }
        }
    }

    @Test func `a zstd frame to be skipped may occur between others`() throws {
        let skipped: [UInt8] = [0x5F, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 1, 2]
        for cuts in [[], Array(1..<(CodedBodies.zstd.count + skipped.count))] {
            let outcome = try CodedBody("skipped", "zstd", bytes: skipped + CodedBodies.zstd).decode(cuts: cuts)
            #expect(outcome.text == CodedBodies.text && outcome.isWhole)
        }
    }
}

extension CodedBody {
    /// The length of the first of two parts, where decoding gives the first half of the text and is complete.
    fileprivate func ends() throws -> Int {
        try #require(
            try (1..<bytes.count).first { count in
                let outcome = try with(bytes.prefix(count)).decode()
                return outcome.unfinished == nil && outcome.output.count == CodedBodies.text.utf8.count / 2
            })
    }
}
