import HTTPMockServer
import Testing

@testable import HTTPCore
@testable import HTTPCurl

/// The declared codings of a body.
@Suite struct ContentEncodingTests {
    private func decoding(_ values: String...) -> Result<ContentDecoding?, ResponseHead.Violation> {
        ContentDecoding.forBody(of: HTTPHeaders(values.map { .init(name: "content-encoding", value: $0) }))
    }

    @Test(arguments: ["", "identity", "Identity, identity", " , "])
    func `no coding needs no decoding`(value: String) throws {
        #expect(try decoding(value).get() == nil)
        #expect(try decoding().get() == nil)
    }

    @Test(arguments: ["gzip", "GZIP", " gzip ", "x-gzip", "deflate", "br", "zstd", "identity, gzip", "gzip, br"])
    func `a known coding is undone, whatever its case`(value: String) throws {
        #expect(try decoding(value).get() != nil)
    }

    @Test(arguments: [
        "none", "compress", "gzip, compress", "compress, gzip", "lzma", "gzip;q=1", "g zip", "\"gzip\"",
        "gzip, gzip, gzip, gzip, gzip, gzip, none",
    ])
    func `where one coding is unknown nothing is undone`(value: String) throws {
        #expect(try decoding(value).get() == nil)
    }

    @Test func `a pile of codings is refused`() throws {
        #expect(try decoding("gzip, gzip, gzip, gzip, gzip").get() != nil)
        let violation = try #require(throws: ResponseHead.Violation.self) {
            _ = try decoding("gzip, gzip, gzip", "gzip, gzip, gzip").get()
        }
        #expect(violation.reason.contains("6"))
    }

    @Test func `what is accepted is what can be undone`() throws {
        let accepted = try #require(ContentCodings.accepted)
        for coding in accepted.split(separator: ",") {
            #expect(ContentCodings.decoder(for: ASCII.lowercased(ASCII.trimmed(coding))) != nil)
        }
        #expect(accepted.hasPrefix("gzip"))
    }
}
