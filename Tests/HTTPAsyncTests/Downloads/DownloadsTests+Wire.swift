import TestSupport
import HTTPTransfers
import HTTPSupport
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import Testing

/// Several downloads at a time, awaited and blocking.
@Suite(.timeLimit(.minutes(5))) struct DownloadsTests {
    enum Style: CaseIterable { case awaited, blocking }

    private let client = CurlTransport()
    private let directory: ScratchDirectory

    init() throws { directory = try ScratchDirectory() }

    /// All results as they end.
    private func made(_ downloads: Downloads, _ style: Style) async -> [EndedDownload] {
        switch style {
        case .awaited:
            var ended: [EndedDownload] = []
            for await download in downloads { ended.append(download) }
            return ended
        case .blocking: return await onThread { Array(downloads.blocking) }
        }
    }

    private func requests(_ server: MockServer, _ count: Int, to directory: String? = nil) -> [DownloadRequest] {
        (0..<count).map { index in
            directory.map { DownloadRequest(.get(server.url("/\(index)")), to: .directory($0)) }
                ?? DownloadRequest(.get(server.url("/\(index)")), to: self.directory.file("\(index)"))
        }
    }

    private func read(_ name: String) -> String? {
        (try? directory.read(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: How many, and in which order

    @Test(arguments: Style.allCases)
    func `the server sees as many at once as asked for, and never more`(style: Style) async throws {
        let arrived = Event()
        let crowd = Locked((now: 0, most: 0))
        let server = try MockServer { request in
            crowd.withLock { crowd in
                crowd.now += 1
                crowd.most = max(crowd.most, crowd.now)
            }
            arrived.signal()
            // The first three wait for one another.
            arrived.block(3)
            crowd.withLock { $0.now -= 1 }
            return .text(request.path)
        }
        let ended = await made(client.downloads(of: requests(server, 9), maxConcurrent: 3), style)
        #expect(crowd.withLock { $0.most } == 3)
        #expect(ended.map(\.index).sorted() == Array(0..<9))
        #expect((0..<9).map { read("\($0)") } == (0..<9).map { "/\($0)" })
        #expect(Set(server.requests.prefix(3).map(\.path)) == ["/0", "/1", "/2"], "begins with the first of the list")
        #expect(server.requestCount == 9)
    }

    @Test(arguments: [1, 0, -1])
    func `one at a time keeps the order of the list`(maxConcurrent: Int) async throws {
        let server = try MockServer { .text($0.path) }
        let ended = await made(client.downloads(of: requests(server, 5), maxConcurrent: maxConcurrent), .awaited)
        #expect(ended.map(\.index) == [0, 1, 2, 3, 4])
        #expect(ended.map(\.request.draft.url) == (0..<5).map { server.url("/\($0)") })
        #expect(server.requests.map(\.path) == ["/0", "/1", "/2", "/3", "/4"])
    }

    @Test func `what ends first comes first, and all of them are in the order of the list`() async throws {
        let others = Event()
        let server = try MockServer { request in
            if request.path == "/0" { others.block(2) }
            return .text(request.path)
        }
        let downloads = client.downloads(of: requests(server, 3), maxConcurrent: 2)
        var indices: [Int] = []
        for await download in downloads {
            indices.append(download.index)
            others.signal()
        }
        #expect(indices == [1, 2, 0])
        let all = await downloads.all()
        #expect(all.map { $0.value?.path } == (0..<3).map { directory.file("\($0)") })
        #expect(all.map { $0.value?.fetchedByteCount } == [0, 0, 0], "the second loop finds the files")
        #expect(await onThread { downloads.blocking.all().count } == 3)
        #expect(server.requestCount == 3)
    }

    @Test(arguments: Style.allCases)
    func `an empty list ends at once`(style: Style) async {
        #expect(await made(client.downloads(of: []), style).isEmpty)
        #expect(await client.downloads(of: []).all().isEmpty)
    }

    // MARK: Failures

    @Test(arguments: Style.allCases)
    func `a failure ends no other, and says which it was`(style: Style) async throws {
        let server = try MockServer { $0.path == "/1" ? .status(.notFound) : .text($0.path) }
        var list = requests(server, 4)
        list.append(DownloadRequest(.get("no url"), to: directory.file("4")))
        list.append(DownloadRequest(.post(server.url("/5")), to: directory.file("5")))
        list.append(
            DownloadRequest(
                .get(server.url("/6")), to: directory.file("6"), sha256: String(repeating: "0", count: 64)))
        let ended = await made(client.downloads(of: list, maxConcurrent: 2), style).sorted { $0.index < $1.index }
        #expect(ended.map(\.index) == Array(0..<7))
        #expect(ended.map { $0.result.value != nil } == [true, false, true, true, false, false, false])
        #expect(ended[1].result.failure?.response?.status == .notFound)
        for index in 4...5 {
            guard case .invalidRequest? = ended[index].result.failure else { return #expect(Bool(false), "\(index)") }
        }
        guard case .body? = ended[6].result.failure else { return #expect(Bool(false)) }
        #expect(directory.names == ["0", "2", "3"])
        #expect(server.requestCount == 5)
    }

    @Test func `a timeout is that of each download, from its own start`() async throws {
        let server = try MockServer { request in
            request.path == "/1" ? .text("late").failing(.stall(.midBody(after: 1))) : .text(request.path)
        }
        var list = requests(server, 3)
        list[1].draft = list[1].draft |> .timeout(.milliseconds(200))
        list[2].draft = list[2].draft |> .timeout(.seconds(60))
        let all = await client.downloads(of: list, maxConcurrent: 1).all()
        #expect(all.map { $0.value != nil } == [true, false, true])
        guard case .timedOut(let failure)? = all[1].failure else { return #expect(Bool(false)) }
        #expect(failure.limit == .total && failure.duration == .milliseconds(200))
    }

    @Test(.timeLimit(.minutes(1)), arguments: Style.allCases)
    func `a deadline around the loop is that of all of them`(style: Style) async throws {
        let server = try MockServer { _ in .text("late").failing(.stall(.midBody(after: 1))) }
        let downloads = client.downloads(of: requests(server, 3), maxConcurrent: 2)
        let deadline = CallDeadline(.milliseconds(300))
        let ended =
            switch style {
            case .awaited: await CallDeadline.$current.withValue(deadline) { await made(downloads, style) }
            case .blocking: await onThread { deadline.run { Array(downloads.blocking) } }
            }
        #expect(ended.count == 3)
        for download in ended {
            guard case .timedOut(let failure)? = download.result.failure else { return #expect(Bool(false)) }
            #expect(failure.limit == .total && failure.duration == .milliseconds(300))
        }
        #expect(server.requestCount <= 2)
    }

    @Test func `a dispatcher that takes no more fails them all, and nothing is sent`() async throws {
        let server = try MockServer { .text($0.path) }
        let full = Dispatcher.limited(to: 1, queued: 0)
        let gate = Event()
        await full.occupySlot(until: gate)
        let all = await client.downloads(of: requests(server, 3), on: full).all()
        gate.signal()
        #expect(all.count == 3 && server.requestCount == 0)
        for result in all { guard case .other(is Overload)? = result.failure else { return #expect(Bool(false)) } }
    }

    @Test func `a dispatcher with fewer threads makes them all`() async throws {
        let server = try MockServer { .text($0.path) }
        let all = await client.downloads(of: requests(server, 6), maxConcurrent: 4, on: .limited(to: 2)).all()
        #expect(all.compactMap { $0.value }.count == 6)
    }

    @Test func `within a call of the same dispatcher they still run at once`() async throws {
        let arrived = Event()
        let server = try MockServer { request in
            arrived.signal()
            // More than a dispatcher lets go to one host by default.
            arrived.block(12)
            return .text(request.path)
        }
        let dispatcher = Dispatcher.limited(to: 1)
        let list = requests(server, 12)
        let results = try await dispatcher.run {
            client.downloads(of: list, maxConcurrent: 12, on: dispatcher).blocking.all()
        }
        #expect(results.compactMap { $0.value }.count == 12 && server.requestCount == 12)
    }

    // MARK: Cancellation

    /// A server of one file, whose body stalls at first.
    private func stalling(_ arrived: Event) throws -> (server: MockServer, content: [UInt8]) {
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let isStalling = Locked<Set<String>>([])
        let server = try MockServer { request in
            let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            let part = MockResponse.data(Array(content[start...]), status: start > 0 ? .partialContent : .ok)
                .header("ETag", "\"v1\"").header("Content-Range", "bytes \(start)-99999/100000")
            guard isStalling.withLock({ $0.insert(request.path).inserted }) else { return part }
            arrived.signal()
            return part.failing(.stall(.midBody(after: 40_000)))
        }
        return (server, content)
    }

    /// Until the part of each has what the server has sent.
    private func waitForParts(_ names: [String]) {
        #expect(
            waited {
                names.allSatisfy { name in (try? directory.read(name + ".partial").count) == 40_000 }
            })
    }

    @Test(arguments: Style.allCases)
    func `leaving the loop cancels those that run, and the next loop resumes them`(style: Style) async throws {
        let (server, content) = try stalling(Event())
        let finished = try MockServer { _ in .text("done") }
        let list = requests(server, 3) + [DownloadRequest(.get(finished.url), to: directory.file("done"))]
        // The first three have stalled once the fourth is there.
        let downloads = client.downloads(of: list, maxConcurrent: 4)
        switch style {
        case .awaited:
            for await download in downloads {
                #expect(download.index == 3)
                waitForParts(["0", "1", "2"])
                break
            }
        case .blocking:
            await onThread {
                for download in downloads.blocking {
                    #expect(download.index == 3)
                    self.waitForParts(["0", "1", "2"])
                    break
                }
            }
        }
        try await server.wait(for: .openConnections(atMost: 0))
        #expect(server.requestCount == 3)
        // A call that was cancelled lets go of its part when its thread has seen it.
        var all: [Result<Download, HTTPError>] = []
        #expect(
            await {
                for _ in 0..<1000 {
                    all = await client.downloads(of: list).all()
                    if all.allSatisfy({ $0.value != nil }) { return true }
                    await Task.yield()
                }
                return false
            }())
        for name in ["0", "1", "2"] { #expect(try directory.read(name) == content) }
        #expect(server.requests.dropFirst(3).allSatisfy { $0.headers["Range"] == "bytes=40000-" })
        #expect(directory.names == ["0", "1", "2", "done"])
    }

    @Test func `a cancelled task gets what has ended, and that the others were cancelled`() async throws {
        let arrived = Event()
        let (server, _) = try stalling(arrived)
        let list = requests(server, 6)
        let downloads = client.downloads(of: list, maxConcurrent: 2)
        let task = Task { await downloads.all() }
        await arrived.happened(2)
        task.cancel()
        let all = await task.value
        #expect(all.count == 6)
        for result in all { guard case .cancelled? = result.failure else { return #expect(Bool(false), "\(result)") } }
        #expect(server.requestCount == 2)
    }

    @Test func `a task that is cancelled before sends nothing`() async throws {
        let server = try MockServer { .text($0.path) }
        let list = requests(server, 3)
        let all = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await client.downloads(of: list, maxConcurrent: 2).all()
        }.value
        #expect(all.count == 3 && all.allSatisfy { $0.value == nil } && server.requestCount == 0)
    }

    @Test func `a token around a blocking loop cancels them, too`() async throws {
        let arrived = Event()
        let (server, _) = try stalling(arrived)
        let downloads = client.downloads(of: requests(server, 6), maxConcurrent: 2)
        let token = CancellationToken()
        let loop = Task { await onThread { token.run { downloads.blocking.all() } } }
        await arrived.happened(2)
        token.cancel()
        let all = await loop.value
        #expect(all.count == 6)
        for result in all { guard case .cancelled? = result.failure else { return #expect(Bool(false), "\(result)") } }
        #expect(server.requestCount == 2)
    }

    @Test func `a client that ignores cancellation does not hold the loop`() async {
        let gated = GatedClient()
        let list = (0..<3).map { DownloadRequest(.get("http://a.example/\($0)"), to: directory.file("\($0)")) }
        let task = Task { await gated.downloads(of: list, maxConcurrent: 1).all() }
        await gated.arrived.happened()
        task.cancel()
        let all = await task.value
        for result in all { guard case .cancelled? = result.failure else { return #expect(Bool(false), "\(result)") } }
        #expect(all.count == 3 && gated.served.withLock { $0 } == ["/0"])
        gated.gate.signal()
    }

    @Test func `none begins once the loop is cancelled, whatever the client heeds`() async {
        let token = CancellationToken()
        let count = Locked(0)
        let stub = StubClient { request in
            count.withLock { $0 += 1 }
            token.cancel()
            return .success(Response(request: request, status: .ok))
        }
        let list = (0..<3).map { DownloadRequest(.get("http://a.example/\($0)"), to: directory.file("\($0)")) }
        let downloads = stub.downloads(of: list, maxConcurrent: 1)
        let all = await onThread { token.run { downloads.blocking.all() } }
        #expect(all.count == 3 && count.withLock(\.self) == 1)
        for result in all[1...] { guard case .cancelled? = result.failure else { return #expect(Bool(false)) } }
    }

    // MARK: Names

    @Test(arguments: [false, true], Style.allCases)
    func `what the server gives the same name is kept under numbers`(replacing: Bool, style: Style) async throws {
        let server = try MockServer { request in
            MockResponse.text(request.path).header("Content-Disposition", "attachment; filename=a.txt")
        }
        _ = try directory.write(Array("old".utf8), to: "a.txt")
        var list = requests(server, 8, to: directory.path)
        for index in list.indices { list[index].isReplacing = replacing }
        let ended = await made(client.downloads(of: list, maxConcurrent: 8), style)
        for download in ended {
            let name = try download.result.get().path.split(separator: "/").last.map(String.init) ?? ""
            #expect(read(name) == "/\(download.index)", "\(name)")
        }
        #expect(directory.names.count == (replacing ? 8 : 9) && directory.names.contains("a (8).txt"))
        #expect((read("a.txt") == "old") == !replacing)
        #expect(server.requestCount == 8)
    }

    @Test func `one URL into one directory runs one after the other`() async throws {
        let server = try MockServer { .text($0.headers["X-Number"] ?? "") }
        let list = (0..<6).map { number in
            DownloadRequest(
                .get(server.url("/a.txt")) |> .header("X-Number", "\(number)"),
                to: .directory(number % 2 == 0 ? directory.path : directory.path + "/."))
        }
        let all = await client.downloads(of: list, maxConcurrent: 6).all()
        #expect(try all.map { try $0.get().byteCount } == Array(repeating: 1, count: 6))
        let names = ["a.txt"] + (2...6).map { "a (\($0)).txt" }
        let numbers = (0..<6).map { "\($0)" }
        // At once they would wait for the lock of their part, and come in any order.
        #expect(names.map(read) == numbers && server.requests.map { $0.headers["X-Number"] } == numbers)
    }

    @Test func `a path that is listed twice is an error of the later one, and not sent`() async throws {
        let server = try MockServer { .text($0.path) }
        var list = requests(server, 2)
        list.append(DownloadRequest(.get(server.url("/2")), to: directory.path + "/./0"))
        list.append(DownloadRequest(.get(server.url("/3")), to: URL(filePath: directory.file("1")), replacing: true))
        let all = await client.downloads(of: list).all()
        #expect(all.map { $0.value != nil } == [true, true, false, false])
        for result in all[2...] {
            guard case .invalidRequest(let problem)? = result.failure else { return #expect(Bool(false)) }
            #expect("\(problem)".contains("an earlier download of the list has the path"), "\(problem)")
        }
        #expect(directory.names == ["0", "1"] && read("0") == "/0" && read("1") == "/1")
        #expect(Set(server.requests.map(\.path)) == ["/0", "/1"])
    }

    @Test func `a name of the server's is never the path of another download of the list`() async throws {
        let named = Event()
        let server = try MockServer { request in
            if request.path == "/first" { named.block() }
            return MockResponse.text(request.path).header("Content-Disposition", "attachment; filename=a.txt")
        }
        let list = [
            DownloadRequest(.get(server.url("/first")), to: directory.file("a.txt")),
            DownloadRequest(.get(server.url("/second")), to: .directory(directory.path), replacing: true),
        ]
        for await download in client.downloads(of: list) {
            _ = try download.result.get()
            named.signal()
        }
        #expect(read("a.txt") == "/first" && read("a (2).txt") == "/second" && directory.names.count == 2)
    }

    // MARK: Progress

    @Test func `progress says of which download it is, from its first bytes to its end`() async throws {
        let server = try MockServer { request in
            .data([UInt8](repeating: 7, count: 1000 * (Int(request.path.dropFirst()) ?? 0) + 1000))
        }
        let reports = Locked<[Int: [TransferProgress]]>([:])
        let downloads = client.downloads(of: requests(server, 4), maxConcurrent: 2) { index, progress in
            reports.withLock { $0[index, default: []].append(progress) }
        }
        #expect(await downloads.all().allSatisfy { $0.value != nil })
        for (index, reports) in reports.withLock(\.self) {
            let count = Int64(1000 * index + 1000)
            #expect(reports.allSatisfy { $0.total == count })
            #expect(reports.last == TransferProgress(bytes: count, total: count, isFinished: true))
            #expect(reports.filter(\.isFinished).count == 1)
        }
        #expect(reports.withLock { $0.keys.sorted() } == [0, 1, 2, 3])
        #expect(server.requestCount == 4)
    }
}
