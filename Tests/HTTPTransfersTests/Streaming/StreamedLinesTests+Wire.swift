import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import Testing

import HTTPCore
import HTTPCurl

/// Lines, records and events that are read while the body arrives.
@Suite struct StreamedLinesTests {
    private struct Enough: Error {}
    private struct Row: Decodable, Hashable, Sendable {
        let id: Int
        let name: String
    }

    private let client = CurlTransport()

    private func failure(_ result: Result<Response, HTTPError>) throws -> BodyFailure {
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        return failure
    }

    @Test func `lines are delivered one by one and the body is not in memory`() throws {
        let server = try MockServer { _ in .text("\u{FEFF}one\r\nzwei: ü\n\nlast").framed(.chunked()) }
        let lines = Locked<[String]>([])
        let response = try client.send(
            .get(server.url) |> .destination(.lines { line in lines.withLock { $0.append(line) } }))
        #expect(lines.withLock { $0 } == ["one", "zwei: ü", "", "last"])
        #expect(response.body.isEmpty && response.bodyByteCount == 22)
        #expect(response.status == .ok)
    }

    @Test func `a line is delivered before the body has ended, and the receiver can end the call`() throws {
        let text = String(repeating: "x", count: 99) + "\n"
        let server = try MockServer { _ in
            .text(String(repeating: text, count: 10)).failing(.stall(.midBody(after: 150)))
        }
        let lines = Locked(0)
        let result = client.executeRequest(
            .get(server.url)
                |> .destination(
                    .lines { _ in
                        lines.withLock { $0 += 1 }
                        throw Enough()
                    }))
        #expect(try failure(result).underlying is Enough)
        #expect(lines.withLock { $0 } == 1)
    }

    @Test func `the charset of the Content-Type counts`() throws {
        let server = try MockServer { _ in
            .data([0x63, 0x61, 0x66, 0xE9, 0x0A, 0x80], contentType: "text/plain; charset=iso-8859-1")
        }
        let lines = Locked<[String]>([])
        _ = try client.send(.get(server.url) |> .destination(.lines { line in lines.withLock { $0.append(line) } }))
        #expect(lines.withLock { $0 } == ["café", "€"])
    }

    @Test func `a byte order mark counts in the first line alone`() throws {
        let server = try MockServer { _ in
            .data([0x61, 0x0A, 0xFF, 0xFE, 0x61, 0x0A], contentType: "text/plain; charset=windows-1252")
        }
        let lines = Locked<[String]>([])
        let request =
            MutableRequest.get(server.url) |> .destination(.lines { line in lines.withLock { $0.append(line) } })
        try client.send(request)
        #expect(lines.withLock { $0 } == ["a", "\u{FF}\u{FE}a"])
        for charset in ["utf-8", "utf8", "UTF8", "unicode-1-1-utf-8"] {
            let text = Array("\u{FEFF}b\n\u{FEFF}c".utf8)
            server.handler = { _ in .data(text, contentType: "text/plain; charset=\(charset)") }
            lines.withLock { $0 = [] }
            try client.send(request)
            #expect(lines.withLock { $0.map { Array($0.utf8) } } == [[0x62], [0xEF, 0xBB, 0xBF, 0x63]], "\(charset)")
        }
        server.handler = { _ in .data([0xFF, 0xFE, 0x61, 0, 0x0A, 0], contentType: "text/plain") }
        let failed = "\(try failure(client.executeRequest(request)))"
        #expect(failed.contains("lines of utf-16 cannot be read as they come"))
    }

    @Test func `invalid bytes, an overlong line and a charset of wide units fail with their place`()
        throws
    {
        let server = try MockServer { request in
            switch request.path {
            case "/broken": .data([0x61, 0x0A, 0xFF, 0x0A], contentType: "text/plain")
            case "/long": .text("a\nb\n0123456789\n")
            default: .data([0x61, 0x00, 0x0A, 0x00], contentType: "text/plain; charset=UTF-16LE")
            }
        }
        let taken = Locked<[String]>([])
        let destination = RequestStep.destination(.lines(limit: 9) { line in taken.withLock { $0.append(line) } })
        let words = try ["/broken", "/long", "/wide"].map { path in
            "\(try #require(try failure(client.executeRequest(.get(server.url(path)) |> destination)).underlying))"
        }
        #expect(words[0] == "line 2 is not text: the bytes are not valid in the charset utf-8")
        #expect(words[1] == "line 3 is longer than the limit of 9 bytes: give a higher one")
        #expect(words[2] == "lines of utf-16le cannot be read as they come: read the whole body")
        #expect(taken.withLock { $0 } == ["a", "a", "b"])
    }

