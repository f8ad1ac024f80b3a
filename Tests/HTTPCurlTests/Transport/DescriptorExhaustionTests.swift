import TestSupport
import Foundation
import HTTPMockServer
import HTTPSupport
import HTTPTesting
import Testing

import HTTPCore
import HTTPCurl

/// The errors when the process has no file descriptor left. Each test runs in its own process.
@Suite(.timeLimit(.minutes(5))) struct DescriptorExhaustionTests {
    @Test func `a call without a descriptor for its connection says so, and a later one with descriptors succeeds`()
        async
    {
        await #expect(processExitsWith: .success) { recordingErrors { try connectWithoutDescriptors() } }
    }

    @Test func `without a descriptor the idle connections are closed first, and the call is made`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try connectInsteadOfIdle(batched: false) } }
    }

    @Test func `batched calls close the idle connections of their loop`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try connectInsteadOfIdle(batched: true) } }
    }

    @Test func `streams of one connection do not keep the idle connections beside it open`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try connectBesideStreams() } }
    }

    @Test func `a thread waits for the descriptors that another closes`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try connectAtOnce() } }
    }

    @Test func `a name that cannot be looked up for lack of descriptors is no unknown host`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try resolveWithFewDescriptors() } }
    }

    @Test func `a call over TLS without a descriptor for the authorities says so`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try connectWithoutFileOfAuthorities() } }
    }

    @Test func `an idempotency key is random without a descriptor, too`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try makeKeysWithoutDescriptors() } }
    }

    @Test func `a file that cannot be opened for lack of a descriptor says so`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try uploadWithoutDescriptors() } }
    }
}

private func connectWithoutDescriptors() throws {
    let server = try MockServer { _ in .text("ok") }
    let client = try directTransport()
    // To the server itself, and to a name that must be resolved first.
    for draft in [.get(server.url), .get("http://name.invalid:\(server.port)/")] as [MutableRequest] {
        let result = withoutDescriptors { client.executeRequest(draft |> .timeout(.seconds(10))) }
        guard case .failure(.connection(let failure)) = result else { throw Refusal("\(result)") }
        #expect(failure.reason == .outOfDescriptors)
        #expect(!failure.mayHaveBeenProcessed)
        let text = "\(HTTPError.connection(failure))"
        #expect(text.contains("no file descriptors left: raise its limit (ulimit -n), or make fewer calls"), "\(text)")
        #expect(!text.contains("network") && !text.contains("spelling"), "\(text)")
        #expect(server.requestCount == 0)
    }
    #expect(try client.executeRequest(.get(server.url)).get().text() == "ok")
    #expect(server.requestCount == 1)
}

private func connectInsteadOfIdle(batched: Bool) throws {
    let servers = try (0..<6).map { number in try MockServer { _ in .text("\(number)") } }
    let client = try directTransport()
    func results(_ servers: [MockServer]) -> [Result<Response, HTTPError>] {
        let drafts = servers.map { .get($0.url("/")) |> .timeout(.seconds(10)) }
        return batched ? client.executeRequests(drafts) : drafts.map(client.executeRequest)
    }
    // One batch: a loop keeps as many idle connections as calls have run at once. A server may close its end later.
    for result in results(servers.dropLast()) { _ = try result.get() }
    // The kept connections of all servers, on both sides, and no other descriptors.
    #expect(servers.map(\.openConnectionCount) == [1, 1, 1, 1, 1, 0])
    let last = servers[5]
    let found = withTakenDescriptors { results([last]) }
    #expect(try found[0].get().text() == "5")
    #expect(last.requestCount == 1)
}

private func connectBesideStreams() throws {
    let isAsked = Signal()
    let last = try MockServer { _ in
        isAsked.fire()
        return .text("last")
    }
    let streams = try MockServer(security: .tls(), versions: [.http2, .http1_1]) { request in
        if request.path == "/held" { _ = isAsked.wait(until: .now + .seconds(10)) }
        return .text("stream")
    }
    let idle = try (0..<5).map { _ in try MockServer { _ in .text("ok") } }
    var configuration = CurlConfiguration()
    configuration.tls.authorities = try #require(streams.certificateAuthority).trust
    let client = try CurlTransport(configuration)
    func get(_ url: String) -> MutableRequest { .get(url) |> .timeout(.seconds(10)) }
    let first = idle.map { get($0.url("/")) } + [get(streams.url("/"))]
    for result in client.executeRequests(first) { _ = try result.get() }
    #expect(idle.map(\.openConnectionCount) + [streams.openConnectionCount] == [1, 1, 1, 1, 1, 1])
    let drafts = Array(repeating: get(streams.url("/held")), count: 8) + [get(last.url("/"))]
    let results = withTakenDescriptors { client.executeRequests(drafts) }
    #expect(try results.map { try $0.get().text() } == Array(repeating: "stream", count: 8) + ["last"])
    #expect(streams.connectionCount == 1)
}

