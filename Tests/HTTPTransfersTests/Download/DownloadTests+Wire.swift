import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPMockServer
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// Files that are fetched in one call or several.
@Suite struct DownloadTests {
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

    private var request: MutableRequest { .get(server.url("/a")) }

    private func serve(_ file: FileOnServer, _ change: @escaping @Sendable (MockResponse) -> MockResponse = { $0 }) {
        server.handler = { change(file.answer($0)) }
    }

    /// Downloads a truncated `file`, which leaves a part of `count` bytes.
    private func begin(_ file: FileOnServer = FileOnServer(content: content), cutAfter count: Int = 80_000) throws {
        serve(file) { $0.failing(.close(.midBody(after: count))) }
        guard case .failure(.truncatedBody) = Result(try client.download(request, to: path)) else {
            throw Refusal("not cut")
        }
        #expect(directory.names == ["a.bin.partial", "a.bin.partial.json"])
        #expect(try directory.read("a.bin.partial") == Array(file.content.prefix(count)))
    }

    private func sha256(of content: [UInt8]) throws -> String {
        let scratch = try ScratchDirectory()
        return try #require(try FileHash.sha256(of: FileReader(scratch.write(content, to: "x"))))
    }

    @Test func `a file is fetched whole and uncoded`() throws {
        serve(FileOnServer(content: Self.content))
        let news = Locked<[TransferProgress]>([])
        let download = try Result(try client.download(request, to: path) { new in news.withLock { $0.append(new) } })
            .get()
        #expect(try directory.read("a.bin") == Self.content)
        #expect(directory.names == ["a.bin"])
        #expect(download.byteCount == 200_000 && download.fetchedByteCount == 200_000)
        #expect(download.response?.status == .ok)
        let received = try #require(server.requests.first)
        #expect(received.headers["Accept-Encoding"] == "identity")
        #expect(!received.headers.contains("Range") && !received.headers.contains("If-Range"))
        #expect(news.withLock { $0.last } == TransferProgress(bytes: 200_000, total: 200_000, isFinished: true))
    }

    @Test func `an existing part is not fetched again`() throws {
        try begin()
        serve(FileOnServer(content: Self.content))
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(directory.names == ["a.bin"])
        #expect(download.byteCount == 200_000 && download.fetchedByteCount == 120_000)
        #expect(download.response?.status == .partialContent)
        let received = try #require(server.requests.last)
        #expect(received.headers["Range"] == "bytes=80000-")
        #expect(received.headers["If-Range"] == "\"v1\"")
        #expect(server.requestCount == 2)
    }

    @Test func `a date resumes without a tag, and without either the file is fetched again`() throws {
        var file = FileOnServer(content: Self.content, entityTag: nil, lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
        try begin(file)
        serve(file)
        #expect(try client.download(request, to: path).fetchedByteCount == 120_000)
        #expect(server.requests.last?.headers["If-Range"] == file.lastModified)
        try FileManager.default.removeItem(atPath: path)
        file.lastModified = nil
        try begin(file)
        serve(file)
        #expect(try client.download(request, to: path).fetchedByteCount == 200_000)
        #expect(server.requests.last?.headers.contains("Range") == false)
        #expect(try directory.read("a.bin") == Self.content)
    }

    @Test(arguments: [
        FileOnServer(content: other, entityTag: "\"v2\""), FileOnServer(content: other, takesRanges: false),
        FileOnServer(content: other, entityTag: "\"v2\"", heedsIfRange: false),
        FileOnServer(content: Array(other.prefix(50_000)), entityTag: "\"v2\"", heedsIfRange: false),
        FileOnServer(content: Array(other.prefix(150_000)), heedsIfRange: false),
        FileOnServer(content: [], entityTag: "\"v2\"", heedsIfRange: false),
    ])
    func `a changed file is fetched from its first byte`(file: FileOnServer) throws {
        try begin()
        serve(file)
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == file.content)
        #expect(download.fetchedByteCount == Int64(file.content.count))
        #expect(directory.names == ["a.bin"])
        #expect(server.requests[1].headers["Range"] == "bytes=80000-")
    }

    @Test func `the part of another URL is not resumed`() throws {
        try begin()
        serve(FileOnServer(content: Self.other))
        _ = try client.download(.get(server.url("/b")), to: path)
        #expect(try directory.read("a.bin") == Self.other)
        #expect(server.requests.last?.headers.contains("Range") == false)
    }