    @Test func `each line of JSON becomes a value and blank ones are skipped`() throws {
        let server = try MockServer { _ in
            .data(
                Array("{\"id\":1,\"name\":\"a\"}\n\n {\"id\":2,\"name\":\"b\"} \r\n \n".utf8),
                contentType: "application/jsonl"
            )
        }
        let rows = Locked<[Row]>([])
        _ = try client.send(
            .get(server.url) |> .destination(.jsonLines(of: Row.self) { row in rows.withLock { $0.append(row) } }))
        #expect(rows.withLock { $0 } == [Row(id: 1, name: "a"), Row(id: 2, name: "b")])
    }

    @Test(arguments: [
        ("{\"id\":\"x\",\"name\":\"b\"}", "expected Int but found a string at id", "id"),
        ("{\"id\":", "unreadable", "id"),
        ("[1]", "expected an object but found an array", ""), ("nope", "unreadable", ""),
    ])
    func `a line of another shape is a decoding error with its number, coding path and text`(
        line: String, words: String, path: String
    ) throws {
        let server = try MockServer { _ in .text("{\"id\":1,\"name\":\"a\"}\n\(line)\n{\"id\":3,\"name\":\"c\"}\n") }
        let rows = Locked<[Row]>([])
        let result = client.executeRequest(
            .get(server.url) |> .destination(.jsonLines(of: Row.self) { row in rows.withLock { $0.append(row) } }))
        guard case .failure(.decoding(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason.hasPrefix("line 2: "), "\(failure.reason)")
        #expect(failure.reason.contains(words), "\(failure.reason)")
        #expect(failure.path == path && failure.expectedType == "Row")
        #expect(failure.response.status == .ok && failure.response.body == Data(line.utf8))
        #expect(rows.withLock { $0 } == [Row(id: 1, name: "a")])
        #expect(!"\(HTTPError.decoding(failure))".contains("sink"))
    }

    @Test func `a page instead of lines of JSON is kept as the body of the error's response`() throws {
        let page = "<html>\n<h1>Sign in</h1>\n" + String(repeating: "x", count: 100_000) + "\n"
        let server = try MockServer { _ in .data(Array(page.utf8), contentType: "text/html") }
        let result = client.executeRequest(.get(server.url) |> .destination(.jsonLines(of: Row.self) { _ in }))
        guard case .failure(.decoding(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.response.headers["Content-Type"] == "text/html")
        #expect(failure.response.body == Data(page.utf8.prefix(64 << 10)))
        #expect(HTTPError.decoding(failure).response?.status == .ok)
    }

    @Test func `a type that is not accepted is refused with its body, and one that is named is read`() throws {
        let server = try MockServer { _ in
            .data(Array("{\"id\":1,\"name\":\"a\"}\n".utf8), contentType: "Text/X-Rows; a=b")
        }
        for types in [["application/jsonl"], []] as [Set<String>] {
            for destination in [
                .jsonLines(of: Row.self, accepting: types) { _ in }, .lines(accepting: types) { _ in },
            ] as [BodyDestination] {
                let result = client.executeRequest(.get(server.url) |> .destination(destination))
                guard case .failure(.decoding(let failure)) = result else { throw Refusal("\(result)") }
                #expect(failure.reason.contains("it is of the type Text/X-Rows"))
                #expect(try failure.response.json()["id"].int == 1)
            }
        }
        let lines = Locked<[String]>([])
        _ = try client.send(
            .get(server.url)
                |> .destination(.lines(accepting: ["text/x-rows"]) { line in lines.withLock { $0.append(line) } }))
        #expect(lines.withLock { $0.count } == 1)
    }

    @Test func `a refused response keeps its text and delivers no line`() throws {
        let server = try MockServer { _ in .text("no\nway", status: .forbidden) }
        let response = try client.send(
            .get(server.url) |> .destination(.lines { line in Issue.record("\(line) was taken") }))
        #expect(try response.text() == "no\nway")
    }

    @Test func `events come one by one`() throws {
        let server = try MockServer { _ in
            .data(
                Array(": hello\n\nevent: add\ndata: 1\nid: 7\n\ndata: 2\n\ndata: lost".utf8),
                contentType: "text/event-stream; charset=utf-8")
        }
        let events = Locked<[ServerSentEvent]>([])
        _ = try client.send(
            .get(server.url) |> .destination(.serverSentEvents { event in events.withLock { $0.append(event) } }))
        #expect(
            events.withLock { $0 } == [
                ServerSentEvent(type: "add", data: "1", id: "7"), ServerSentEvent(data: "2", id: "7"),
            ])
    }
}
