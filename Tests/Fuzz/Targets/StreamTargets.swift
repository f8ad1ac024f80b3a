@testable import HTTPSupport
@testable import HTTPTransfers
@testable import HTTPCore
@testable import HTTPCurl
@testable import HTTPEngine

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decoders of bytes that arrive in pieces: the result does not depend on the split.
enum StreamTargets {
    static let all = [FuzzTarget("events", events), FuzzTarget("lines", lines), FuzzTarget("coding", coding)]

    private struct Events: Equatable {
        var events: [ServerSentEvent] = []
        var memory = EventStreamParser.Memory()
        var isTooLong = false
    }

    private static func events(_ input: FuzzInput) {
        // With a limit that short inputs reach, and without.
        for limit in [40, 1 << 20] {
            let outcomes = input.cuts.map { events($0, limit: limit) }
            require(outcomes.allSatisfy { $0 == outcomes[0] }, "the events depend on the pieces: \(outcomes)")
            for event in outcomes[0].events {
                require(event.data.utf8.count <= limit, "an event has \(event.data.utf8.count) bytes")
                require(
                    !event.type.isEmpty && !event.type.utf8.contains { $0 == 0x0A || $0 == 0x0D },
                    "the type is \(event.type)")
                require(
                    !event.id.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D },
                    "the id is \(event.id.debugDescription)")
                require(!event.data.utf8.contains(0x0D), "the data are \(event.data.debugDescription)")
            }
        }
    }

    private static func events(_ pieces: [ArraySlice<UInt8>], limit: Int) -> Events {
        var parser = EventStreamParser(eventLimit: limit)
        var outcome = Events()
        for piece in pieces {
            let (events, tooLong) = piece.withUnsafeBufferPointer { parser.parse($0) }
            outcome.events += events
            outcome.memory = parser.memory
            guard tooLong == nil else {
                outcome.isTooLong = true
                break
            }
        }
        return outcome
    }

    private static let charsets = ["utf-8", "iso-8859-1", "utf-16", "x-unknown", "US-ASCII"]

    private static func lines(_ input: FuzzInput) {
        let charset = charsets[input.choice % charsets.count]
        let outcomes = input.rest.cuts.map { lines($0, charset) }
        require(outcomes.allSatisfy { $0 == outcomes[0] }, "the lines depend on the pieces: \(outcomes)")
        let data = Data(input.rest.bytes)
        if let text = try? TextDecoding.decode(data, charset: ASCII.lowercased(charset)), charset == "utf-8",
            !data.starts(with: [0xEF, 0xBB, 0xBF]), !data.starts(with: [0xFE, 0xFF]), !data.starts(with: [0xFF, 0xFE])
        {
            require(text.utf8.elementsEqual(data), "UTF-8 is decoded to something else")
        }
    }

    private static func lines(_ pieces: [ArraySlice<UInt8>], _ charset: String) -> [String] {
        var lines: [String] = []
        guard let request = try? Request(.get("https://host.example/")) else { return [] }
        let start = ResponseStart(
            request: request, status: .ok, headers: ["Content-Type": "text/plain; charset=\(charset)"])
        do {
            let sink = try TextLines(start, limit: 60) { line, number in lines.append("\(number) \(line)") }.sink
            for piece in pieces { try piece.withUnsafeBytes { try sink.write($0) } }
            try sink.finish()
        } catch { lines.append("failed: \(error)") }
        return lines
    }

    private static let codings = ["gzip", "deflate", "br", "zstd", "gzip, br", "deflate, zstd", "gzip, gzip", "x-gzip"]

    private struct Decoded {
        var bytes: [UInt8] = []
        var stop: ResponseReceiver.Stop?
        var unfinished: String?

        var isWhole: Bool { stop == nil && unfinished == nil }
        var isExpanded: Bool { if case .limitExceeded(.expansion, _)? = stop { true } else { false } }
    }

    private static let outputLimit = 1 << 18
    private static let expansion = 20

    private static func coding(_ input: FuzzInput) {
        let coding = codings[input.choice % codings.count]
        let outcomes = input.rest.cuts.map { decode($0, coding) } + [decode(input.rest.cuts[0], coding, holds: true)]
        for outcome in outcomes.dropFirst() { check(outcome, outcomes[0], coding) }
        let count = outcomes[0].bytes.count
        require(
            count <= max(64 << 10, input.bytes.count * expansion),
            "\(input.bytes.count) bytes of \(coding) became \(count)")
        Deflate.check(input.rest.bytes)
    }

    /// Both give the same up to the first error. How much is delivered before it is noticed depends on the pieces.
    private static func check(_ one: Decoded, _ other: Decoded, _ coding: String) {
        let count = min(one.bytes.count, other.bytes.count)
        require(one.bytes.prefix(count) == other.bytes.prefix(count), "\(coding) gives other bytes in other pieces")
        // Invalid input that also breaks off may be reported as either.
        guard one.isWhole || other.isWhole else { return }
        // The expansion limit counts what has arrived so far, so pieces may exceed it when the whole does not.
        guard !one.isExpanded, !other.isExpanded else { return }
        require(
            one.isWhole && other.isWhole && one.bytes == other.bytes,
            "\(coding) ends as \(one.stop as Any), \(other.stop as Any) in other pieces")
    }

    /// `holds`: whether it decodes one piece at a time.
    private static func decode(_ pieces: [ArraySlice<UInt8>], _ coding: String, holds: Bool = false) -> Decoded {
        var outcome = Decoded()
        do throws(ResponseReceiver.Stop) {
            let headers: HTTPHeaders = ["Content-Encoding": coding]
            guard let decoding = try ContentDecoding.forBody(of: headers, limit: outputLimit, expansion: expansion)
            else { return outcome }
            for piece in pieces {
                try piece.withUnsafeBufferPointer { piece throws(ResponseReceiver.Stop) in
                    let piece = UnsafeRawBufferPointer(piece)
                    var isHeld = true
                    while isHeld {
                        isHeld = try decoding.decode(piece, most: holds ? 1 : .max) {
                            bytes throws(ResponseReceiver.Stop) in
                            outcome.bytes += bytes
                            if outcome.bytes.count > outputLimit { throw .enough }
                        }
                    }
                }
            }
            outcome.unfinished = decoding.unfinishedCoding
        } catch { outcome.stop = error }
        return outcome
    }
}

/// zlib's encoder, whose output the decoder must decode.
private enum Deflate {
    private typealias Compress =
        @convention(c) (
            UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedLong>, UnsafePointer<UInt8>, CUnsignedLong, CInt
        ) -> CInt

    private static let compress = SystemLibrary.zlib.function("compress2", as: Compress.self)

    static func check(_ bytes: [UInt8]) {
        guard let compress else { return }
        var coded = [UInt8](repeating: 0, count: bytes.count * 2 + 64)
        var count = CUnsignedLong(coded.count)
        guard compress(&coded, &count, bytes, CUnsignedLong(bytes.count), 6) == 0,
            let decoder = ContentCodings.decoder(for: "deflate")
        else { return }
        var decoded: [UInt8] = []
        coded[..<Int(count)].withUnsafeBytes { coded in
            var rest = coded
            while let piece = try? decoder.decode(&rest) { decoded += piece }
        }
        require(decoder.isFinished && decoded == bytes, "\(bytes.count) bytes became \(decoded.count)")
    }
}
