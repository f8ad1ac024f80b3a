#if canImport(FoundationEssentials)
import TestSupport
import FoundationEssentials
#else
import Foundation
#endif
import HTTPMockServer
import HTTPCurl
import HTTPCore
import HTTPTesting
import Testing

/// Encoded bodies and interim responses over the wire.
@Suite struct EncodedResponseTests {
    private let client = CurlTransport()

    private func answer(
        _ coding: String, _ bytes: [UInt8], _ steps: RequestStep = .none, method: HTTPMethod = .get,
        framed framing: MockResponse.Framing = .contentLength
    ) throws -> Result<Response, HTTPError> {
        let server = try MockServer { _ in
            .data(bytes, contentType: "text/plain").header("Content-Encoding", coding).framed(framing)
        }
        return client.executeRequest(.request(method, server.url) |> steps)
    }

    @Test(arguments: CodedBody.whole)
    func `an encoded body arrives decoded`(body: CodedBody) throws {
        let coding = body.codings.joined(separator: ", ")
        for framing in [MockResponse.Framing.contentLength, .chunked(sizes: [7]), .untilClose] {
            let response = try answer(coding, body.bytes, framed: framing).get()
            #expect(try response.text() == CodedBodies.text)
            #expect(response.headers["Content-Encoding"] == coding)
        }
    }

    @Test(arguments: [0...9, 10...19])
    func `a range of a coded body arrives as it is, and a whole one is decoded`(range: ClosedRange<Int>) throws {
        let whole = CodedBodies.gzip
        let server = try MockServer { _ in
            MockResponse(
                status: 206, headers: ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound)/\(whole.count)"],
                body: Array(whole[range])
            ).header("Content-Encoding", "gzip")
        }
        let draft = MutableRequest.get(server.url) |> .range(bytes: range)
        let response = try client.send(draft)
        #expect(response.status == 206 && Array(response.body) == Array(whole[range]))
        #expect(response.headers["Content-Encoding"] == "gzip")
        let request = try server.takeRequest()
        #expect(request.headers["Range"] == "bytes=\(range.lowerBound)-\(range.upperBound)")
        #expect(!request.headers.contains("Accept-Encoding"))
        server.handler = { _ in .data(whole).header("Content-Encoding", "gzip") }
        #expect(try client.send(draft).text() == CodedBodies.text)
    }

    @Test func `the limit applies to decoded bytes, not to the announced length`() throws {
        let bytes = CodedBodies.gzipEmpty
        #expect(bytes.count > 5)
        #expect(try answer("gzip", bytes, .bodyLimit(5)).get().body.isEmpty)
    }

    @Test(arguments: CodedBody.whole)
    func `a truncated encoded body is detected, although all announced bytes arrived`(body: CodedBody) throws {
        let result = try answer(body.codings.joined(separator: ", "), body.bytes.dropLast())
        guard case .failure(.truncatedBody(let failure)) = result, case .contentCoding = failure.reason else {
            return unexpected(result)
        }
    }

    @Test func `a body that does not match its coding is a protocol violation`() throws {
        for (coding, bytes) in [("gzip", Array("plain text".utf8)), ("br", CodedBodies.gzip)] {
            guard case .failure(.protocolViolation(let failure)) = try answer(coding, bytes) else {
                return unexpected(coding)
            }
            #expect(failure.reason.contains("Content-Encoding"), "\(failure.reason)")
        }
    }

    @Test func `the limit counts decoded bytes`() throws {
        for (coding, bomb) in [
            ("gzip, gzip", CodedBodies.gzipBomb), ("br", CodedBodies.brBomb), ("zstd", CodedBodies.zstdBomb),
        ] {
            guard case .failure(.limitExceeded(let failure)) = try answer(coding, bomb, .bodyLimit(1 << 20)) else {
                return unexpected(coding)
            }
            #expect(failure.limit == .body && failure.value == 1 << 20)
            #expect(try answer(coding, bomb, .bodyLimit(16 << 20)).get().body.count == 16 << 20)
        }
    }

    @Test func `an empty body is not truncated`() throws {
        #expect(try answer("gzip", []).get().body.isEmpty)
        #expect(try answer("gzip", CodedBodies.gzip, method: .head).get().body.isEmpty)
        #expect(try answer("lzma", [], method: .head).get().body.isEmpty)
    }

    @Test func `a caller that requests a coding gets the undecoded bytes`() throws {
        for coding in ["gzip", "lzma"] {
            let response = try answer(coding, CodedBodies.gzip, .header("Accept-Encoding", coding)).get()
            #expect(response.body == Data(CodedBodies.gzip))
        }
    }

    @Test func `interim responses are skipped, and their headers are not the response's`() throws {
        let server = try MockServer { _ in
            .text("final").preceded(by: .init(100)).preceded(by: .init(103, headers: ["Link": "x", "A": "interim"]))
                .preceded(by: .init(199)).header("A", "final")
        }
        let response = try client.send(.get(server.url))
        #expect(response.status == .ok)
        #expect(response.headers.values(for: "A") == ["final"])
        #expect(!response.headers.contains("Link"))
        #expect(try response.text() == "final")
    }
}
