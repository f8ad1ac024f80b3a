import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Downloads from servers that contradict themselves, to impossible places, and concurrently with others.
@Suite struct DownloadHostileTests {
    private static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    private static let other = content.reversed().map { ~$0 }

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

    /// Leaves the first 80,000 bytes of `file`.
    private func begin(_ file: FileOnServer = FileOnServer(content: content)) throws {
        server.handler = { file.answer($0).failing(.close(.midBody(after: 80_000))) }
        guard case .failure(.truncatedBody) = Result(try client.download(request, to: path)) else {
            throw Refusal("not cut")
        }
    }

    private func bodyFailure(_ result: Result<Download, HTTPError>) throws -> BodyFailure {
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        return failure
    }

    @Test func `a place that is not a regular file is refused before anything is sent, and stays`() throws {
        server.handler = { _ in .data(Self.content) }
        #expect(mkfifo(path, 0o600) == 0)
        try FileManager.default.createDirectory(atPath: directory.file("folder"), withIntermediateDirectories: true)
        for place in [path, directory.file("folder"), directory.file("folder/"), directory.file("new/"), ""] {
            let failure = try bodyFailure(Result(try client.download(request, to: place, replacing: true)))
            #expect(failure.reason == .unwritableFile, "\(place)")
        }
        #expect(server.requestCount == 0)
        #expect(directory.names == ["a.bin", "folder"])
        #expect(try !SystemCall.status(behindLinksAt: path).get().isRegular)
    }

    @Test(arguments: [100, 300_000])
    func `a length beside chunks ends the download, and nothing is kept`(length: Int) throws {
        server.handler = { _ in
            .data(Self.content).header("Content-Length", "\(length)").framed(.chunked())
        }
        guard case .failure(.protocolViolation) = Result(try client.download(request, to: path)) else {
            throw Refusal("accepted")
        }
        #expect(!directory.names.contains("a.bin"))
        #expect(server.requestCount == 1)
    }

    @Test func `repeating a request for a part does not mix an old version with a new one`()
        throws
    {
        try begin()
        let (old, new) = (
            FileOnServer(content: Self.content), FileOnServer(content: Self.other, entityTag: "\"v2\"")
        )
        let count = Locked(0)
        server.handler = { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? new.answer(request).failing(.close(.midBody(after: 10_000))) : old.answer(request)
        }
        let repeating = client.intercepted(
            by: Interceptor { request, next in
                next.executeRequest(request).flatMapError { _ in next.executeRequest(request) }
            })
        _ = try repeating.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(directory.names == ["a.bin"])
        #expect(server.requests.dropFirst().map { $0.headers["Range"] } == ["bytes=80000-", "bytes=80000-", nil])
    }

    @Test func `a download without bytes leaves no files`() throws {
        server.handler = { _ in .status(.notFound) }
        guard case .failure(.unacceptableStatus) = Result(try client.download(request, to: path)) else {
            throw Refusal("taken")
        }
        #expect(directory.names.isEmpty)
    }

    @Test func `concurrent downloads to the same file take turns or are refused, and none corrupts another`() throws {
        let file = FileOnServer(content: Self.content)
        server.handler = { file.answer($0) }
        let problems = Locked<[String]>([])
        let threads = (0..<4).map { _ in
            TestThread { [client, path, request] in
                for _ in 0..<60 {
                    do {
                        let download = try client.download(request, to: path, replacing: true)
                        if download.byteCount != 200_000 { problems.withLock { $0.append("\(download)") } }
                    } catch {
                        if !"\(error)".contains("another download") { problems.withLock { $0.append("\(error)") } }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(problems.withLock { $0 } == [])
        #expect(try directory.read("a.bin") == Self.content)
    }
}
