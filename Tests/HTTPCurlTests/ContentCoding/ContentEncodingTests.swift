import HTTPEngine
import HTTPMockServer
import Testing

import HTTPCore
@testable import HTTPCurl

/// The declared codings of a body.
@Suite struct ContentEncodingTests {
    private func decoding(_ values: String...) throws -> ContentDecoding? {
        try ContentDecoding.forBody(of: HTTPHeaders(values.map { .init(name: "content-encoding", value: $0) }))
    }

    @Test(arguments: ["", "identity", "Identity, identity", " , "])
    func `no coding needs no decoding`(value: String) throws {
        #expect(try decoding(value) == nil)
        #expect(try decoding() == nil)
    }

    @Test(arguments: ["gzip", "GZIP", " gzip ", "x-gzip", "deflate", "br", "zstd", "identity, gzip", "gzip, br"])
    func `a known coding is decoded, whatever its case`(value: String) throws {
        #expect(try decoding(value) != nil)
    }

    @Test(arguments: [
        "none", "compress", "gzip, compress", "compress, gzip", "lzma", "gzip;q=1", "g zip", "\"gzip\"",
        "gzip, gzip, gzip, gzip, gzip, gzip, none",
    ])
    func `with one unknown coding nothing is decoded`(value: String) throws {
        #expect(try decoding(value) == nil)
    }

    @Test func `too many codings are refused`() throws {
        #expect(try decoding("gzip, gzip, gzip, gzip, gzip") != nil)
        let stop = try #require(throws: ResponseReceiver.Stop.self) {
            _ = try decoding("gzip, gzip, gzip", "gzip, gzip, gzip")
        }
        guard case .violation(let reason, .contentCoding) = stop else { throw stop }
        #expect(reason.contains("6"))
    }

    @Test func `the accepted codings are those that can be decoded`() throws {
        let accepted = try #require(ContentCodings.accepted)
        for coding in accepted.split(separator: ",") {
            #expect(ContentCodings.decoder(for: ASCII.lowercased(ASCII.trimmed(coding))) != nil)
        }
        #expect(accepted.hasPrefix("gzip"))
    }
}