    @Test func `a server that sends smaller parts is asked until the file is complete`() throws {
        try begin()
        serve(FileOnServer(content: Self.content, longestPart: 50_000))
        let download = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(download.fetchedByteCount == 120_000)
        #expect(
            server.requests.compactMap { $0.headers["Range"] } == ["bytes=80000-", "bytes=130000-", "bytes=180000-"])
    }

    @Test func `an error response is returned, and the existing part stays`() throws {
        try begin()
        server.handler = { _ in .text("come back later", status: .serviceUnavailable) }
        guard case .failure(.unacceptableStatus(let response)) = Result(try client.download(request, to: path)) else {
            throw Refusal("not refused")
        }
        #expect(try response.text() == "come back later")
        #expect(try directory.read("a.bin.partial") == Array(Self.content.prefix(80_000)))
    }

    @Test func `a complete part, as after a kill before the last step, needs no request`() throws {
        try begin()
        _ = try directory.write(Self.content, to: "a.bin.partial")
        server.handler = { _ in .status(.internalServerError) }
        let download = try client.download(request, to: path, sha256: sha256(of: Self.content))
        #expect(try directory.read("a.bin") == Self.content)
        #expect(download.fetchedByteCount == 0 && download.response == nil)
        #expect(directory.names == ["a.bin"])
        #expect(server.requestCount == 1)
    }

    @Test func `leftovers of a kill within a step are removed in the end`() throws {
        // Killed while the first record was written.
        _ = try directory.write([], to: "a.bin.partial")
        _ = try directory.write("{\"ur".utf8, to: "a.bin.partial.json.new")
        serve(FileOnServer(content: Self.content))
        _ = try client.download(request, to: path)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(directory.names == ["a.bin"])
        // Killed before a further record was written, which is not needed.
        try FileManager.default.removeItem(atPath: path)
        try begin()
        _ = try directory.write([], to: "a.bin.partial.json.new")
        serve(FileOnServer(content: Self.content))
        _ = try client.download(request, to: path)
        #expect(directory.names == ["a.bin"])
        // Killed after the rename, before the record was removed.
        _ = try directory.write("{}".utf8, to: "a.bin.partial.json")
        #expect(try client.download(request, to: path).fetchedByteCount == 0)
        #expect(directory.names == ["a.bin"])
    }

    @Test func `a part that is to replace a file stays until the download resumes`() throws {
        try begin()
        _ = try directory.write(Self.other, to: "a.bin")
        #expect(try client.download(request, to: path).fetchedByteCount == 0)
        #expect(directory.names == ["a.bin", "a.bin.partial", "a.bin.partial.json"])
        serve(FileOnServer(content: Self.content))
        #expect(try client.download(request, to: path, replacing: true).fetchedByteCount == 120_000)
        #expect(try directory.read("a.bin") == Self.content)
    }

    @Test func `an existing file is left alone, unless its checksum is wrong or it is to be replaced`() throws {
        _ = try directory.write(Self.content, to: "a.bin")
        serve(FileOnServer(content: Self.other))
        let reports = Notes<TransferProgress>()
        let kept = try client.download(request, to: path, progress: { reports.note($0) })
        #expect(kept.byteCount == 200_000 && kept.fetchedByteCount == 0)
        #expect(reports.all.map(\.bytes) == [200_000] && reports.all.map(\.isFinished) == [true])
        _ = try client.download(request, to: path, sha256: sha256(of: Self.content).uppercased())
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requestCount == 0)
        _ = try client.download(request, to: path, sha256: sha256(of: Self.other))
        #expect(try directory.read("a.bin") == Self.other)
        #expect(server.requestCount == 1)
        serve(FileOnServer(content: Self.content))
        _ = try client.download(request, to: path, replacing: true)
        #expect(try directory.read("a.bin") == Self.content)
        #expect(server.requestCount == 2)
    }

    @Test func `a file with the wrong checksum is not kept`() throws {
        serve(FileOnServer(content: Self.content))
        let expected = try sha256(of: Self.other)
        let result = Result(try client.download(request, to: path, sha256: expected))
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .wrongChecksum(expected: expected, actual: try sha256(of: Self.content)))
        #expect(directory.names.isEmpty)
    }

    @Test(.enabled(if: ScratchDirectory.showsOpenFiles))
    func `a download that is over, and the error of one, keep no file open`() throws {
        let file = FileOnServer(content: Array(Self.content.prefix(100)))
        server.handler = { $0.path == "/a" ? file.answer($0) : .status(.notFound) }
        let download = try client.download(request, to: path)
        let refused = Result(try client.download(.get(server.url("/b")), to: directory.file("b.bin")))
        guard case .failure(let error) = refused else { throw Refusal("\(refused)") }
        #expect(directory.openFiles.isEmpty)
        withExtendedLifetime((download, error)) {}
    }

    @Test func `a file that is made at the path meanwhile is not replaced, unless it may be`() throws {
        for mayReplace in [false, true] {
            let file = FileOnServer(content: Self.content)
            server.handler = { [directory] in
                _ = try? directory.write("mine".utf8, to: "a.bin")
                return file.answer($0)
            }
            let result = Result(try client.download(request, to: path, replacing: mayReplace))
            if mayReplace {
                #expect(try result.get().byteCount == 200_000)
                #expect(try directory.read("a.bin") == Self.content && directory.names == ["a.bin"])
            } else {
                guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
                #expect("\(failure)".contains("it was made during the download, and is not replaced"))
                #expect(try directory.read("a.bin") == Array("mine".utf8))
                #expect(try directory.read("a.bin.partial") == Self.content, "nothing is fetched twice")
                try FileManager.default.removeItem(atPath: path)
                #expect(try client.download(request, to: path).fetchedByteCount == 0)
                #expect(try directory.read("a.bin") == Self.content)
            }
        }
    }

    @Test func `a second download to the same place is refused while the first is running`() throws {
        let first = client
        let token = CancellationToken()
        serve(FileOnServer(content: Self.content)) { $0.failing(.stall(.midBody(after: 1000))) }
        let thread = TestThread { [request, path] in _ = try? token.run { try first.download(request, to: path) } }
        try server.wait(for: .requests(1))
        waited { (try? directory.read("a.bin.partial").count) == 1000 }
        let result = Result(try client.download(request, to: path))
        token.cancel()
        thread.join()
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .unwritableFile)
        #expect("\(failure)".contains("another download to the same place is under way: wait for its end"))
        #expect(!"\(failure)".contains("permissions"))
        #expect(try directory.read("a.bin.partial") == Array(Self.content.prefix(1000)), "it left what it had")
    }

    @Test func `a file beyond the limit that the process has for files is an error, and not its end`() async {
        await #expect(processExitsWith: .success) {
            do { try Self.downloadBeyondLimit() } catch { Issue.record("\(error)") }
        }
    }

    private static func downloadBeyondLimit() throws {
        var limit = rlimit()
        // RLIMIT_FSIZE
        getrlimit(1, &limit)
        limit.rlim_cur = 50_000
        setrlimit(1, &limit)
        let (server, directory) = (try MockServer { _ in .data(content) }, try ScratchDirectory())
        let result = Result(try CurlTransport().download(.get(server.url("/a")), to: directory.file("a.bin")))
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .unwritableFile && (failure.underlying as? SystemError)?.code == EFBIG)
        #expect("\(failure)".contains("raise the limit of a file's size (ulimit -f)"), "\(failure)")
    }

    @Test func `a request other than a plain GET, or an invalid checksum, is refused before anything is sent`() throws {
        for (draft, sha256, words) in [
            (MutableRequest.post(server.url), nil, "a download is a GET request"),
            (request |> .header("Range", "bytes=0-1"), nil, "the header Range is the download's to set"),
            (request |> .header("Accept-Encoding", "gzip"), nil, "the header Accept-Encoding is the download's"),
            (request, "abc", "the SHA-256 is \"abc\": it has 64 hexadecimal digits"),
        ] as [(MutableRequest, String?, String)] {
            let result = Result(try client.download(draft, to: path, sha256: sha256))
            guard case .failure(let error) = result, case .invalidRequest = error else { throw Refusal("\(result)") }
            #expect("\(error)".contains(words))
        }
        #expect(server.requestCount == 0)
        #expect(directory.names.isEmpty)
    }

    @Test func `a name that is too long with the ending of a record is refused before anything is sent`() throws {
        serve(FileOnServer(content: Self.content))
        for count in [239, 250] {
            let path = directory.file(String(repeating: "a", count: count))
            guard case .failure(.body) = Result(try client.download(request, to: path)) else {
                throw Refusal("not refused")
            }
        }
        #expect(server.requestCount == 0 && directory.names.isEmpty)
        let path = directory.file(String(repeating: "a", count: 238))
        #expect(try client.download(request, to: path).byteCount == 200_000)
    }

    @Test func `a missing directory is named`() throws {
        serve(FileOnServer(content: Self.content))
        let result = Result(try client.download(request, to: directory.file("no/a.bin")))
        guard case .failure(.body(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .unwritableFile)
        #expect(failure.path?.hasSuffix("no/a.bin") == true)
        #expect(server.requestCount == 0)
    }
}

@Suite struct FileHashTests {
    @Test func `a file's SHA-256 is that of its bytes`() throws {
        let directory = try ScratchDirectory()
        let known = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
        #expect(try FileHash.sha256(of: FileReader(directory.write("hello world".utf8, to: "a"))) == known)
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(try FileHash.sha256(of: FileReader(directory.write([], to: "b"))) == empty)
    }
}
