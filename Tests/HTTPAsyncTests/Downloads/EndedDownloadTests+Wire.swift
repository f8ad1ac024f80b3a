import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

@testable import HTTPAsync
@testable import HTTPTransfers

/// Downloads that are cancelled, or late, while they work on their files.
@Suite(.timeLimit(.minutes(5))) struct EndedDownloadTests {
    private let client = CurlTransport()
    private let directory: ScratchDirectory
    private let path: String
    private let server: MockServer

    init() throws {
        directory = try ScratchDirectory()
        path = directory.file("a")
        server = try MockServer()
    }

    private var request: MutableRequest { .get(server.url("/a")) }

    private static let otherHash = String(repeating: "0", count: 64)

    /// A whole part: a download to `path` needs no request.
    private func leavePart(at path: String, _ write: (PartialFile) throws -> Void) throws {
        let part = try PartialFile(of: path)
        try part.begin(DownloadRecord(url: server.url("/a"), validator: "\"v1\"", total: 5))
        try write(part)
    }

    /// With a hole, whose SHA-256 takes a minute or more.
    private func leaveLargePart() throws {
        try leavePart(at: path) { part in
            try part.note(DownloadRecord(url: server.url("/a"), validator: "\"v1\"", total: 1 << 37))
            try #require(truncate(part.partPath, 1 << 37) == 0)
        }
    }

    private func requirePartIsLeft() throws {
        #expect(directory.names == ["a.partial", "a.partial.json"])
        #expect(try PartialFile(of: path).size == 1 << 37, "the next download may have it")
        #expect(server.requestCount == 0)
    }

    /// It is open twice while it is hashed.
    private var isHashing: Bool { directory.openFiles.count { $0.hasSuffix("a.partial") } == 2 }

    @Test(.enabled(if: ScratchDirectory.showsOpenFiles), arguments: [false, true])
    func `an awaited download that ends while it hashes leaves the part to the next one`(isLate: Bool) async throws {
        try leaveLargePart()
        let draft = isLate ? request |> .timeout(.milliseconds(100)) : request
        let task = Task { try await client.download(draft, to: path, sha256: Self.otherHash) }
        if !isLate {
            #expect(await suspended { isHashing })
            task.cancel()
        }
        switch (await task.result, isLate) {
        case (.failure(HTTPError.cancelled), false), (.failure(HTTPError.timedOut), true): break
        case (let result, _): Issue.record("\(result)")
        }
        #expect(await suspended { directory.openFiles.isEmpty }, "nothing goes on")
        try requirePartIsLeft()
    }

    @Test(.enabled(if: ScratchDirectory.showsOpenFiles), arguments: [false, true])
    func `a blocking download that ends while it hashes leaves the part to the next one`(isLate: Bool) throws {
        try leaveLargePart()
        let (token, outcome) = (CancellationToken(), Locked<Result<Download, HTTPError>?>(nil))
        let draft = isLate ? request |> .timeout(.milliseconds(100)) : request
        let thread = TestThread { [client, path] in
            let result = token.run {
                Result { () throws(HTTPError) in try client.download(draft, to: path, sha256: Self.otherHash) }
            }
            outcome.withLock { $0 = result }
        }
        if !isLate {
            #expect(waited { isHashing })
            token.cancel()
        }
        #expect(waited { outcome.withLock { $0 != nil } })
        thread.join()
        switch (outcome.withLock(\.self), isLate) {
        case (.failure(.cancelled)?, false), (.failure(.timedOut)?, true): break
        case (let result, _): Issue.record("\(String(describing: result))")
        }
        try requirePartIsLeft()
    }

    @Test(.enabled(if: ScratchDirectory.showsOpenFiles))
    func `an existing file is hashed no longer than the call lasts`() async throws {
        _ = try directory.write("hello".utf8, to: "a")
        try #require(truncate(path, 1 << 37) == 0)
        let task = Task { try await client.download(request, to: path, sha256: Self.otherHash) }
        #expect(await suspended { !directory.openFiles.isEmpty })
        task.cancel()
        guard case .failure(HTTPError.cancelled) = await task.result else { throw Refusal("not cancelled") }
        #expect(await suspended { directory.openFiles.isEmpty })
        #expect(directory.names == ["a"] && server.requestCount == 0)
    }

    @Test(arguments: [false, true])
    func `work that begins after the end of the call puts nothing in place`(isInDirectory: Bool) async throws {
        let download = DownloadRequest(
            request, to: isInDirectory ? .directory(directory.path) : path.downloadTarget)
        let partPath = try DownloadRun(download).path
        try leavePart(at: partPath) { part in try Array("hello".utf8).withUnsafeBytes { try part.write($0) } }
        let left = directory.names
        // All threads for disks are busy; one of them is free later.
        let dispatcher = Dispatcher()
        let (busy, first, rest) = (Event(), Event(), Event())
        for number in 0..<CallbackExecutor.diskThreads {
            dispatcher.runOnDisk {
                busy.signal()
                number == 0 ? first.block() : rest.block()
            }
        }
        await busy.happened(CallbackExecutor.diskThreads)
        let (token, ended) = (CancellationToken(), Event())
        let outcome = Locked<Result<Response, HTTPError>?>(nil)
        let prepared = try PreparedDownload(download, progress: nil, by: client)
        let call = dispatcher.call(
            prepared.client, prepared.request,
            to: .report { result in
                outcome.withLock { $0 = result }
                ended.signal()
            })
        dispatcher.start(call, priority: .normal, token: token)
        token.cancel()
        await ended.happened()
        guard case .failure(.cancelled(let record))? = outcome.withLock(\.self) else { throw Refusal("not cancelled") }
        #expect(record?.phase == .named("files"), "it had begun")
        let after = Event()
        dispatcher.runOnDisk { after.signal() }
        first.signal()
        await after.happened()
        rest.signal()
        #expect(directory.names == left)
        server.handler = { _ in .text("hello") }
        let next = try await client.download(request, to: download.target, on: dispatcher)
        // In a directory the server is asked.
        #expect(next.byteCount == 5 && server.requestCount == (isInDirectory ? 1 : 0))
        #expect(directory.names == ["a"] && FileManager.default.contents(atPath: path) == Data("hello".utf8))
    }

    @Test func `a disk that hangs does not hold a loop that is cancelled`() async throws {
        let (gate, hanging, ended) = (Event(), Event(), Event())
        let dispatcher = Dispatcher(Dispatcher.Configuration())
        for _ in 0..<CallbackExecutor.diskThreads {
            dispatcher.runOnDisk {
                hanging.signal()
                gate.block()
            }
        }
        await hanging.happened(CallbackExecutor.diskThreads)
        let list = ["a", "b", "c"].map { DownloadRequest(.get(server.url("/\($0)")), to: directory.file($0)) }
        let downloads = client.downloads(of: list, on: dispatcher)
        let task = Task {
            let all = await downloads.all()
            ended.signal()
            return all
        }
        task.cancel()
        #expect(await suspended(atMost: .seconds(20)) { ended.count == 1 })
        gate.signal()
        let all = await task.value
        for result in all { guard case .failure(.cancelled) = result else { return unexpected(result) } }
        #expect(all.count == 3 && server.requestCount == 0)
    }

    @Test func `a download whose file is in place when it is cancelled has succeeded`() async throws {
        try leavePart(at: path) { part in try Array("hello".utf8).withUnsafeBytes { try part.write($0) } }
        let (placed, release) = (Event(), Event())
        let task = Task {
            try await client.download(request, to: path) { progress in
                placed.signal()
                release.block()
            }
        }
        await placed.happened()
        task.cancel()
        let result = await task.result
        release.signal()
        #expect(try result.get().byteCount == 5)
        #expect(try directory.read("a") == Array("hello".utf8))
    }
}
