import TestSupport
@testable import HTTPCaching
import Foundation
import HTTPSupport
import HTTPTesting
import Synchronization
import Testing

import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whatever is in the directory of a cache, a call gets the server's response or an intact stored one.
@Suite struct DiskCacheStoreTests {
    private let scratch: ScratchDirectory
    private let path: String
    private let server = ScriptedClient { request in
        .success(
            Response(
                request: request, status: .ok, headers: ["Cache-Control": "max-age=60"],
                body: Data(repeating: 7, count: request.url.path == "/big" ? 200_000 : 1000)))
    }

    init() throws {
        scratch = try ScratchDirectory()
        path = scratch.file("cache")
    }

    private func client() -> any HTTPClient { server.intercepted(by: .cache(.directory(path, megabytes: 2))) }

    /// The file of the response stored just now.
    private func stored(_ url: String = "http://h/a") throws -> String {
        _ = try client().send(.get(url))
        let name = CacheDirectory.name(of: CacheKey(try HTTPURL(url)))
        return "\(path)/\(name).0"
    }

    private func bytes(_ file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file))) }
    private func write(_ bytes: [UInt8], _ file: String) throws {
        try Data(bytes).write(to: URL(filePath: file))
        _ = chmod(file, 0o600)
    }

    /// Whether the next call is sent. In either case its body must be complete.
    private func asksAgain(_ url: String = "http://h/a") throws -> Bool {
        let before = server.requests.count
        let response = try client().send(.get(url))
        #expect(response.body == Data(repeating: 7, count: url.hasSuffix("big") ? 200_000 : 1000))
        return server.requests.count > before
    }

    @Test func `another process finds a stored response with all its data`() throws {
        let file = try stored()
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(try !asksAgain())
        #expect(FileManager.default.subpaths(atPath: path)?.contains { $0.hasSuffix(".new") } == false)
    }

    // MARK: A directory that changes while it is in use

    private func call(_ client: any HTTPClient) throws -> CacheStatus {
        let response = try client.send(.get("http://h/a"))
        #expect(response.body == Data(repeating: 7, count: 1000))
        return try #require(response.cacheStatus)
    }

    @Test func `a directory that was removed is made anew`() throws {
        let cache = HTTPCache.directory(path)
        let client = server.intercepted(by: .cache(cache))
        #expect(try call(client).isStored)
        try FileManager.default.removeItem(atPath: path)
        let status = try call(client)
        #expect(!status.isHit && status.isStored && cache.problem == nil)
        #expect(try call(client).isHit && server.requests.count == 2)
    }

    @Test func `a directory replaced by something else is left alone until it can be trusted again`() throws {
        let cache = HTTPCache.directory(path)
        let client = server.intercepted(by: .cache(cache))
        #expect(try call(client).isStored)
        try FileManager.default.removeItem(atPath: path)
        try Data("theirs".utf8).write(to: URL(filePath: path))
        let status = try call(client)
        #expect(status.forward == .bypass && !status.isStored)
        #expect(status.detail?.contains("is not a directory") == true && cache.problem == status.detail)
        #expect(try bytes(path) == Array("theirs".utf8))
        try FileManager.default.removeItem(atPath: path)
        #expect(try call(client).isStored && call(client).isHit)
        _ = chmod(path, 0o777)
        #expect(try call(client).detail?.contains("others may write") == true)
        _ = chmod(path, 0o700)
        #expect(try call(client).isHit && server.requests.count == 4)
    }

    @Test func `what cannot be stored is not called stored`() throws {
        let path = path
        let spoiling = ScriptedClient { request in
            try? FileManager.default.removeItem(atPath: path)
            try? Data().write(to: URL(filePath: path))
            return .success(
                Response(request: request, status: .ok, headers: ["Cache-Control": "max-age=60"], body: Data("a".utf8)))
        }
        let response = try spoiling.intercepted(by: .cache(.directory(path))).send(.get("http://h/a"))
        #expect(try response.text() == "a" && response.cacheStatus?.isStored == false)
        #expect(response.cacheStatus?.detail?.contains("is not a directory") == true)
        #expect(response.cacheStatus?.timeToLive == nil)
    }

    @Test func `a pin is removed although its response is gone`() throws {
        let file = try stored()
        let (cache, url) = (HTTPCache.directory(path), try HTTPURL("http://h/a"))
        #expect(cache.pin(url))
        try FileManager.default.removeItem(atPath: file)
        #expect(!cache.unpin(url))
        #expect(try asksAgain() && cache.entries.map(\.isPinned) == [false])
    }

    @Test func `bodies that are being received take no more than the cache may`() throws {
        let store = DiskCacheStore(path, capacity: 1_000_000)
        let key = CacheKey(try HTTPURL("http://h/a"))
        let writers = try (0..<8).map { _ in try #require(store.makeWriter(for: key)) }
        for _ in 0..<24 {
            for writer in writers { [UInt8](repeating: 1, count: 10_000).withUnsafeBytes { writer.write($0) } }
            let sizes = try FileManager.default.contentsOfDirectory(atPath: path).map { name in
                try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0
            }
            let size: Int = sizes.reduce(0, +)
            let limit: Int = 1_000_000 + 8 * 40
            #expect(size <= limit)
        }
    }

    @Test(arguments: ["http://h/a", "http://h/big"])
    func `a file truncated anywhere is not used`(url: String) throws {
        let file = try stored(url)
        let whole = try bytes(file)
        for count in [0, 1, 39, 40, 41, whole.count / 2, whole.count - 1] {
            try write(Array(whole.prefix(count)), file)
            #expect(try asksAgain(url), "\(count) bytes")
        }
        try write(whole + [0], file)
        #expect(try asksAgain(url))
    }

    @Test(arguments: ["http://h/a", "http://h/big"])
    func `a file with a flipped bit is not used`(url: String) throws {
        let file = try stored(url)
        let whole = try bytes(file)
        for place in Array(0..<48) + (0..<60).map({ _ in Int.random(in: whole.indices) }) + [whole.count - 1] {
            var damaged = whole
            damaged[place] ^= 1 << UInt8.random(in: 0..<8)
            try write(damaged, file)
            #expect(try asksAgain(url), "at \(place)")
        }
    }

    @Test func `a file of another version, of another URL or of noise is not used`() throws {
        let file = try stored()
        var older = try bytes(file)
        older[7] = 0
        try write(older, file)
        #expect(try asksAgain())
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: stored("http://h/b"), toPath: file)
        #expect(try asksAgain())
        try write((0..<5000).map { _ in .random(in: 0...255) }, file)
        #expect(try asksAgain())
    }

    @Test func `planted links are not followed, and nothing outside the directory changes`() throws {
        let file = try stored()
        let secret = try scratch.write(Array("secret".utf8), to: "secret")
        try FileManager.default.moveItem(atPath: file, toPath: scratch.file("kept"))
        _ = chmod(scratch.file("kept"), 0o600)
        for target in [scratch.file("kept"), secret, "/nowhere"] {
            try? FileManager.default.removeItem(atPath: file)
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
            #expect(try asksAgain(), "\(target)")
        }
        #expect(try scratch.read("secret") == Array("secret".utf8))
        // A pipe without a writer.
        try? FileManager.default.removeItem(atPath: file)
        #expect(mkfifo(file, 0o600) == 0)
        #expect(try asksAgain())
        // A directory, which stays: the next name is used.
        try? FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        #expect(try asksAgain())
        #expect(try !asksAgain())
    }

    @Test func `a file that others can read or write is not trusted`() throws {
        let file = try stored()
        for mode in [0o644, 0o620, 0o602] as [mode_t] {
            #expect(chmod(file, mode) == 0)
            #expect(try asksAgain())
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to give files away"))
    func `a file of another user is not trusted`() throws {
        let file = try stored()
        #expect(chown(file, 12345, 12345) == 0)
        #expect(try asksAgain())
        #expect(chown(path, 12345, 12345) == 0)
        let cache = HTTPCache.directory(path)
        #expect(cache.problem?.contains("belongs to user 12345") == true)
    }

    @Test func `a directory that others can write to is not used`() throws {
        _ = try stored()
        #expect(chmod(path, 0o777) == 0)
        #expect(HTTPCache.directory(path).problem?.contains("others may write") == true)
        #expect(HTTPCache.directory("").problem != nil && HTTPCache.directory("a\0b").problem != nil)
        #expect(HTTPCache.directory(try scratch.write([1], to: "file") + "/x").problem != nil)
    }

    @Test func `permissions that stay those of others are a problem, and nothing is asked of the cache`() throws {
        let cache = HTTPCache.directory(path)
        let client = server.intercepted(by: .cache(cache))
        #expect(try call(client).isStored && cache.problem == nil)
        try FileManager.default.removeItem(atPath: "\(path)/marks")
        #expect(mkdir("\(path)/marks", 0o755) == 0)
        #expect(cache.problem?.contains("keeps permissions") == true)
        #expect(try call(client).detail == cache.problem && server.requests.count == 2)
        #expect(rmdir("\(path)/marks") == 0)
        #expect(try call(client).isHit && cache.problem == nil)
    }

    @Test func `a cache whose files were opened to others makes them private, and stores its responses anew`() throws {
        let file = try stored()
        for name in [file, "\(path)/marks"] { #expect(chmod(name, 0o644) == 0) }
        let cache = HTTPCache.directory(path)
        let client = server.intercepted(by: .cache(cache))
        #expect(try call(client).isStored && call(client).isHit && server.requests.count == 2)
        for name in [file, "\(path)/marks"] {
            var status = stat()
            #expect(stat(name, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        #expect(cache.problem == nil)
    }

    @Test func `files with other names are left alone, even when all responses are removed`() throws {
        _ = try stored()
        for name in ["README", "a.0", "0.pin"] { try write([1, 2, 3], "\(path)/\(name)") }
        let cache = HTTPCache.directory(path)
        #expect(cache.entries.count == 1)
        cache.removeAll()
        #expect(cache.entries.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: path).filter { !["lock", "marks"].contains($0) }
                .sorted() == [
                    "0.pin", "README", "a.0",
                ])
    }

    @Test func `it keeps its size limit, and the most recently used files`() throws {
        let cache = HTTPCache.directory(path, megabytes: 1)
        let client = server.intercepted(by: .cache(cache))
        for number in 0..<20 { _ = try client.send(.get("http://h/\(number)/big")) }
        #expect(try sizeOfDirectory() <= (1 << 20) * 17 / 16)
        for number in 0..<1500 { _ = try client.send(.get("http://h/\(number)")) }
        #expect(try sizeOfDirectory() <= (1 << 20) * 17 / 16 && cache.entries.count > 200)
        #expect(try call(client).isStored && call(client).isHit)
    }

    /// On a disk that gives each file whole blocks.
    private func sizeOfDirectory() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "marks" }.reduce(0) { sum, name in
            let size = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.size] as? Int ?? 0
            return sum + (size + 4095) / 4096 * 4096
        }
    }

    @Test func `bodies of a quarter of its size keep its limit, and pinned ones beyond it are not stored`() throws {
        let server = ScriptedClient { request in
            .success(
                Response(
                    request: request, status: .ok, headers: ["Cache-Control": "max-age=60"],
                    body: Data(repeating: 7, count: 260_000)))
        }
        let cache = HTTPCache.directory(path, megabytes: 1)
        let client = server.intercepted(by: .cache(cache))
        let limit = (1 << 20) * 17 / 16
        for number in 0..<8 {
            #expect(try client.send(.get("http://h/\(number)")).cacheStatus?.isStored == true)
            #expect(try sizeOfDirectory() <= limit)
        }
        var isStored: [Bool] = []
        for number in 8..<16 {
            isStored.append(try client.send(.get("http://h/\(number)")).cacheStatus?.isStored == true)
            _ = cache.pin(try HTTPURL("http://h/\(number)"))
            #expect(try sizeOfDirectory() <= limit)
        }
        #expect(isStored == [true, true, true, true, false, false, false, false])
        #expect(cache.unpin(try HTTPURL("http://h/8")))
        #expect(try client.send(.get("http://h/16")).cacheStatus?.isStored == true, "there is room again")
    }

    @Test func `a cache of the largest size takes a body above a megabyte`() throws {
        let server = ScriptedClient { request in
            .success(
                Response(
                    request: request, status: .ok, headers: ["Cache-Control": "max-age=60"], body: Data(count: 2 << 20))
            )
        }
        let client = server.intercepted(by: .cache(.directory(path, megabytes: .max)))
        for isHit in [false, true] { #expect(try client.send(.get("http://h/a")).cacheStatus?.isHit == isHit) }
    }

    @Test func `leftovers of a killed process are removed, and files being written stay`() throws {
        let cache = HTTPCache.directory(path, megabytes: 1)
        let client = server.intercepted(by: .cache(cache))
        let store = try #require(cache.store as? DiskCacheStore)
        try write([1], "\(path)/.left.new")
        try write([1], "\(path)/.begun.new")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: "\(path)/.left.new")
        let writer = try #require(store.makeWriter(for: CacheKey(HTTPURL("http://h/x"))))
        for number in 0..<300 { _ = try client.send(.get("http://h/\(number)")) }
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".new") }
        // The writer's file, and one that another writer may not have locked yet.
        #expect(names.count == 2 && names.contains(".begun.new") && !names.contains(".left.new"))
        withExtendedLifetime(writer) {}
    }

    @Test func `a time that is still to come is no use, and keeps no leftover`() throws {
        let cache = HTTPCache.directory(path, megabytes: 1)
        let client = server.intercepted(by: .cache(cache))
        let file = try stored()
        try write([1], "\(path)/.left.new")
        for name in [file, "\(path)/.left.new"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 86_400)], ofItemAtPath: name)
        }
        for number in 0..<300 { _ = try client.send(.get("http://h/\(number)")) }
        #expect(!FileManager.default.fileExists(atPath: "\(path)/.left.new"))
        #expect(!FileManager.default.fileExists(atPath: file) && cache.entries.count > 200)
    }

    // MARK: Descriptors

    private func confirming(_ fields: HTTPHeaders) -> ScriptedClient {
        ScriptedClient { request in
            let isFirst = request.headers["If-None-Match"] == nil
            return .success(
                Response(
                    request: request, status: isFirst ? .ok : .notModified,
                    headers: isFirst ? ["Cache-Control": "max-age=0", "ETag": "\"1\""] : fields,
                    body: isFirst ? Data(repeating: 7, count: 200_000) : Data()))
        }
    }

    @Test(.enabled(if: ScratchDirectory.showsOpenFiles, "needs /proc/self/fd"))
    func `what was found keeps no file open until it is read`() throws {
        _ = try stored("http://h/big")
        let store = DiskCacheStore(path, capacity: 1 << 21)
        let found = store.entries(for: CacheKey(try HTTPURL("http://h/big")))
        #expect(found.count == 1 && scratch.openFiles.isEmpty)
        #expect(found.first?.body.data(0..<200_000) == Data(repeating: 7, count: 200_000))
        #expect(scratch.openFiles.isEmpty)
    }

    enum Change: CaseIterable { case removed, replaced, damaged }

    /// A client whose cache another process changes during its next look.
    private func client(_ server: ScriptedClient, _ change: Change) throws -> any HTTPClient {
        let store = LateStore(isImmediate: false, DiskCacheStore(path, capacity: 1 << 21))
        let client = server.intercepted(by: .cache(HTTPCache(store)))
        _ = try client.send(.get("http://h/a"))
        let file = "\(path)/\(CacheDirectory.name(of: CacheKey(try HTTPURL("http://h/a")))).0"
        let other = ScriptedClient { request in
            .success(
                Response(
                    request: request, status: .ok, headers: ["Cache-Control": "max-age=60"],
                    body: Data(repeating: 8, count: 200_000)))
        }
        let process = other.intercepted(by: .cache(.directory(path, megabytes: 2)))
        store.duringNextLook {
            switch change {
            case .removed: _ = unlink(file)
            case .damaged: _ = truncate(file, 100_000)
            case .replaced: _ = process.executeRequest(.get("http://h/a") |> .header("Cache-Control", "no-cache"))
            }
        }
        return client
    }

    @Test(arguments: Change.allCases)
    func `what another process changes between look-up and delivery is asked for`(_ change: Change) throws {
        let server = confirming([:])
        let client = try client(server, change)
        let response = try client.send(.get("http://h/a") |> .header("Cache-Control", "max-stale"))
        #expect(response.body == Data(repeating: 7, count: 200_000) && response.cacheStatus?.isFromStore == false)
        #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, nil])
    }

    @Test(arguments: Change.allCases)
    func `a stream has one head, of the response whose body it gets`(_ change: Change) throws {
        let server = ScriptedClient(
            { .success(Self.response(to: $0, "\"1\"", Data(repeating: 7, count: 200_000))) },
            { request in
                let response = Self.response(to: request, "\"2\"", Data())
                let sink = try? request.destination.open(ResponseStart(response))
                try? [UInt8](repeating: 9, count: 10).withUnsafeBytes { try sink?.write($0) }
                try? sink?.finish()
                return .success(response)
            })
        let client = try client(server, change)
        let (tags, bytes) = (Notes<String?>(), Notes<UInt8?>())
        let stream = BodyDestination.stream { start in
            tags.note(start.headers["ETag"])
            return BodySink { piece in bytes.note(piece.first) }
        }
        let draft: MutableRequest = .get("http://h/a") |> .header("Cache-Control", "max-stale")
        #expect(try client.send(draft |> .destination(stream)).headers["ETag"] == "\"2\"")
        #expect(tags.all == ["\"2\""] && Set(bytes.all) == [9])
        #expect(server.requests.count == 2)
    }

    private static func response(to request: Request, _ tag: String, _ body: Data) -> Response {
        Response(request: request, status: .ok, headers: ["Cache-Control": "max-age=0", "ETag": tag], body: body)
    }

    private final class BackgroundCall: PolicyCall {
        let clock = CallClock(
            now: { .now }, unixTime: { CacheFixture.now + 1 }, sleep: { _, _, _ in false }, isSimulated: true)
        var isCancelled: Bool { false }
        var canSendInBackground: Bool { true }
    }

    @Test(arguments: [true, false])
    func `a stale response is read before the request that validates it is sent`(isFile: Bool) throws {
        let store = DiskCacheStore(path, capacity: 1 << 21)
        let stale = try CacheFixture.stored(
            ["Cache-Control": "max-age=0, stale-while-revalidate=60"], byteCount: 200_000)
        _ = store.insert(stale, Data(repeating: 7, count: 200_000))
        var run = PolicyRun([CachePolicy(HTTPCache(store))], BackgroundCall())
        let copy = scratch.file("copy")
        var effect = run.start(
            try Request(.get(CacheFixture.url) |> .destination(isFile ? .file(copy) : .memory)))
        var requests = 0
        while true {
            switch effect {
            case .run(let work, deadline: _): work.run()
            case .sendInBackground:
                requests += 1
                let new = try CacheFixture.stored(["Cache-Control": "max-age=60"], at: 1, byteCount: 200_000)
                #expect(store.insert(new, Data(repeating: 8, count: 200_000)) != nil)
            case .send, .wait:
                Issue.record("it waits for the server")
                return
            case .finish(let outcome):
                let response = try outcome.get()
                let body = isFile ? try Data(contentsOf: URL(filePath: copy)) : response.body
                #expect(body == Data(repeating: 7, count: 200_000) && response.cacheStatus?.isHit == true)
                #expect(requests == 1)
                return
            }
            effect = run.resume()
        }
    }

    @Test func `a body that was replaced is not taken for the one that was found, and stays`() throws {
        let store = DiskCacheStore(path, capacity: 1 << 21)
        let old = try CacheFixture.stored([:], byteCount: 200_000)
        _ = store.insert(old, Data(repeating: 7, count: 200_000))
        let found = try #require(store.entries(for: old.key).first)
        _ = store.insert(try CacheFixture.stored([:], byteCount: 200_000), Data(repeating: 8, count: 200_000))
        #expect(found.body.data(0..<200_000) == nil)
        #expect(store.entries(for: old.key).map { $0.body.data(0..<10) } == [Data(repeating: 8, count: 10)])
    }

    @Test(arguments: [[:], ["Vary": "A"], ["Vary": "*"], ["Cache-Control": "no-store"]] as [HTTPHeaders])
    func `a file that a 304 confirms is delivered, also if that moves or removes it`(fields: HTTPHeaders) throws {
        let server = confirming(fields)
        let cache = HTTPCache.directory(path, megabytes: 2)
        let client = server.intercepted(by: .cache(cache))
        for _ in 0..<2 {
            let response = try client.send(.get("http://h/big"))
            #expect(response.body == Data(repeating: 7, count: 200_000) && response.status == .ok)
        }
        #expect(server.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
        let isKept = fields["Vary"] != "*" && !fields.contains("Cache-Control")
        #expect(cache.entries.count == (isKept ? 1 : 0))
        if ScratchDirectory.showsOpenFiles { #expect(scratch.openFiles.isEmpty) }
    }

    @Test func `a removal of everything is done once, however many look at the cache meanwhile`() throws {
        let store = DiskCacheStore(path, capacity: 1 << 20)
        let response = try CacheFixture.stored([:])
        let isOver = Atomic(false)
        let threads = (0..<12).map { _ in
            TestThread { while !isOver.load(ordering: .relaxed) { store.check() } }
        }
        for _ in 0..<100 {
            store.removeAll()
            #expect(store.insert(response, Data(count: 10)) != nil)
            guard store.entries(for: response.key).isEmpty else { continue }
            Issue.record("it was removed again")
            break
        }
        isOver.store(true, ordering: .relaxed)
        for thread in threads { thread.join() }
    }

    @Test func `what cannot be removed for lack of descriptors is not used, and is removed when there are some`() async
    {
        await #expect(processExitsWith: .success) { recordingErrors { try removeWithoutDescriptors() } }
    }

    @Test func `of many variants the newest are kept, and contain no credentials`() throws {
        let server = ScriptedClient { request in
            .success(
                Response(
                    request: request, status: .ok, headers: ["Cache-Control": "max-age=60", "Vary": "A"],
                    body: Data((request.headers["A"] ?? "").utf8)))
        }
        let cache = HTTPCache.directory(path)
        let client = server.intercepted(by: .cache(cache))
        for number in 0..<20 {
            let request = MutableRequest.get("http://h/a") |> .header("A", "\(number)") |> .bearer("s3cret-token")
            #expect(try client.send(request).text() == "\(number)")
        }
        #expect(cache.entries.count == CacheDirectory.slotCount)
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let content = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
            #expect(content.range(of: Data("s3cret".utf8)) == nil)
        }
    }

    @Test func `heads are read as written, and anything else is refused`() throws {
        var metrics = Metrics()
        metrics.remoteAddress = "::1"
        metrics.total = .milliseconds(5)
        let request = try CacheFixture.request(["A": "x", "Authorization": "y"])
        let headers: HTTPHeaders = ["Vary": "A, B", "X": "ü", "x": ""]
        let response = CachedResponse(
            key: request.key, variant: try #require(CacheVariant(headers, answering: request)), status: 299,
            reason: "Fine",
            version: .http2, headers: headers, requestTime: 1.5, responseTime: 2.5, metrics: metrics, bodyByteCount: 3)
        let head = CacheFileFormat.head(response)
        let read = try #require(CacheFileFormat.response(head[...]))
        #expect(read.headers == headers && read.variant == response.variant.digested && read.metrics == metrics)
        #expect(read.status == 299 && read.reason == "Fine" && read.version == .http2 && read.key == request.key)
        #expect(read.requestTime == 1.5 && read.responseTime == 2.5 && read.bodyByteCount == 3)
        for count in head.indices { #expect(CacheFileFormat.response(head[..<count]) == nil) }
        for _ in 0..<2000 {
            var damaged = head
            for _ in 0..<3 { damaged[Int.random(in: damaged.indices)] = .random(in: 0...255) }
            _ = CacheFileFormat.response(damaged[...])
        }
    }

    @Test(arguments: [1e300, -1e300, .infinity, .nan])
    func `a head with a time that no clock shows is refused`(time: Double) throws {
        let request = try CacheFixture.request()
        let variant = CacheVariant(fields: [], authorization: nil)
        for (requested, responded) in [(time, 1), (1, time)] {
            let response = CachedResponse(
                key: request.key, variant: variant, status: .ok, reason: "", version: .http1_1, headers: [:],
                requestTime: requested, responseTime: responded, metrics: Metrics(), bodyByteCount: 0)
            #expect(CacheFileFormat.response(CacheFileFormat.head(response)[...]) == nil)
        }
    }

    @Test func `a checksum depends on the bytes, not on their pieces`() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let whole = bytes.withUnsafeBytes(Checksum.of)
        for size in [1, 3, 31, 32, 33, 64, 999] {
            var sum = Checksum()
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { sum.add($0) }
            }
            #expect(sum.value == whole, "\(size)")
        }
        for place in bytes.indices {
            var other = bytes
            other[place] ^= 1
            #expect(other.withUnsafeBytes(Checksum.of) != whole)
        }
        #expect((bytes + [0]).withUnsafeBytes(Checksum.of) != whole)
    }
}

