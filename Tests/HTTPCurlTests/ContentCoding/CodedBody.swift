import HTTPEngine
import Testing

import HTTPCore
@testable import HTTPCurl

/// A body in one or several codings, and the result of decoding it.
struct CodedBody: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let codings: [String]
    let bytes: [UInt8]

    init(_ name: String, _ codings: String..., bytes: [UInt8]) {
        testDescription = name
        self.codings = codings
        self.bytes = bytes
    }

    static let whole = [
        CodedBody("gzip", "gzip", bytes: CodedBodies.gzip),
        CodedBody("gzip with a file name", "gzip", bytes: CodedBodies.gzipNamed),
        CodedBody("gzip by its old name", "x-gzip", bytes: CodedBodies.gzip),
        CodedBody("gzip in two members", "gzip", bytes: CodedBodies.gzipMembers),
        CodedBody("deflate as RFC 1950 says", "deflate", bytes: CodedBodies.zlib),
        CodedBody("deflate as some servers send it", "deflate", bytes: CodedBodies.raw),
        CodedBody("br", "br", bytes: CodedBodies.br), CodedBody("zstd", "zstd", bytes: CodedBodies.zstd),
        CodedBody("zstd in two frames", "zstd", bytes: CodedBodies.zstdFrames),
        CodedBody("gzip, then br", "gzip", "br", bytes: CodedBodies.gzipThenBr),
    ]

    struct Outcome {
        var output: [UInt8] = []
        /// Why not all of it was decoded.
        var stop: ResponseReceiver.Stop?
        var unfinished: String?
        /// All of it could be decoded.
        var isWhole: Bool { stop == nil && unfinished == nil }
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// Decodes the bytes in pieces that end at `cuts`, and stops after `limit` bytes of output.
    func decode(cuts: [Int] = [], limit: Int = .max) throws -> Outcome {
        let headers = HTTPHeaders(codings.map { HTTPHeaders.Field(name: "Content-Encoding", value: $0) })
        let decoding = try #require(try ContentDecoding.forBody(of: headers))
        var outcome = Outcome()
        var start = 0
        for end in cuts + [bytes.count] where outcome.stop == nil {
            do {
                _ = try Array(bytes[start..<end]).withUnsafeBytes { piece in
                    try decoding.decode(piece) { output throws(ResponseReceiver.Stop) in
                        guard outcome.output.count + output.count <= limit else { throw .enough }
                        outcome.output += output
                    }
                }
            } catch let stop as ResponseReceiver.Stop { outcome.stop = stop }
            start = end
        }
        outcome.unfinished = decoding.unfinishedCoding
        return outcome
    }

    func with(_ bytes: some Sequence<UInt8>) -> CodedBody { CodedBody(self, Array(bytes)) }

    private init(_ other: CodedBody, _ bytes: [UInt8]) {
        testDescription = other.testDescription
        codings = other.codings
        self.bytes = bytes
    }
}
