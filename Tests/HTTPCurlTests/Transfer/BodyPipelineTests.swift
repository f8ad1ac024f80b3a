import TestSupport
import HTTPEngine
import HTTPSupport
import Testing

import HTTPCore
@testable import HTTPCurl

/// The way of a body from the wire to the receiver, without an exchange around it.
@Suite struct BodyPipelineTests: ~Copyable {
    private typealias Stop = ResponseReceiver.Stop
    private var body = BodyPipeline()

    /// Takes the head, then the parts of a body. Returns why no more was taken; nil if all was.
    private mutating func take(
        _ headers: HTTPHeaders, _ parts: [[UInt8]] = [], answering draft: MutableRequest = .get("http://a/"),
        status: HTTPStatus = .ok, decodes: Bool = true
    ) throws -> Stop? {
        body.clear()
        body.begin(try Request(draft))
        let head = try ResponseHead(status: status, headers: headers)
        do throws(Stop) {
            try body.take(head, decodes: decodes)
            for part in parts {
                try part.withUnsafeBufferPointer { bytes throws(Stop) in
                    _ = try body.take(UnsafeRawBufferPointer(bytes))
                }
            }
            return nil
        } catch { return error }
    }

    /// A destination that takes longer for each write than a turn may.
    private static func slowSink(into written: Locked<[UInt8]>) -> BodyDestination {
        .stream { _ in
            BodySink(write: { bytes in
                let start = TimePoint.now
                while start.span(to: .now) < .microseconds(6000) {}
                written.withLock { $0 += bytes }
            })
        }
    }

    @Test mutating func `a body is whole with its announced length`() throws {
        #expect(try take(["Content-Length": "4"], [[1, 2]]) == nil && !body.isWhole)
        #expect(try take(["Content-Length": "4"], [[1, 2], [3, 4]]) == nil && body.isWhole)
        #expect(body.codedCount == 4 && Array(body.receiver.takeBody()) == [1, 2, 3, 4])
        #expect(try take(["Content-Length": "4"], answering: .head("http://a/")) == nil && body.isWhole)
        #expect(try take([:], [[1]]) == nil && !body.isWhole, "its length is not known")
    }

    @Test mutating func `a body in chunks is whole behind its last line`() throws {
        #expect(try take(["Transfer-Encoding": "chunked"], [Array("2\r\n".utf8)]) == nil && !body.isWhole)
        var verdicts: [Bool] = []
        for bytes in ["xy\r\n0\r\nX: 1\r\n", "\r\n"] {
            let isFollowed = try Array(bytes.utf8).withUnsafeBytes { try body.take($0) }
            #expect(!isFollowed)
            verdicts.append(body.isWhole)
        }
        // A part of it is still to come.
        body.isHeld = true
        verdicts.append(body.isWhole)
        #expect(verdicts == [false, true, false] && body.trailers() == ["X": "1"])
    }

    @Test mutating func `a coded body is decoded, unless the caller wants it as it is`() throws {
        let (coded, headers) = (CodedBodies.gzip, ["Content-Encoding": "gzip"] as HTTPHeaders)
        #expect(try take(headers, [coded]) == nil)
        #expect(body.codedCount == Int64(coded.count) && body.decoding?.unfinishedCoding == nil)
        #expect(String(decoding: body.receiver.takeBody(), as: UTF8.self) == CodedBodies.text)
        #expect(try take(headers, [coded], decodes: false) == nil && body.decodingTime == .zero)
        #expect(Array(body.receiver.takeBody()) == coded)
    }

