import HTTPPolicies
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Compressed request bodies.
@Suite struct RequestCompressionTests {
    private static let text = String(repeating: "a line of some text, and another\n", count: 20_000)

    private let client = CurlTransport()
    private let server: MockServer

    init() throws { server = try MockServer { _ in .status(.noContent) } }

    /// The body that the server received, decoded by its Content-Encoding.
    private func received(_ request: ReceivedRequest) throws -> String {
        let coding = try #require(request.headers["Content-Encoding"])
        let outcome = try CodedBody("received", coding, bytes: Array(request.body)).decode()
        #expect(outcome.isWhole)
        return outcome.text
    }

    @Test(arguments: [RequestCoding.gzip, .deflate], [1, 6, 9, 100])
    func `a body in memory is compressed at once, and its length announced`(coding: RequestCoding, level: Int) throws {
        let draft = MutableRequest.post(server.url("/x")) |> .text(Self.text) |> .compressed(coding, level: level)
        #expect((draft.body.length ?? .max) < 20_000)
        _ = try client.send(draft)
        let request = try #require(server.requests.last)
        #expect(request.headers["Content-Encoding"] == coding.rawValue)
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        #expect(request.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(try received(request) == Self.text)
    }

    @Test func `a stream, a file and a form are compressed while they are sent`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write(Self.text.utf8, to: "a.txt")
        let pieces = (0..<100).map { Data(Self.text.utf8.dropFirst($0 * 6600).prefix(6600)) }
        for step in [
            RequestStep.body(.stream(length: Int64(Self.text.utf8.count)) { .chunks(pieces) }), .file(path),
        ] {
            _ = try client.send(.put(server.url("/x")) |> step |> .compressed())
            let request = try #require(server.requests.last)
            #expect(request.headers["Transfer-Encoding"] == "chunked" && !request.headers.contains("Content-Length"))
            #expect(request.body.count < 20_000)
            #expect(try received(request) == Self.text)
        }
        _ = try client.send(
            .post(server.url("/x")) |> .multipart(.text("title", "Sea"), .file("text", path)) |> .compressed())
        let form = try received(#require(server.requests.last))
        #expect(form.contains("Sea") && form.contains(Self.text))
    }

    @Test func `a stream that begins slowly, or cannot be compressed, arrives whole`() throws {
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<300_000).map { _ in UInt8.random(in: 32...126, using: &generator) }
        let text = String(decoding: noise, as: UTF8.self)
        let pieces =
            [Data("x".utf8)]
            + stride(from: 0, to: noise.count, by: 777).map { start in
                Data(noise[start..<min(start + 777, noise.count)])
            }
        _ = try client.send(.put(server.url("/x")) |> .body(.stream { .chunks(pieces) }) |> .compressed())
        #expect(try received(#require(server.requests.last)) == "x" + text)
    }

    @Test func `a retry and a redirect compress it again`() throws {
        server.enqueue(.status(503), MockResponse.status(.temporaryRedirect).header("Location", "/y"))
        let retrying = client.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .zero))))
        let body = RequestBody.stream { .data(Data(Self.text.utf8)) }
        _ = try retrying.send(.put(server.url("/x")) |> .body(body) |> .compressed())
        #expect(server.requests.map(\.path) == ["/x", "/x", "/y"])
        for request in server.requests { #expect(try received(request) == Self.text) }
        let once = RequestBody.stream(replayable: false) { .data(Data(Self.text.utf8)) }
        #expect(!(MutableRequest.put(server.url) |> .body(once) |> .compressed()).body.isReplayable)
    }

    @Test func `without a body nothing changes, and a body is compressed once`() throws {
        let empty = try Request(.get(server.url) |> .compressed())
        #expect(!empty.headers.contains("Content-Encoding") && empty.body.isEmpty)
        let twice = client.executeRequest(.post(server.url) |> .text("x") |> .compressed() |> .compressed())
        guard case .failure(.invalidRequest) = twice else { return #expect(Bool(false), "taken") }
        #expect(server.requestCount == 0)
    }

    @Test func `a failing source keeps its error`() throws {
        let path = try ScratchDirectory().file("missing")
        let result = client.executeRequest(.put(server.url) |> .file(path) |> .compressed())
        guard case .failure(.body(let failure)) = result else { return #expect(Bool(false), "\(result)") }
        #expect(failure.reason == .unreadableFile && failure.path == path)
    }

    @Test func `QUERY keeps its body`() throws {
        _ = try client.send(.request(.query, server.url("/q")) |> .json(["page": 2]))
        let request = try #require(server.requests.last)
        #expect(request.method == .query && String(decoding: request.body, as: UTF8.self) == #"{"page":2}"#)
        #expect(HTTPMethod.query.isSafe && HTTPMethod.query.isIdempotent)
        server.enqueue(.status(503))
        _ = try client.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .zero)))).send(
            .request(.query, server.url("/q")) |> .text("x"))
        #expect(server.requestCount == 3)
    }
}
