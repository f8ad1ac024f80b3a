import TestSupport
import HTTPPolicies
@testable import HTTPTransfers
import HTTPSupport
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Downloads behind `.retry()`: each attempt requests the missing part.
@Suite struct DownloadRetryTests {
    private static let content = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    private static let other = Array(content.prefix(3_000_000).reversed())

    private let directory: ScratchDirectory
    private let server: MockServer
    private let path: String
    private let waits = Locked<[Int]>([])
    private let budget = RetryBudget()

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("a.bin")
        server = try MockServer()
    }

    private var request: MutableRequest { .get(server.url("/a")) }

    private var client: any HTTPClient {
        let backoff = Backoff(
            base: .zero,
            jitter: { [waits] in
                waits.withLock { $0.append(0) }
                return 0
            })
        return CurlTransport().intercepted(by: .retry(RetryPolicy(limit: 6, backoff: backoff), budget: budget))
    }

    /// Serves `files` in turn, the last one repeatedly, and closes after `count` bytes of each body.
    private func serve(_ files: FileOnServer..., cutAfter count: Int = 1_500_000) {
        let left = Locked(files)
        server.handler = { request in
            let file = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            let answer = file.answer(request)
            guard let range = answer.headers["Content-Range"].flatMap(ContentRange.init)?.bytes else {
                return file.content.count > count ? answer.failing(.close(.midBody(after: count))) : answer
            }
            return range.count > count ? answer.failing(.close(.midBody(after: count))) : answer
        }
    }

    private var ranges: [String?] { server.requests.map { $0.headers["Range"] } }

    private static let resumed = [nil, "bytes=1500000-", "bytes=3000000-", "bytes=4500000-"]

    @Test func `a body that is cut three times takes four requests, and no byte is sent twice`() throws {
        serve(FileOnServer(content: Self.content))
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(directory.names == ["a.bin"])
        #expect(ranges == Self.resumed)
        #expect(server.requests.map { $0.headers["If-Range"] } == [nil, "\"v1\"", "\"v1\"", "\"v1\""])
        #expect(server.requests.allSatisfy { $0.headers.values(for: "Range").count <= 1 })
        #expect(download.fetchedByteCount == 5_000_000 && download.byteCount == 5_000_000)
        #expect(download.response?.metrics.attemptCount == 4)
        #expect(waits.withLock { $0.count } == 3, "a wait before each retry")
        // Three were taken, and the success returned one.
        #expect(budget.available == 18)
    }

    @Test func `one line of code is enough`() throws {
        serve(FileOnServer(content: Self.content))
        let client = SimulatedTime().around(CurlTransport()).intercepted(by: .retry(limit: 6))
        let download = try client.download(request, to: path)
        #expect(download.byteCount == 5_000_000 && ranges == Self.resumed)
    }

    @Test func `bytes of an earlier call do not count as fetched`() throws {
        serve(FileOnServer(content: Self.content))
        guard case .failure(.truncatedBody) = Result(try CurlTransport().download(request, to: path)) else {
            throw Refusal("not cut")
        }
        let download = try client.download(request, to: path)
        #expect(download.fetchedByteCount == 3_500_000)
        #expect(ranges == Self.resumed)
    }

    @Test func `batch requests that write to parts resume as well`() throws {
        serve(FileOnServer(content: Self.content))
        let runs = try ["a", "b", "c"].map { name in
            try DownloadRun(DownloadRequest(.get(server.url("/" + name)), to: directory.file(name)))
        }
        let sinks = try runs.map { $0.sink(to: try PartialFile(of: $0.path)) }
        let attempts = try zip(runs, sinks).map { try Request($0.attempt(into: $1)) }
        let results = client.executeRequests(attempts)
        for (index, result) in results.enumerated() {
            #expect(try result.get().status == .partialContent)
            #expect(sinks[index].fetchedByteCount == 5_000_000)
            #expect(try directory.read(["a", "b", "c"][index] + ".partial") == Self.content)
        }
        for name in ["/a", "/b", "/c"] {
            #expect(server.requests.filter { $0.path == name }.map { $0.headers["Range"] } == Self.resumed)
        }
    }

    @Test func `policies outside and inside the retry keep their headers`() throws {
        serve(FileOnServer(content: Self.content))
        let dressed = CurlTransport().intercepted(
            by: .applying(.header("X-Out", "1")), .retry(RetryPolicy(limit: 6, backoff: Backoff(base: .zero))),
            .applying(.header("X-In", "1")))
        _ = try dressed.download(request, to: path)
        #expect(ranges == Self.resumed)
        #expect(server.requests.allSatisfy { $0.headers["X-Out"] == "1" && $0.headers["X-In"] == "1" })
    }

    @Test(arguments: [true, false])
    func `a token refused at a retry does not send the download back to its first byte`(isBehind: Bool) throws {
        let file = FileOnServer(content: Self.content)
        server.handler = { request in
            guard request.headers["Range"] != nil else {
                return file.answer(request).failing(.close(.midBody(after: 1_500_000)))
            }
            return request.headers["Authorization"] == "Bearer new" ? file.answer(request) : .status(.unauthorized)
        }
        let bearer = Interceptor.bearer(BearerTokens("old") { _ in "new" })
        let retry = Interceptor.retry(RetryPolicy(backoff: Backoff(base: .zero)))
        let client = CurlTransport().intercepted(by: Interceptor(isBehind ? [retry, bearer] : [bearer, retry]))
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(ranges == [nil, "bytes=1500000-", "bytes=1500000-"])
        #expect(download.fetchedByteCount == 5_000_000)
    }

    @Test(arguments: [true, false])
    func `a nonce that is stale at a retry does not send the download back to its first byte`(isBehind: Bool) throws {
        let file = FileOnServer(content: Self.content)
        let nonce = Locked("1")
        server.handler = { request in
            let expected = nonce.withLock { $0 }
            guard request.headers["Authorization"]?.contains("nonce=\"\(expected)\"") == true else {
                let challenge = "Digest realm=\"r\", qop=\"auth\", stale=true, nonce=\"\(expected)\""
                return .status(.unauthorized, headers: ["WWW-Authenticate": challenge])
            }
            guard request.headers["Range"] == nil else { return file.answer(request) }
            nonce.withLock { $0 = "2" }
            return file.answer(request).failing(.close(.midBody(after: 1_500_000)))
        }
        let digest = Interceptor.digest(user: "u", password: "p", for: try Request(request).origin)
        let retry = Interceptor.retry(RetryPolicy(backoff: Backoff(base: .zero)))
        let client = CurlTransport().intercepted(by: Interceptor(isBehind ? [retry, digest] : [digest, retry]))
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(ranges == [nil, nil, "bytes=1500000-", "bytes=1500000-"])
        #expect(download.fetchedByteCount == 5_000_000)
    }

    @Test func `without ranges each attempt starts over, and a whole one succeeds`()
        throws
    {
        let file = FileOnServer(content: Self.content, takesRanges: false)
        let count = Locked(0)
        server.handler = { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number < 3 ? file.answer(request).failing(.close(.midBody(after: 1_500_000))) : file.answer(request)
        }
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(download.fetchedByteCount == 5_000_000)
        #expect(server.requestCount == 3)
    }

    @Test func `without a validator each attempt requests the whole`() throws {
        serve(FileOnServer(content: Self.content, entityTag: nil))
        guard case .failure(.truncatedBody(let failure)) = Result(try client.download(request, to: path)) else {
            throw Refusal("not cut")
        }
        #expect(ranges == Array(repeating: nil, count: 7))
        #expect(failure.record.metrics.attemptCount == 7)
    }

    @Test(arguments: [true, false])
    func `a file that has changed is fetched from the start`(heedsIfRange: Bool) throws {
        let new = FileOnServer(content: Self.other, entityTag: "\"v2\"", heedsIfRange: heedsIfRange)
        serve(FileOnServer(content: Self.content), new, cutAfter: 2_000_000)
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.other)
        #expect(download.fetchedByteCount == 3_000_000)
        let found = heedsIfRange ? [nil, "bytes=2000000-"] : [nil, "bytes=2000000-", nil]
        #expect(ranges == found + ["bytes=2000000-"])
        #expect(server.requests.last?.headers["If-Range"] == "\"v2\"")
    }

    @Test func `a file that changes with every response is given up`() throws {
        let count = Locked(0)
        server.handler = { request in
            let version = count.withLock { count in
                count += 1
                return count
            }
            let file = FileOnServer(content: Self.other, entityTag: "\"v\(version)\"", heedsIfRange: false)
            return file.answer(request).failing(.close(.midBody(after: 1000)))
        }
        guard case .failure(.protocolViolation(let violation)) = Result(try client.download(request, to: path)) else {
            throw Refusal("not given up")
        }
        #expect(violation.reason.contains("another version of the file than If-Range named"))
        #expect(server.requestCount == 12)
    }
}
