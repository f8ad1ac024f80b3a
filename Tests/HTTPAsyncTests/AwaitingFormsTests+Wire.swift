import HTTPPolicies
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPObservability
import HTTPTesting
import TestSupport
import Testing

/// Awaited calls with the names of the blocking forms.
@Suite(.timeLimit(.minutes(5))) struct AwaitingFormsTests {
    private struct User: Codable, Sendable, Hashable { let name: String }

    private let client = CurlTransport()

    @Test func `each common method is awaited by its name`() async throws {
        let server = try MockServer { MockResponse(status: 200, headers: ["X-Was": $0.method.rawValue]) }
        let url = server.url("/x")
        let step = RequestStep.header("X-Step", "yes")
        var seen: [String?] = []
        for response in [
            try await client.get(url, step), try await client.post(url, step),
            try await client.put(url, step), try await client.patch(url, step), try await client.delete(url, step),
            try await client.send(.head(url) |> step), try await client.send(.request(.options, url) |> step),
            try await client.send(.request(.query, url) |> step),
        ] { seen.append(response.headers["X-Was"]) }
        #expect(seen == ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY"])
        #expect(server.requests.allSatisfy { $0.headers["X-Step"] == "yes" } && server.requestCount == 8)
    }

    private enum Local { @TaskLocal static var name = "none" }

    @Test func `each form sends the caller's trace, and sees its task-local values`() async throws {
        let server = try MockServer { request in
            switch request.path {
            case "/events": .status(.noContent)
            case "/json": MockResponse.text("1")
            default: .text("ok")
            }
        }
        let directory = try ScratchDirectory()
        try Data("x".utf8).write(to: URL(fileURLWithPath: directory.file("sent")))
        let client = client.intercepted(by: .trace(), .applying { .header("Name", Local.name) })
        let outer = try #require(
            TraceContext(traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        let calls = { @Sendable () async throws -> Void in
            _ = try await client.get(server.url("/"))
            _ = try await Dispatcher.shared.run { client.executeRequest(.get(server.url("/"))) }
            for try await _ in client.stream(.get(server.url("/")), as: .lines) {}
            for try await _ in client.stream(.get(server.url("/json")), as: .jsonLines(of: Int.self)) {}
            for try await _ in client.stream(.get(server.url("/events")), as: .serverSentEvents) {}
            try await client.upload(.put(server.url("/")), from: directory.file("sent"))
            try await client.upload(.put(server.url("/")), from: AsyncStream<Data> { $0.finish() })
            try await client.download(.get(server.url("/")), to: directory.file("one"))
            _ = try await client.downloadIfNewer(.get(server.url("/")), to: directory.file("two"))
            let list = [DownloadRequest(.get(server.url("/")), to: directory.file("three"))]
            _ = await client.downloads(of: list).all()
        }
        try await outer.run {
            try await Local.$name.withValue("ada") { try await calls() }
        }
        #expect(server.requestCount == 10)
        #expect(server.requests.allSatisfy { $0.headers["traceparent"] == outer.traceparent })
        #expect(server.requests.allSatisfy { $0.headers["Name"] == "ada" })
    }

    @Test func `a request is executed as a value, and a refusal thrown`() async throws {
        let server = try MockServer { request in
            request.path == "/users/7" ? .json(text: #"{"name":"Ada"}"#) : .status(.notFound)
        }
        let user = try await client.execute(.get(server.url("/users/7")), as: User.self)
        #expect(user == User(name: "Ada"))
        let missing = await #expect(throws: HTTPError.self) {
            _ = try await client.execute(.get(server.url("/users/8")), as: User.self)
        }
        #expect(missing?.response?.status == .notFound)
        #expect(server.requests.map(\.target) == ["/users/7", "/users/8"])
    }

    @Test func `blocking work may return anything, or throw`() async throws {
        let server = try MockServer { .text($0.path) }
        let url = server.url("/x")
        let all = try await Dispatcher.shared.run { client.executeRequests((0..<3).map { .get("\(url)\($0)") }) }
        #expect(try all.map { try $0.get().text() } == ["/x0", "/x1", "/x2"])
        let text = try await Dispatcher.shared.run { () throws(HTTPError) in
            let first = try client.send(.get(url)).text()
            return try first + client.send(.get(url + "y")).text()
        }
        #expect(text == "/x/xy")
        let error = await #expect(throws: HTTPError.self) {
            try await Dispatcher.shared.run { () throws(HTTPError) in try client.send(.get("no url")).status }
        }
        guard case .invalidRequest? = error else { return #expect(Bool(false)) }
    }

    @Test func `a file is downloaded and uploaded`() async throws {
        let bytes = [UInt8](repeating: 7, count: 100_000)
        let server = try MockServer { $0.method == .get ? .data(bytes) : .status(.created) }
        let path = FileManager.default.temporaryDirectory.appending(path: "straightline-\(UUID()).bin").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let download = try await client.download(.get(server.url("/file")), to: path)
        #expect(download.byteCount == 100_000 && download.path == path)
        #expect(try await client.upload(.put(server.url("/file")), from: path).status == .created)
        #expect(server.requests.map(\.method) == [.get, .put])
        #expect(server.requests.last?.body.count == 100_000)
        let missing = await #expect(throws: HTTPError.self) {
            try await client.upload(.put(server.url("/file")), from: path + ".missing")
        }
        guard case .body? = missing else { return #expect(Bool(false)) }
    }

    @Test func `an awaited download behind a retry resumes where its body was cut`() async throws {
        let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        let server = try MockServer { request in
            let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let part = MockResponse.data(Array(bytes[start...]), status: start > 0 ? .partialContent : .ok)
                .header("ETag", "\"v1\"").header("Content-Range", "bytes \(start)-4999999/5000000")
            return bytes.count - start > 1_500_000 ? part.failing(.close(.midBody(after: 1_500_000))) : part
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "straightline-\(UUID()).bin").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let patient = client.intercepted(by: .retry(RetryPolicy(limit: 6, backoff: Backoff(base: .zero))))
        let download = try await patient.download(.get(server.url("/file")), to: path)
        #expect(download.fetchedByteCount == 5_000_000)
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
        #expect(
            server.requests.map { $0.headers["Range"] } == [nil, "bytes=1500000-", "bytes=3000000-", "bytes=4500000-"])
    }

    @Test func `files are fetched if newer, and under the server's names, awaited as well`() async throws {
        let server = try MockServer { request in
            let answer =
                request.headers.contains("If-None-Match") ? MockResponse.status(.notModified) : .text("text")
            return answer.header("ETag", "\"v1\"").header("Content-Disposition", "attachment; filename=../b.txt")
        }
        let directory = FileManager.default.temporaryDirectory.appending(path: "straightline-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/a.txt"
        guard case .downloaded = try await client.downloadIfNewer(.get(server.url("/a")), to: path) else {
            return #expect(Bool(false), "not fetched")
        }
        guard case .notModified = try await client.downloadIfNewer(.get(server.url("/a")), to: path) else {
            return #expect(Bool(false), "fetched again")
        }
        let download = try await client.download(.get(server.url("/a")), to: .directory(directory))
        #expect(download.path == directory + "/b.txt" && download.byteCount == 4)
    }

    @Test func `an upload ends with its task`() async throws {
        let arrived = Event()
        let server = try MockServer { _ in
            arrived.signal()
            return MockResponse.text("late").taking(.seconds(60))
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "straightline-\(UUID()).bin").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("body".utf8).write(to: URL(filePath: path))
        let task = Task { try await client.upload(.put(server.url), from: path) }
        await arrived.happened()
        task.cancel()
        let error = await #expect(throws: HTTPError.self) { _ = try await task.value }
        guard case .cancelled? = error else { return #expect(Bool(false)) }
    }

    // MARK: From a sequence

    private struct Torn: Error {}

    @Test func `a body from a sequence is sent as it arrives, whatever its length`() async throws {
        let server = try MockServer { _ in .status(.created) }
        let pieces = AsyncStream<[UInt8]> { continuation in
            for number in 0..<1000 { continuation.yield([UInt8](repeating: UInt8(number % 251), count: number)) }
            continuation.finish()
        }
        #expect(try await client.upload(.post(server.url), from: pieces).status == .created)
        let expected = (0..<1000).flatMap { [UInt8](repeating: UInt8($0 % 251), count: $0) }
        #expect(server.requests.map { Array($0.body) } == [expected])
        let short = AsyncStream { $0.finish() } as AsyncStream<Data>
        try await client.upload(.post(server.url), from: short, length: 0, contentType: "text/plain")
        #expect(server.requests.last?.body.isEmpty == true)
        #expect(server.requests.last?.headers["Content-Type"] == "text/plain")
    }

    @Test func `a large body is sent whole`() async throws {
        let server = try MockServer { _ in .status(.created) }
        let (sent, seen) = (Event(), Locked(0))
        let pieces = AsyncStream<Data>(unfolding: {
            let number = seen.withLock { count in
                count += 1
                return count
            }
            sent.signal()
            return number <= 8 ? Data(repeating: 1, count: 1 << 20) : nil
        })
        let response = try await client.upload(.post(server.url), from: pieces, length: 8 << 20)
        #expect(response.status == .created && sent.count == 9)
        #expect(server.requests.last?.body.count == 8 << 20)
    }

    @Test func `an error of the sequence fails the call`() async throws {
        let server = try MockServer { _ in .status(.created) }
        let pieces = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("half".utf8))
            continuation.finish(throwing: Torn())
        }
        let error = await #expect(throws: HTTPError.self) { try await client.upload(.post(server.url), from: pieces) }
        guard case .body(let failure)? = error else { return #expect(Bool(false)) }
        #expect(failure.reason == .source && failure.underlying is Torn)
        #expect(server.requestCount == 0)
    }

    @Test func `a body is streamed there and another one back, and sent again if its sequence can be read again`()
        async throws
    {
        struct Pieces: AsyncSequence {
            func makeAsyncIterator() -> AsyncStream<Data>.Iterator {
                AsyncStream { continuation in
                    for text in ["one", "two"] { continuation.yield(Data(text.utf8)) }
                    continuation.finish()
                }.makeAsyncIterator()
            }
        }
        let server = try MockServer { request in
            request.path == "/" ? .redirect(to: "/new", status: 307) : .data(request.body)
        }
        let body = RequestStep.stream(of: Pieces(), length: 6, contentType: "text/plain", replayable: true)
        let response = try await client.stream(.put(server.url) |> body, as: .chunks).response()
        let bytes = try await response.reduce(into: Data()) { $0 += $1 }
        #expect(response.status == .ok && bytes == Data("onetwo".utf8))
        #expect(server.requests.map(\.text) == ["onetwo", "onetwo"])
        #expect(server.requests.map { $0.headers["Content-Type"] } == ["text/plain", "text/plain"])
        #expect(server.requests.map { $0.headers["Content-Length"] } == ["6", "6"])
    }

    @Test func `a sequence may take longer for its next element than the idle limit allows between two bytes`()
        async throws
    {
        let server = try MockServer { _ in .status(.created) }
        let asked = Locked(0)
        let pieces = AsyncStream<Data>(unfolding: {
            let number = asked.withLock { count in
                count += 1
                return count
            }
            if number == 2 { try? await Task.sleep(for: .milliseconds(1300)) }
            return number < 3 ? Data("a".utf8) : nil
        })
        let draft = MutableRequest.post(server.url) |> .idleTimeout(.seconds(1))
        #expect(try await client.upload(draft, from: pieces, length: 2).status == .created)
    }

    @Test func `a silent sequence ends with the timeout of the call, and with its task`() async throws {
        let server = try MockServer { _ in .status(.created) }
        let (asked, ended) = (Event(), Event())
        // Each is for one iteration, which may not have begun when the time is over.
        @Sendable func silent() -> AsyncStream<Data> {
            AsyncStream {
                asked.signal()
                try? await Task.sleep(for: .seconds(3600))
                return nil
            } onCancel: {
                ended.signal()
            }
        }
        let late = await #expect(throws: HTTPError.self) {
            try await client.upload(.post(server.url) |> .timeout(.milliseconds(100)), from: silent())
        }
        guard case .timedOut(let failure)? = late else { return #expect(Bool(false)) }
        #expect(failure.limit == .total && failure.duration == .milliseconds(100))
        await ended.happened(asked.count)
        // As a body of any other call, too.
        @Sendable func draft() -> MutableRequest {
            .post(server.url) |> .body(.stream(of: silent())) |> .timeout(.milliseconds(100))
        }
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.send(draft()) },
            { _ = try await client.intercepted(by: .retry()).send(draft()) },
            { _ = try await client.stream(draft(), as: .chunks).response() },
            { try await Dispatcher().run { () throws(HTTPError) in _ = try client.send(draft()) } },
        ]
        for call in calls {
            let late = await #expect(throws: HTTPError.self) { try await call() }
            guard case .timedOut(let failure)? = late else { return unexpected(late as Any) }
            #expect(failure.limit == .total && failure.duration == .milliseconds(100))
        }
        let count = asked.count
        await ended.happened(count)
        let task = Task { try await client.upload(.post(server.url), from: silent()) }
        await asked.happened(count + 1)
        task.cancel()
        let cancelled = await #expect(throws: HTTPError.self) { _ = try await task.value }
        guard case .cancelled? = cancelled else { return #expect(Bool(false)) }
        await ended.happened(asked.count)
        #expect(server.requestCount == 0)
    }
}
