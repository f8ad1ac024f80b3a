import TestSupport
import HTTPTransfers
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Elements of a body, read by one verb in whatever format.
@Suite struct StreamFormatTests {
    private struct Row: Codable, Hashable, Sendable { let id: Int }
    private struct Refused: Error {}

    private let client = CurlTransport()

    /// What a stream passes on, in order, and the error in which it ends.
    private func read<Element>(
        _ server: MockServer, as format: StreamFormat<Element>, upTo count: Int = .max
    ) -> ([Element], HTTPError?) {
        let seen = Notes<Element>()
        do throws(HTTPError) {
            try client.stream(.get(server.url), as: format) { element in
                seen.note(element)
                if seen.all.count == count { throw StopReading() }
            }
            return (seen.all, nil)
        } catch {
            return (seen.all, error)
        }
    }

    @Test func `lines, values and bytes come as they arrive`() throws {
        let text = "{\"id\":1}\n{\"id\":2}\n"
        let server = try MockServer { _ in .text(text).framed(.chunked()) }
        #expect(read(server, as: .lines).0 == ["{\"id\":1}", "{\"id\":2}"])
        #expect(read(server, as: .jsonLines(of: Row.self)).0 == [Row(id: 1), Row(id: 2)])
        #expect(Data(read(server, as: .chunks).0.joined()) == Data(text.utf8))
        #expect(server.requestCount == 3)
    }

    @Test func `a stream ends with its response, one of events with the last`() throws {
        let server = try MockServer { request in
            guard request.path == "/events" else { return .text("a\nb\n").trailer("X-Lines", "2") }
            guard request.headers["Last-Event-ID"] == nil else { return .status(.noContent).header("X-Last", "1") }
            return .data(Array("retry: 0\nid: 7\ndata: a\n\n".utf8), contentType: "text/event-stream")
        }
        let response = try client.stream(.get(server.url("/lines")), as: .lines) { _ in }
        #expect(response.status == .ok && response.trailers["X-Lines"] == "2" && response.body.isEmpty)
        #expect(response.bodyByteCount == 4 && response.metrics.attemptCount == 1)
        let events = StreamFormat.serverSentEvents(EventStreamOptions(minimumDelay: .zero))
        let last = try client.stream(.get(server.url("/events")), as: events) { _ in }
        #expect(last.status == .noContent && last.headers["X-Last"] == "1")
        #expect(server.requests.map(\.path) == ["/lines", "/events", "/events"])
    }

    @Test func `a format of one's own is a destination`() throws {
        let server = try MockServer { _ in .text("a,b\nc\n") }
        let csv = StreamFormat<[String]> { take in
            .lines { line in try take(line.split(separator: ",").map(String.init)) }
        }
        let (rows, error) = read(server, as: csv)
        #expect(rows == [["a", "b"], ["c"]] && error == nil)
    }

    @Test func `a format that takes refusals ends as any other, whatever the status`() throws {
        let server = try MockServer { _ in .text("not here", status: .notFound) }
        let all = StreamFormat<String> { take in BodyDestination.lines { try take($0) }.includingRefusals() }
        let (lines, error) = read(server, as: all)
        #expect(lines == ["not here"] && error == nil)
        let (none, refusal) = read(server, as: StreamFormat<String> { take in .lines { try take($0) } })
        #expect(none == [] && refusal?.status == .notFound)
        #expect(try refusal?.response?.text() == "not here")
        #expect(server.requestCount == 2)
    }

    @Test func `each format of one response takes refusals if it is asked to, and events do not`() throws {
        let server = try MockServer { _ in .text("{\"id\":1}\n", status: .badGateway) }
        #expect(read(server, as: .lines.includingRefusals()).0 == ["{\"id\":1}"])
        #expect(read(server, as: .jsonLines(of: Row.self).includingRefusals()).0 == [Row(id: 1)])
        #expect(Data(read(server, as: .chunks.includingRefusals()).0.joined()) == Data("{\"id\":1}\n".utf8))
        #expect(server.requestCount == 3)
        let (events, error) = read(server, as: .serverSentEvents.includingRefusals())
        guard case .unsupported? = error else { throw Refusal("\(String(describing: error))") }
        #expect(events.isEmpty && server.requestCount == 3)
    }

    @Test func `the reader may stop, and the call ends without a failure`() throws {
        let server = try MockServer { _ in
            .text(String(repeating: "line\n", count: 100)).failing(.stall(.midBody(after: 50)))
        }
        let (lines, error) = read(server, as: .lines, upTo: 2)
        #expect(lines == ["line", "line"] && error == nil)
    }

    @Test func `an error of the reader ends the stream and is kept`() throws {
        let server = try MockServer { _ in .text("a\nb\n") }
        let error = #expect(throws: HTTPError.self) {
            try client.stream(.get(server.url), as: .lines) { _ in throw Refused() }
        }
        guard case .body(let failure)? = error else { throw Refusal("\(String(describing: error))") }
        #expect(failure.underlying is Refused)
    }

    @Test func `a request that cannot be built sends nothing`() throws {
        let stub = StubClient { .success(Response(request: $0, status: .ok)) }
        let error = #expect(throws: HTTPError.self) { try stub.stream(.get("no url"), as: .lines) { _ in } }
        guard case .invalidRequest? = error else { throw Refusal("\(String(describing: error))") }
        #expect(stub.requests.isEmpty)
    }
}
