import Testing

@testable import HTTPCore

@Suite struct KnownHeadTests {
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
        "HTTP/2 200\r\nserver: nginx\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 13\r\nContent-Length: 14\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate : x\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\nServer: nginx\r\n\r\n",
        "HTTP/1.1 200 OK\r\n folded: first\r\nServer: nginx\r\n\r\n",
    ]

    @Test func `a head is read the same whatever came before it over the connection`() throws {
        for first in Self.heads {
            for second in Self.heads {
                for third in Self.heads {
                    var known = KnownHead()
                    for text in [first, second, third] {
                        var bytes = Array(text.utf8)
                        let reading = Reading { () throws(ResponseHead.Violation) in
                            let head = try known.read(bytes)
                            known.note(head, &bytes)
                            return head
                        }
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
        var known = KnownHead()
        var (first, second) = (Array(Self.heads[0].utf8), Array(Self.heads[0].utf8))
        let head = try known.read(first)
        known.note(head, &first)
        let again = try known.read(second)
        #expect(again === head)
        known.note(again, &second)
        #expect(second == Array(Self.heads[0].utf8))
        #expect(try known.read(Array(Self.heads[1].utf8)) !== head)
    }

    @Test func `a long head is not kept`() throws {
        let text = "HTTP/1.1 200 OK\r\nA: \(String(repeating: "x", count: 5000))\r\n\r\n"
        var known = KnownHead()
        var bytes = Array(text.utf8)
        let head = try known.read(bytes)
        known.note(head, &bytes)
        #expect(try known.read(Array(text.utf8)) !== head)
    }
}