    @Test mutating func `the limit counts decoded bytes, and a body that is not what its coding says is refused`()
        throws
    {
        let headers: HTTPHeaders = ["Content-Encoding": "gzip"]
        let limited = MutableRequest.get("http://a/") |> .bodyLimit(3)
        guard case .limitExceeded(.body, bytes: 3)? = try take(headers, [CodedBodies.gzip], answering: limited) else {
            return unexpected("taken")
        }
        guard case .violation(let reason, .contentCoding)? = try take(headers, [[1, 2, 3, 4]]) else {
            return unexpected("taken")
        }
        #expect(reason.contains("Content-Encoding"))
        let codings = Array(repeating: "gzip", count: 6).joined(separator: ",")
        guard case .violation(_, .contentCoding)? = try take(["Content-Encoding": codings]) else {
            return unexpected("taken")
        }
    }

    @Test(arguments: [false, true])
    mutating func `behind a slow write to a sink the next part waits for a turn of others`(isCoded: Bool) throws {
        let written = Locked<[UInt8]>([])
        let slow = Self.slowSink(into: written)
        let headers: HTTPHeaders = isCoded ? ["Content-Encoding": "gzip"] : ["Content-Length": "2"]
        let parts = isCoded ? [CodedBodies.gzip, []] : [[1], [2]]
        let draft = MutableRequest.get("http://a/") |> .destination(slow)
        #expect(try take(headers, [parts[0]], answering: draft) == nil)
        if !isCoded {
            #expect(body.isHeld == false)
            try parts[1].withUnsafeBytes { _ = try body.take($0) }
        }
        #expect(body.isHeld && !body.isWhole)
        body.isHeld = false
        try parts[isCoded ? 0 : 1].withUnsafeBytes { _ = try body.take($0) }
        #expect(body.isHeld == false && body.codedCount == (isCoded ? Int64(CodedBodies.gzip.count) : 2))
        #expect(written.withLock { $0 } == (isCoded ? Array(CodedBodies.text.utf8) : [1, 2]))
    }

    @Test mutating func `chunks are undone where a body may come, also that of a followed redirect`() throws {
        let chunked: HTTPHeaders = ["Transfer-Encoding": "chunked"]
        #expect(try take(["Content-Length": "1"]) == nil && !body.isChunked)
        #expect(try take(chunked, answering: .head("http://a/")) == nil && !body.isChunked)
        #expect(
            try take(["Transfer-Encoding": "chunked", "Location": "/b"], status: .found) == nil && body.isChunked)
        #expect(try take(chunked) == nil && body.isChunked)
        for (line, isValid) in [("5\r\n", true), ("5x\r\n", false)] {
            _ = try take(chunked)
            do throws(Stop) {
                try Array(line.utf8).withUnsafeBufferPointer { bytes throws(Stop) in
                    #expect(try !body.take(UnsafeRawBufferPointer(bytes)))
                }
                #expect(isValid)
            } catch {
                guard case .violation(_, .framing) = error, !isValid else { return unexpected(error) }
            }
        }
        body.begin(try Request(.get("http://a/")))
        #expect(body.isChunked == false)
    }

    /// libcurl passes a held part again, with more behind it if that has come.
    @Test mutating func `a part in chunks that was held is taken from where it was held`() throws {
        let written = Locked<[UInt8]>([])
        let slow = Self.slowSink(into: written)
        let draft = MutableRequest.get("http://a/") |> .destination(slow)
        #expect(try take(["Transfer-Encoding": "chunked"], answering: draft) == nil)
        let part = Array("2\r\nab\r\n3\r\ncde\r\n1;x\r\nf".utf8)
        let all = part + Array("\r\n0\r\nX: 1\r\n\r\nrest".utf8)
        var (holds, isFollowed) = (0, false)
        for bytes in [part, part, all, all, all] where !isFollowed {
            body.isHeld = false
            isFollowed = try bytes.withUnsafeBytes { try body.take($0) }
            holds += body.isHeld ? 1 : 0
        }
        #expect(written.withLock { String(decoding: $0, as: UTF8.self) } == "abcdef" && body.codedCount == 6)
        #expect(holds == 2 && isFollowed && body.isWhole && body.trailers() == ["X": "1"])
    }
}
