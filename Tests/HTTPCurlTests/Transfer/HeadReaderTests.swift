import HTTPMockServer
import Testing

@testable import HTTPCore
@testable import HTTPCurl

@Suite struct HeadReaderTests {
    /// What a head says; or why it cannot be read.
    private struct Reading: Equatable, CustomTestStringConvertible {
        var testDescription: String {
            [version?.description, status?.description, fields.joined(separator: "\n"), length?.description, refusal]
                .compactMap { $0 }.joined(separator: " ")
        }
        var version: HTTPVersion?
        var status: HTTPStatus?
        var reason = ""
        var fields: [String] = []
        var length: Int64?
        var refusal = ""

        init(_ read: () throws(ResponseHead.Violation) -> ResponseHead) {
            do throws(ResponseHead.Violation) {
                let head = try read()
                (version, status, reason, length) = (head.version, head.status, head.reason, head.contentLength)
                fields = head.headers.map { "\($0.name)|\($0.value)" }
            } catch {
                refusal = error.reason
            }
        }
    }

    private static let heads = [
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 10:00:01 GMT\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: 14\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\nserver: nginx\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 Fine\r\nServer: nginx\r\nX: 1\r\nX: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nA: b\r\n c\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nA: b c\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nA: b\r\nc: d\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\nServer: nginx\nDate: Sat, 21 Nov 2026 10:00:00 GMT\nContent-Length: 13\n\n",
        "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nHTTP/1.1 200 OK\r\nServer: nginx\r\n\r\n",
        "HTTP/2 200\r\nserver: nginx\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 13\r\nContent-Length: 14\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate : x\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\nServer: nginx\r\n\r\n",
        "HTTP/1.1 200 OK\r\n folded: first\r\nServer: nginx\r\n\r\n",
    ]

    /// Reads heads line by line, as libcurl hands them over.
    private struct Reader {
        var reader = HeadReader()

        mutating func read(_ text: String) throws(ResponseHead.Violation) -> ResponseHead {
            var rest = Array(text.utf8)[...]
            while let end = rest.firstIndex(of: 0x0A) {
                let line = rest[...end]
                line.withUnsafeBytes { reader.take($0) }
                rest = rest[(end + 1)...]
                // Nothing comes behind the empty line.
                if line.count <= 2, line.first == 0x0D || line.first == 0x0A { break }
            }
            return try reader.finish()
        }
    }

    @Test func `a head is read the same whatever came before it`() throws {
        for first in Self.heads {
            for second in Self.heads {
                for third in Self.heads {
                    var reader = Reader()
                    for text in [first, second, third] {
                        let reading = Reading { () throws(ResponseHead.Violation) in try reader.read(text) }
                        let expected = Reading { () throws(ResponseHead.Violation) in try ResponseHead(reading: text) }
                        guard reading != expected else { continue }
                        Issue.record("after \([first, second, third]): \(reading), not \(expected)")
                        return
                    }
                }
            }
        }
    }

    @Test func `a head that repeats the one before it is not made anew`() throws {
        var reader = Reader()
        let head = try reader.read(Self.heads[0])
        #expect(try reader.read(Self.heads[0]) === head)
        let other = try reader.read(Self.heads[1])
        #expect(other !== head)
        #expect(try reader.read(Self.heads[1]) === other)
    }

    @Test func `what broke off is not part of the next head`() throws {
        var reader = Reader()
        let head = try reader.read(Self.heads[0])
        for start in ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 404 Not Found\r\n"] {
            Array(start.utf8).withUnsafeBytes { reader.reader.take($0) }
            reader.reader.begin()
            #expect(try reader.read(Self.heads[0]) === head)
        }
    }

    @Test func `a head that ends before its empty line is not the one before it`() throws {
        var reader = Reader()
        let head = try reader.read(Self.heads[0])
        Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { reader.reader.take($0) }
        #expect(throws: ResponseHead.Violation.self) { try reader.reader.finish() }
        #expect(throws: ResponseHead.Violation.self) { try reader.reader.finish() }
        #expect(try reader.read(Self.heads[0]) === head)
    }

    @Test func `a head of more than 4 KiB is not kept`() throws {
        func head(ofCount count: Int) -> String {
            let (start, end) = ("HTTP/1.1 200 OK\r\nA: ", "\r\n\r\n")
            return start + String(repeating: "x", count: count - start.utf8.count - end.utf8.count) + end
        }
        var reader = Reader()
        let long = try reader.read(head(ofCount: 4096))
        #expect(try reader.read(head(ofCount: 4096)) === long)
        let longer = try reader.read(head(ofCount: 4097))
        #expect(try reader.read(head(ofCount: 4097)) !== longer)
    }
}

extension ResponseHead {
    /// Reads `text` as it would come over the wire, line endings included.
    fileprivate convenience init(reading text: String) throws(Violation) {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        defer { bytes.deallocate() }
        _ = bytes.initialize(from: text.utf8)
        try self.init(UnsafeBufferPointer(bytes))
    }
}
