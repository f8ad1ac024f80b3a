import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// The progress of bodies over real connections.
@Suite struct TransferProgressTests {
    private let client = CurlTransport()
    private let news = Locked<[TransferProgress]>([])
    private let content = [UInt8](repeating: 7, count: 300_000)

    private func heard(_ draft: (_ tell: @escaping @Sendable (TransferProgress) -> Void) -> MutableRequest) throws
        -> Response
    {
        try client.send(draft { [news] new in news.withLock { $0.append(new) } })
    }

    /// The properties of the reports of every transfer of `content`.
    private func check(total: Int64? = 300_000, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let news = news.withLock { $0 }
        let bytes = news.map(\.bytes)
        #expect(bytes == bytes.sorted(), sourceLocation: sourceLocation)
        let first = try #require(news.first)
        #expect(first.bytes > 0, sourceLocation: sourceLocation)
        #expect(news.last?.bytes == 300_000 && news.last?.isFinished == true, sourceLocation: sourceLocation)
        #expect(news.filter(\.isFinished).count == 1, sourceLocation: sourceLocation)
        #expect(news.allSatisfy { $0.total == total }, sourceLocation: sourceLocation)
    }

    @Test func `a body in memory is observed, whatever the order of the steps`() throws {
        let server = try MockServer { [content] _ in .data(content) }
        let response = try heard { .get(server.url) |> .downloadProgress(every: .zero, $0) |> .destination(.memory) }
        #expect(Array(response.body) == content)
        #expect(response.bodyByteCount == 300_000)
        try check()
    }

    @Test func `a body for a file is observed`() throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { [content] _ in .data(content).framed(.chunked()) }
        _ = try heard {
            .get(server.url) |> .downloadProgress(every: .zero, $0) |> .destination(.file(directory.file("a")))
        }
        #expect(try directory.read("a") == content)
        try check(total: nil)
    }

    @Test func `a refused response is not observed`() throws {
        let server = try MockServer { [content] _ in .data(content, status: .notFound) }
        let response = try heard { .get(server.url) |> .downloadProgress(every: .zero, $0) }
        #expect(Array(response.body) == content)
        #expect(news.withLock { $0.isEmpty })
    }

    @Test(arguments: ["body", "download"])
    func `a transfer that breaks off ends with the bytes so far`(kind: String) throws {
        let directory = try ScratchDirectory()
        let server = try MockServer { [content] _ in .data(content).failing(.close(.midBody(after: 200_000))) }
        let tell: @Sendable (TransferProgress) -> Void = { [news] new in news.withLock { $0.append(new) } }
        let failure =
            kind == "body"
            ? client.executeRequest(.get(server.url) |> .downloadProgress(every: .seconds(60), tell)).failure
            : Result(try client.download(.get(server.url), to: directory.file("a"), progress: tell)).failure
        #expect(failure != nil)
        #expect(news.withLock(\.last).map { [$0.bytes, $0.total] } == [200_000, 300_000])
        #expect(news.withLock { $0.allSatisfy { !$0.isFinished } })
    }

    @Test func `an observed body that is too large still ends at the limit`() throws {
        let server = try MockServer { [content] _ in .data(content).framed(.chunked()) }
        guard
            case .failure(.limitExceeded) = Result(catching: { () throws(HTTPError) in
                try client.send(.get(server.url) |> .downloadProgress(every: .zero) { _ in } |> .bodyLimit(1000))
            })
        else { throw Refusal("no limit") }
    }

    @Test(arguments: ["data", "file", "stream", "multipart"])
    func `a sent body is observed and arrives unchanged`(kind: String) throws {
        let directory = try ScratchDirectory()
        let path = try directory.write(content, to: "a")
        let server = try MockServer()
        let body: RequestStep =
            switch kind {
            case "data": .data(Data(content))
            case "file": .file(path)
            case "stream": .stream(length: 300_000) { [content] in .data(Data(content)) }
            default: .multipart(.file("f", path))
            }
        _ = try heard { .put(server.url) |> .uploadProgress(every: .zero, $0) |> body }
        let received = try #require(server.requests.first)
        if kind == "multipart" {
            #expect(news.withLock { $0.last?.bytes } == Int64(received.body.count))
            #expect(news.withLock { $0.last?.isFinished } == true)
        } else {
            #expect(received.body == content)
            #expect(received.headers["Content-Length"] == "300000")
            try check()
        }
    }

    @Test func `an empty body is complete at once, and that is reported`() throws {
        let directory = try ScratchDirectory()
        let path = try directory.write([], to: "a")
        let server = try MockServer()
        _ = try heard { .put(server.url) |> .uploadProgress($0) |> .file(path) }
        #expect(server.requests.map(\.body) == [[]])
        #expect(news.withLock { $0 } == [TransferProgress(bytes: 0, total: 0, isFinished: true)])
    }

    @Test func `a body that is sent again starts anew`() throws {
        let server = try MockServer { request in
            request.path == "/" ? .redirect(to: "/b", status: .temporaryRedirect) : .status(.ok)
        }
        _ = try heard { [content] in .put(server.url) |> .uploadProgress(every: .zero, $0) |> .data(Data(content)) }
        #expect(server.requests.map(\.body) == [content, content])
        #expect(news.withLock { $0.filter(\.isFinished).map(\.bytes) } == [300_000, 300_000])
    }

    @Test func `both directions of one call are observed`() throws {
        let server = try MockServer { [content] _ in .data(content) }
        let sent = Locked(Int64(0))
        _ = try heard { [content] tell in
            .put(server.url) |> .downloadProgress(every: .zero, tell)
                |> .uploadProgress(every: .zero) { new in sent.withLock { $0 = new.bytes } } |> .data(Data(content))
        }
        #expect(sent.withLock { $0 } == 300_000)
        try check()
    }
}
