import TestSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// The destinations of response bodies.
@Suite struct DestinationTests {
    private let client = CurlTransport()
    private let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    private func failure(_ result: Result<Response, HTTPError>) throws -> BodyFailure {
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        return failure
    }

    @Test func `an empty body makes an empty file, and no body makes none`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { request in .status(request.path == "/none" ? .noContent : .ok) }
        let destination = RequestStep.destination(.file(directory.file("a")))
        #expect(try client.send(.get(server.url("/none")) |> destination).status == .noContent)
        #expect(try client.send(.head(server.url("/")) |> destination).status == .ok)
        #expect(directory.names.isEmpty)
        #expect(try client.send(.get(server.url("/")) |> destination).bodyByteCount == 0)
        #expect(try directory.read("a").isEmpty)
    }

    @Test func `content codings are decoded on the way`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { _ in .data(CodedBodies.gzip).header("Content-Encoding", "gzip") }
        let response = try client.send(.get(server.url) |> .destination(.file(directory.file("a"))))
        #expect(try directory.read("a") == Array(CodedBodies.text.utf8))
        #expect(response.bodyByteCount == Int64(CodedBodies.text.utf8.count))
    }

    @Test(arguments: [
        (MockResponse.data([1, 2, 3]).header("Content-Encoding", "gzip"), false),
        (.data(Array(CodedBodies.gzip.dropLast(3))).header("Content-Encoding", "gzip"), true),
        (.data(Array(repeating: 1, count: 1000)).framed(.chunked()).trailer("bad name", "x"), false),
    ])
    func `a body that cannot be decoded and a bad trailer leave neither half a file nor a temporary one`(
        answer: MockResponse, isTruncated: Bool
    ) throws {
        let directory = try ScratchDirectory()
        let path = try directory.write("old".utf8, to: "a")
        let server = try MockServer { _ in answer }
        let draft = MutableRequest.get(server.url) |> .destination(.file(path)) |> .bodyLimit(2000)
        switch client.executeRequest(draft) {
        case .failure(.truncatedBody) where isTruncated: break
        case .failure(.protocolViolation) where !isTruncated: break
        case let result: unexpected(result)
        }
        #expect(directory.names == ["a"])
        #expect(try directory.read("a") == Array("old".utf8))
    }

    @Test func `a cancelled download leaves nothing`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { _ in .fault(.stall(.midBody(after: 500))) }
        let token = CancellationToken()
        let draft = MutableRequest.get(server.url) |> .destination(.file(directory.file("a")))
        let canceller = TestThread {
            waited { !directory.names.isEmpty }
            token.cancel()
        }
        guard case .failure(.cancelled) = token.run({ client.executeRequest(draft) }) else {
            return unexpected("not cancelled")
        }
        canceller.join()
        #expect(directory.names.isEmpty)
    }

    @Test func `a directory that cannot be written to is named`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { _ in .text("hello") }
        let path = directory.file("none/a")
        let failure = try failure(client.executeRequest(.get(server.url) |> .destination(.file(path))))
        #expect(failure.reason == .unwritableFile && failure.path == path)
        #expect("\(HTTPError.body(failure))".contains("No such file or directory"))
    }

    @Test func `refusals go to memory, and the destination is not touched`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { _ in .json(text: #"{"message":"not yours"}"#, status: .forbidden) }
        let made = Tally()
        let sink = BodyDestination.stream { _ in
            made.add()
            return BodySink(write: { _ in })
        }
        for destination in [.file(directory.file("a")), .discard, sink] {
            let response = try client.send(.get(server.url) |> .destination(destination))
            #expect(try response.text() == #"{"message":"not yours"}"#)
            #expect(response.bodyByteCount == 23)
            #expect("\(Result<Response, HTTPError>.success(response).validated())".contains("not yours"))
        }
        #expect(directory.names.isEmpty && made.count == 0)
    }

    @Test func `a redirect's body does not reach the sink`() throws {
        let server = try MockServer { [content] request in
            request.path == "/a"
                ? .text("moved", status: .found).header("Location", "/b") : .data(content)
        }
        let taken = Taken()
        let response = try client.send(.get(server.url("/a")) |> .destination(taken.destination))
        #expect(taken.bytes == content && taken.events == ["open 200 300000", "finish"])
        #expect(response.body.isEmpty && response.bodyByteCount == 300_000)
    }

    @Test func `a sink is finished only when the body is complete`() throws {
        let server = try MockServer { _ in .fault(.close(.midBody(after: 500))) }
        let taken = Taken()
        #expect(throws: HTTPError.self) { try client.send(.get(server.url) |> .destination(taken.destination)) }
        #expect(taken.events == ["open 200 1000", "abandon"])
    }

    @Test func `a retry starts with a new sink`() throws {
        let server = try MockServer { _ in .text("hello") }
        let taken = Taken()
        _ = try client.send(.get(server.url))
        server.handler = { $0.connection == 1 ? .fault(.close(.beforeHead)) : .text("again") }
        _ = try client.send(.get(server.url) |> .destination(taken.destination))
        #expect(taken.events == ["open 200 5", "finish"] && taken.bytes == Array("again".utf8))
    }

    @Test func `an error of the sink stops the transfer, is kept, and ends the connection`() throws {
        let server = try MockServer { [content] _ in .data(content) }
        let refusal = Refusal("enough")
        let sinks: [BodyDestination] = [
            .stream { _ in throw refusal }, .stream { _ in BodySink(write: { _ in throw refusal }) },
        ]
        for sink in sinks {
            let failure = try failure(client.executeRequest(.get(server.url) |> .destination(sink)))
            #expect(failure.reason == .sink && failure.underlying as? Refusal == refusal)
            #expect("\(HTTPError.body(failure))".contains("the sink of the body failed (enough)"))
        }
        let atEnd = BodyDestination.stream { _ in BodySink(write: { _ in }, finish: { throw refusal }) }
        #expect(try failure(client.executeRequest(.get(server.url) |> .destination(atEnd))).reason == .sink)
        #expect(server.requests.map(\.connection) == [1, 2, 3])
    }

    @Test func `a body with another destination has no limit but the one set`() throws {
        #expect(try Request(.get("http://a/")).limits.bodyBytes == 64 << 20)
        #expect(try Request(.get("http://a/") |> .destination(.discard)).limits.bodyBytes == .max)
        let server = try MockServer { [content] _ in .data(content).framed(.chunked()) }
        let draft = MutableRequest.get(server.url) |> .destination(.discard)
        #expect(try client.send(draft |> .bodyLimit(300_000)).bodyByteCount == 300_000)
        guard case .failure(.limitExceeded(let failure)) = client.executeRequest(draft |> .bodyLimit(299_999)) else {
            return unexpected("not limited")
        }
        #expect(failure.limit == .body && failure.value == 299_999)
    }

    @Test func `a bomb ends at the expansion limit, whatever the destination`() throws {
        for (coding, bomb) in [
            ("gzip, gzip", CodedBodies.gzipBomb), ("br", CodedBodies.brBomb), ("zstd", CodedBodies.zstdBomb),
        ] {
            let server = try MockServer { _ in .data(bomb).header("Content-Encoding", coding) }
            for destination in [BodyDestination.memory, .discard] {
                let draft = MutableRequest.get(server.url) |> .destination(destination)
                let result = client.executeRequest(draft |> .expansionLimit(100))
                guard case .failure(.limitExceeded(let failure)) = result else { return unexpected(result) }
                #expect(failure.limit == .expansion && failure.value == 100)
                #expect(try client.send(draft |> .expansionLimit(10_000_000)).bodyByteCount == 16 << 20)
            }
        }
        let server = try MockServer { _ in .data(CodedBodies.gzip).header("Content-Encoding", "gzip") }
        #expect(try client.send(.get(server.url) |> .expansionLimit(1)).text() == CodedBodies.text)
    }
}

/// A sink that records its calls.
final class Taken: @unchecked Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var events: [String] = []

    /// For calls on one thread.
    var destination: BodyDestination {
        .stream { [self] start in
            events.append("open \(start.status) \(start.bodyLength.map(String.init) ?? "nil")")
            return BodySink(
                write: { self.bytes += $0 }, finish: { self.events.append("finish") },
                abandon: { self.events.append("abandon") })
        }
    }
}