/// In a process of its own.
private func removeWithoutDescriptors() throws {
    let scratch = try ScratchDirectory()
    let cache = HTTPCache.directory(scratch.file("cache"))
    let server = ScriptedClient { request in
        let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
        return .success(Response(request: request, status: .ok, headers: headers, body: Data("a".utf8)))
    }
    let client = server.intercepted(by: .cache(cache))
    for isHit in [false, true] { #expect(try client.send(.get("http://h/a")).cacheStatus?.isHit == isHit) }
    let key = CacheKey(try HTTPURL("http://h/a"))
    let mark = cache.store.mark(of: key)
    var usual = rlimit()
    getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &usual)
    var limit = usual
    // One is left, to count the removal.
    let free = open("/dev/null", O_RDONLY)
    _ = close(free)
    limit.rlim_cur = numericCast(free + 1)
    setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
    cache.removeAll()
    #expect(cache.problem?.contains("cannot be listed") == true && cache.entries.isEmpty)
    #expect(mark == cache.store.mark(of: key))
    #expect(try client.send(.get("http://h/a")).cacheStatus?.detail?.contains("cannot be listed") == true)
    setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &usual)
    #expect(try client.send(.get("http://h/a")).cacheStatus?.isStored == true && server.requests.count == 3)
    #expect(cache.store.mark(of: key) == mark + 1 << 32)
    #expect(cache.problem == nil && cache.entries.count == 1)
}