private func connectAtOnce() throws {
    let servers = try (0..<32).map { _ in try MockServer { _ in .text("ok") } }
    let client = try directTransport()
    for server in servers.dropLast(8) {
        _ = try client.executeRequest(.get(server.url("/")) |> .timeout(.seconds(10))).get()
    }
    let texts = Locked<[String]>([])
    withTakenDescriptors {
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let result = client.executeRequest(.get(servers[24 + number].url("/")) |> .timeout(.seconds(10)))
            let text = result.map { String(decoding: $0.body, as: UTF8.self) }
            texts.withLock { $0.append((try? text.get()) ?? "\(text)") }
        }
    }
    #expect(texts.withLock(\.self) == Array(repeating: "ok", count: 8))
}

private func resolveWithFewDescriptors() throws {
    let draft = MutableRequest.get("http://name.invalid/") |> .timeout(.seconds(10))
    // What a look-up loads is kept.
    let usual = try directTransport().executeRequest(draft)
    // The name server of this machine does not answer.
    if case .failure(.timedOut(let failure)) = usual, failure.phase == .resolving { return }
    guard case .failure(.resolution) = usual else { throw Refusal("\(usual)") }
    for spare in 0..<6 {
        let result = try withTakenDescriptors(but: spare) { try directTransport().executeRequest(draft) }
        guard case .failure(.connection(let failure)) = result, failure.reason == .outOfDescriptors else {
            throw Refusal("with \(spare): \(result)")
        }
    }
}

/// The server accepts nothing, which would take a descriptor, too.
private func connectWithoutFileOfAuthorities() throws {
    let listener = try LoopbackListener(binding: .ipv4(port: 0), backlog: 16)
    defer { listener.close() }
    let draft = MutableRequest.get("https://127.0.0.1:\(listener.endpoint.port)/") |> .timeout(.milliseconds(300))
    // With one descriptor more each time, until the handshake begins.
    for spare in 0..<16 {
        let result = try withTakenDescriptors(but: spare) { try directTransport().executeRequest(draft) }
        if case .failure(.timedOut) = result { return }
        guard case .failure(.connection(let failure)) = result, failure.reason == .outOfDescriptors else {
            throw Refusal("with \(spare): \(result)")
        }
    }
    throw Refusal("there were never enough descriptors")
}

private func makeKeysWithoutDescriptors() throws {
    let draft = MutableRequest.post("http://h.test/") |> .idempotencyKey()
    let keys = withoutDescriptors { Result { try (0..<2).map { _ in try Request(draft).headers["Idempotency-Key"] } } }
    let texts = try keys.get().compactMap { $0 }
    #expect(Set(texts).count == 2)
    // RFC 9562 §5.4: the version and the variant.
    let form = /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
    for text in texts { #expect(text.wholeMatch(of: form) != nil, "\(text)") }
}

private func uploadWithoutDescriptors() throws {
    let directory = try ScratchDirectory()
    let server = try MockServer { _ in .text("ok") }
    let path = try directory.write("body".utf8, to: "a")
    // With one descriptor more each time, until the connection has all that it needs before the file.
    for spare in 0..<16 {
        let draft = MutableRequest.put(server.url) |> .file(path)
        let result = try withTakenDescriptors(but: spare) { try directTransport().executeRequest(draft) }
        if case .failure(.connection(let failure)) = result, failure.reason == .outOfDescriptors { continue }
        guard case .failure(.body(let failure)) = result else { throw Refusal("with \(spare): \(result)") }
        #expect(failure.reason == .unreadableFile && failure.path == path)
        let text = "\(HTTPError.body(failure))"
        #expect(text.contains("no file descriptors left: raise its limit (ulimit -n)"), "\(text)")
        return #expect(server.requestCount == 0)
    }
    throw Refusal("there were never enough descriptors")
}

/// A proxy of the environment would be connected to instead.
private func directTransport() throws -> CurlTransport {
    var configuration = CurlConfiguration()
    configuration.proxy = .none
    return try CurlTransport(configuration)
}

/// With a limit of the three that each process has. What another thread closes meanwhile is of no use.
private func withoutDescriptors<Value>(_ body: () -> Value) -> Value { withDescriptors(below: 3, body) }

/// With all descriptors taken. The limit is low at first, so that it takes few.
private func withTakenDescriptors<Value>(but spare: Int = 0, _ body: () throws -> Value) rethrows -> Value {
    try withDescriptors(below: 256) {
        var taken: [CInt] = []
        while case let number = open("/dev/null", O_RDONLY), number >= 0 { taken.append(number) }
        for _ in 0..<min(spare, taken.count) { close(taken.removeLast()) }
        defer { for number in taken { close(number) } }
        return try body()
    }
}

private func withDescriptors<Value>(below count: rlim_t, _ body: () throws -> Value) rethrows -> Value {
    var usual = rlimit()
    getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &usual)
    var limit = usual
    limit.rlim_cur = count
    setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
    defer { setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &usual) }
    return try body()
}
