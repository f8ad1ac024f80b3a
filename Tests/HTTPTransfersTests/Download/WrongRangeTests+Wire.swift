import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Servers that answer the Range of a resumed download with something else. No download is stuck.
@Suite struct WrongRangeTests {
    private static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }

    /// An answer to `bytes=80000-`, and whether it can be used.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var range: String?
        var body: ArraySlice<UInt8> = WrongRangeTests.content[80_000...]
        var type = "application/octet-stream"
        var isChunked = false
        var status = HTTPStatus.partialContent
        var isUsable = false

        var response: MockResponse {
            var response = MockResponse.data(Array(body), contentType: type, status: status).header("ETag", "\"v1\"")
            if let range { response = response.header("Content-Range", range) }
            return isChunked ? response.framed(.chunked()) : response
        }
    }

    private static let answers = [
        Answer(testDescription: "no Content-Range"),
        Answer(testDescription: "another unit", range: "items 80000-199999/200000"),
        Answer(testDescription: "no unit", range: "80000-199999/200000"),
        Answer(testDescription: "the form of a Range", range: "bytes=80000-199999/200000"),
        Answer(testDescription: "no total", range: "bytes 80000-199999"),
        Answer(testDescription: "an end before the start", range: "bytes 199999-80000/200000"),
        Answer(testDescription: "an end behind the total", range: "bytes 80000-200000/200000"),
        Answer(testDescription: "a number too large", range: "bytes 80000-99999999999999999999/*"),
        Answer(testDescription: "another total", range: "bytes 80000-199999/300000"),
        Answer(testDescription: "longer than said", range: "bytes 80000-99999/200000"),
        Answer(testDescription: "longer than said, in chunks", range: "bytes 80000-99999/200000", isChunked: true),
        Answer(
            testDescription: "shorter than said", range: "bytes 80000-199999/200000", body: content[80_000..<90_000]),
        Answer(testDescription: "empty", range: "bytes 80000-199999/200000", body: []),
        Answer(testDescription: "empty, in chunks", range: "bytes 80000-199999/200000", body: [], isChunked: true),
        Answer(testDescription: "later than asked", range: "bytes 80001-199999/200000", body: content[80_001...]),
        Answer(testDescription: "the first bytes again", range: "bytes 0-9/200000", body: content[..<10]),
        Answer(
            testDescription: "several ranges", range: "bytes 80000-199999/200000",
            type: "multipart/byteranges; boundary=b"),
        Answer(testDescription: "several ranges without a Content-Range", type: "multipart/byteranges; boundary=b"),
        Answer(testDescription: "the first bytes to no end", range: "bytes */200000"),
        Answer(
            testDescription: "416 with another size", range: "bytes */100", body: [], status: HTTPStatus(416)),
        Answer(testDescription: "416 with this size", range: "bytes */80000", body: [], status: HTTPStatus(416)),
        Answer(testDescription: "416 without a size", body: [], status: HTTPStatus(416)),
        Answer(
            testDescription: "earlier than asked", range: "bytes 70000-199999/200000", body: content[70_000...],
            isUsable: true),
        Answer(
            testDescription: "all of it as a part", range: "bytes 0-199999/200000", body: content[...], isUsable: true),
        Answer(
            testDescription: "all of it as a part, in chunks", range: "bytes 0-199999/200000", body: content[...],
            isChunked: true, isUsable: true),
        Answer(testDescription: "200", body: content[...], status: .ok, isUsable: true),
        Answer(testDescription: "200 in chunks", body: content[...], isChunked: true, status: .ok, isUsable: true),
    ]

    private let client = CurlTransport()
    private let directory: ScratchDirectory
    private let server: MockServer
    private let path: String

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("a.bin")
        server = try MockServer()
    }

    private var request: MutableRequest { .get(server.url("/a")) |> .timeout(.seconds(20)) }

    /// Leaves the first 80,000 bytes.
    private func begin() throws {
        let file = FileOnServer(content: Self.content)
        server.handler = { file.answer($0).failing(.close(.midBody(after: 80_000))) }
        guard case .failure(.truncatedBody) = Result(try client.download(request, to: path)) else {
            throw Refusal("not cut")
        }
        #expect(try directory.read("a.bin.partial").count == 80_000)
    }

    @Test(arguments: answers)
    func `whatever answers the Range, the download ends with the whole file`(answer: Answer) throws {
        try begin()
        let whole = MockResponse.data(Self.content).header("ETag", "\"v1\"")
        server.handler = { $0.headers.contains("Range") ? answer.response : whole }
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(download.byteCount == 200_000)
        #expect(directory.names == ["a.bin"])
        let ranges = server.requests.dropFirst().map { $0.headers["Range"] }
        #expect(ranges == (answer.isUsable ? ["bytes=80000-"] : ["bytes=80000-", nil]))
    }

    @Test func `behind validation, too, a download whose range is refused begins anew`() throws {
        try begin()
        let whole = MockResponse.data(Self.content).header("ETag", "\"v1\"")
        server.handler = { $0.headers.contains("Range") ? .status(HTTPStatus(416)) : whole }
        _ = try client.intercepted(by: .validate()).download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requests.dropFirst().map { $0.headers["Range"] } == ["bytes=80000-", nil])
    }

    @Test(arguments: answers.filter { !$0.isUsable && $0.status == .partialContent })
    func `a server that answers everything so is named, and no later call is stuck`(answer: Answer) throws {
        try begin()
        server.handler = { _ in answer.response }
        guard case .failure(.protocolViolation(let violation)) = Result(try client.download(request, to: path)) else {
            throw Refusal("taken")
        }
        #expect("\(HTTPError.protocolViolation(violation))".contains(server.url.dropFirst(7)), "\(violation.reason)")
        #expect(directory.names.isEmpty)
        #expect(server.requestCount == 3)
        server.handler = { _ in .data(Self.content) }
        _ = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requests.last?.headers.contains("Range") == false)
    }

    @Test func `a first answer that is a part with less than it says is truncated, and asked for once`() throws {
        server.handler = { _ in
            MockResponse.data(Array(Self.content.prefix(50)), status: .partialContent)
                .header("Content-Range", "bytes 0-99/100").framed(.chunked())
        }
        guard case .failure(.truncatedBody(let failure)) = Result(try client.download(request, to: path)) else {
            throw Refusal("taken")
        }
        #expect(failure.reason == .contentLength(expected: 100) && failure.received == 50)
        #expect(server.requestCount == 1)
    }

    @Test func `a server that sends little at a time is asked a thousand times at most`() throws {
        try begin()
        let file = FileOnServer(content: Self.content, longestPart: 100)
        server.handler = { file.answer($0) }
        guard case .failure(.truncatedBody(let failure)) = Result(try client.download(request, to: path)) else {
            throw Refusal("taken")
        }
        #expect(failure.received == 180_000)
        #expect(server.requestCount == 1_001)
        #expect(try client.download(request, to: path).fetchedByteCount == 20_000, "the next call goes on")
        #expect(try directory.read("a.bin") == Self.content)
    }

    @Test func `the limit of the body is one for all parts and for all calls`() throws {
        try begin()
        let file = FileOnServer(content: Self.content, longestPart: 50_000)
        server.handler = { file.answer($0) }
        let result = Result(try client.download(request |> .bodyLimit(199_999), to: path))
        guard case .failure(.limitExceeded(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.limit == .body && failure.value == 199_999)
        #expect(server.requestCount == 2 && directory.names == ["a.bin.partial", "a.bin.partial.json"])
        #expect(try client.download(request |> .bodyLimit(200_000), to: path).fetchedByteCount == 120_000)
        #expect(try directory.read("a.bin") == Self.content)
    }

    @Test func `a part whose record is removed while it comes is not the file`() throws {
        server.handler = { _ in
            MockResponse.data(Array(Self.content.prefix(50)), status: .partialContent)
                .header("Content-Range", "bytes 0-99/100").header("ETag", "\"v1\"").framed(.chunked())
        }
        let record = directory.file("a.bin.partial.json")
        let result = Result(try client.download(request, to: path) { _ in _ = unlink(record) })
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect("\(failure)".contains("it was removed during the download: try again"), "\(failure)")
        #expect(server.requestCount == 1 && !directory.names.contains("a.bin"))
    }

    @Test func `a long name or entity tag leaves a record that can be read`() throws {
        let file = FileOnServer(content: Self.content, entityTag: "\"\(String(repeating: "e", count: 1_022))\"")
        let name = String(repeating: "/", count: 40_000) + "x.bin"
        server.handler = {
            file.answer($0).header("Content-Disposition", "attachment; filename=\"\(name)\"")
                .failing(.close(.midBody(after: 80_000)))
        }
        let target = DownloadTarget.directory(directory.path)
        #expect(throws: HTTPError.self) { try client.download(request, to: target) }
        server.handler = { file.answer($0) }
        let download = try client.download(request, to: target)
        #expect(download.path == directory.file("x.bin") && download.fetchedByteCount == 120_000)
        #expect(server.requests.last?.headers["Range"] == "bytes=80000-")
    }

    @Test func `a first answer that is a part with all of the file is the file`() throws {
        server.handler = { _ in
            MockResponse.data(Self.content, status: .partialContent).header("Content-Range", "bytes 0-199999/200000")
        }
        #expect(try client.download(request, to: path).byteCount == 200_000)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requestCount == 1)
    }

    @Test func `a status that is no answer to a download is the error's, also to downloadIfNewer`() throws {
        server.handler = { _ in .data(Self.content, status: HTTPStatus(203)) }
        guard case .failure(.unacceptableStatus(let response)) = Result(try client.download(request, to: path)) else {
            throw Refusal("taken")
        }
        #expect(response.status == 203)
        for status in [203, 206] as [HTTPStatus] {
            server.handler = { _ in .data(Self.content, status: status) }
            guard
                case .failure(.unacceptableStatus(let response)) = Result(try client.downloadIfNewer(request, to: path))
            else {
                throw Refusal("taken")
            }
            #expect(response.status == status)
        }
        #expect(directory.names.isEmpty)
    }

    @Test func `what observers and retries see of a wrong part is a violation, not a sink's failure`() throws {
        try begin()
        let whole = MockResponse.data(Self.content).header("ETag", "\"v1\"")
        server.handler = { $0.headers.contains("Range") ? .data([1], status: .partialContent) : whole }
        let seen = Locked<[String]>([])
        let watched = client.intercepted(
            by: .retry(), .log { line in seen.withLock { $0.append(line) } })
        _ = try watched.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        let text = seen.withLock { $0.joined(separator: "\n") }
        #expect(text.contains("Content-Range is missing") && !text.contains("sink"), "\(text)")
    }
}
