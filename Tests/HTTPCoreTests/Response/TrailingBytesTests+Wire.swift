import TestSupport
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Bytes behind the last member of a gzip body.
@Suite struct TrailingBytesTests {
    private static let hello: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x86,
        0xA6, 0x10, 0x36, 0x05, 0x00, 0x00, 0x00,
    ]
    private static let padding: [[UInt8]] = [
        [0], [0x0A], Array(repeating: 0, count: 512), Array("trailing garbage".utf8), [0x1F, 0x00], [0x1F, 0x8A, 1, 2],
        Array(repeating: 0x20, count: 60 << 10),
    ]

    private let client = CurlTransport()

    private func server(_ body: [UInt8], sizes: [Int] = [16_384]) throws -> MockServer {
        try MockServer { _ in
            MockResponse.data(body, contentType: "text/plain").header("Content-Encoding", "gzip").framed(
                .chunked(sizes: sizes))
        }
    }

    @Test(arguments: padding)
    func `what begins no member is ignored, wherever it is split, and a violation if strict`(padding: [UInt8]) throws {
        for (body, text) in [(Self.hello, "hello"), (Self.hello + Self.hello, "hellohello")] {
            for sizes in [[16_384], [body.count], [body.count + 1], [1]] where padding.count < 1000 || sizes != [1] {
                let server = try server(body + padding, sizes: sizes)
                #expect(try client.executeRequest(.get(server.url)).get().text() == text)
                let strict = client.executeRequest(
                    .get(server.url) |> RequestStep { $0.limits.trailingCodedBytes = 0 })
                switch strict {
                case .failure(.protocolViolation(let violation)): #expect(violation.kind == .contentCoding)
                case .failure(.truncatedBody): break
                case let other: throw Refusal("\(other)")
                }
            }
        }
    }

    @Test func `a member that is cut off, and endless padding, are no padding`() throws {
        for end in [[0x1F], [0x1F, 0x8B], [0x1F, 0x8B, 8, 0], Array(Self.hello.dropLast())] as [[UInt8]] {
            let server = try server(Self.hello + end)
            guard case .failure(.truncatedBody) = client.executeRequest(.get(server.url)) else {
                throw Refusal("taken")
            }
        }
        let server = try server(Self.hello + Array(repeating: 0, count: 1 << 20))
        guard case .failure(.protocolViolation) = client.executeRequest(.get(server.url)) else {
            throw Refusal("taken")
        }
    }
}
