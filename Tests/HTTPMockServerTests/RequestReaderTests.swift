import HTTPCore
import Testing

@testable import HTTPMockServer

@Suite struct RequestReaderTests {
    private static let upload =
        "POST /up?a=1 HTTP/1.1\r\nHost: x\r\nX-B: 2 \r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 7\r\n\r\n"

    /// Feeds the pieces. Returns the completed bodies, and the heads.
    private func read(_ pieces: [[UInt8]], limit: Int = .max) throws -> [(RequestHead, RequestReader.RequestBody)] {
        var reader = RequestReader(bodyLimit: limit)
        var heads: [RequestHead] = []
        var found: [(RequestHead, RequestReader.RequestBody)] = []
        for piece in pieces {
            piece.withUnsafeBytes { reader.append($0) }
            while let event = try reader.next() {
                switch event {
                case .head(let head): heads.append(head)
                case .end(let body): found.append((heads[heads.count - 1], body))
                }
            }
        }
        return found
    }

    private func read(_ text: String) throws -> [(RequestHead, RequestReader.RequestBody)] {
        try read([Array(text.utf8)])
    }

    @Test func `a chunked request is the same wherever it is split`() throws {
        let bytes = Array(Self.upload.utf8)
        for cut in 0...bytes.count {
            let (head, body) = try #require(read([Array(bytes[..<cut]), Array(bytes[cut...])]).first)
            #expect(head.method == .post)
            #expect(head.target == "/up?a=1")
            #expect(head.headers == ["Host": "x", "X-B": "2", "Transfer-Encoding": "chunked"])
            #expect(String(decoding: body.bytes, as: UTF8.self) == "abc0123456789")
            #expect(body.trailers == ["X-Sum": "7"])
        }
    }

    @Test func `a request may come byte by byte`() throws {
        let requests = try read(Array(Self.upload.utf8).map { [$0] })
        #expect(requests.count == 1)
        #expect(requests.first?.1.count == 13)
        #expect(requests.first?.0.bytes == Array(Self.upload.utf8.prefix(71)))
    }

    @Test func `requests in one piece are separated`() throws {
        let requests = try read(
            "POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi" + Self.upload + "GET /3 HTTP/1.0\r\n\r\n")
        #expect(requests.map(\.0.target) == ["/1", "/up?a=1", "/3"])
        #expect(requests.map(\.1.count) == [2, 13, 0])
    }

    @Test(arguments: ["OPTIONS *", "CONNECT x:443", "GET http://x/a", "GET /a?b://c", "GET http://x?b"])
    func `each form of a target is read`(line: String) throws {
        #expect(
            try read("\(line) HTTP/1.1\r\nHost: x\r\n\r\n").map(\.0.target) == [String(line.split(separator: " ")[1])])
    }

    @Test func `blanks may stand before a chunk's extension`() throws {
        let text = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1 \t;a=\"b\"\r\na\r\n0\r\n\r\n"
        #expect(try read(text).map(\.1.bytes) == [[UInt8(ascii: "a")]])
    }

    @Test func `a body over the limit is counted and not kept`() throws {
        let bytes = Array("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabcdef".utf8)
        let body = try #require(read([bytes], limit: 4).first).1
        #expect(body.bytes == Array("abcd".utf8))
        #expect(body.count == 6)
    }

    @Test(arguments: [
        "GET /\r\n\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", "G@T / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/2.0\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA: \u{1}\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n", "GET /ü HTTP/1.1\r\nHost: x\r\n\r\n", "\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n 1\r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;a\rb\r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;a\u{1}\r\na\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET a HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
        "CONNECT /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET a?u=http://b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET a/http://b HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
    func `an invalid request is malformed`(text: String) {
        #expect(throws: MalformedRequest.self) { try read(text) }
    }

    @Test func `an endless head is malformed in the end`() {
        let line = [UInt8](repeating: 0x61, count: RequestReader.longestHead + 1)
        #expect(throws: MalformedRequest.self) { try read([line]) }
    }

    @Test func `keep-alive follows the version and the Connection field`() throws {
        func allows(_ version: String, _ field: String = "") throws -> Bool {
            try #require(read("GET / HTTP/\(version)\r\nHost: x\r\n\(field)\r\n").first).0.allowsKeepAlive
        }
        #expect(try allows("1.1"))
        #expect(try !allows("1.1", "Connection: x, Close\r\n"))
        #expect(try !allows("1.0"))
        #expect(try allows("1.0", "Connection: keep-alive\r\n"))
    }
}
