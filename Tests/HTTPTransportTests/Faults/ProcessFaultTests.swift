import TestSupport
import HTTPSupport
import Foundation
import HTTPAsync
import HTTPCore
import HTTPCurl
import HTTPPolicies
import HTTPTesting
import Testing

import HTTPMockServer
import HTTPTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Faults of the process itself, with every style of call. Each test runs in its own process.
///
/// Forking is tested with the pool, and signals with the threads of the package.
@Suite(.timeLimit(.minutes(2))) struct ProcessFaultTests {
    @Test func `with few descriptors or none every call ends, and succeeds when there are some again`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try callWithFewDescriptors() } }
    }

    @Test func `without descriptors a blocking call closes idle connections of awaited ones`() async {
        await #expect(processExitsWith: .success) {
            do { try await callInsteadOfAwaited() } catch { Issue.record("\(error)") }
        }
    }

    @Test func `without descriptors an awaited call is repeated after its waits, not at once`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try retryWithoutDescriptors() } }
    }

    @Test func `without new threads calls on existing threads succeed, and others say so`() async {
        await #expect(processExitsWith: .success) {
            do { try await callWithoutThreads() } catch { Issue.record("\(error)") }
        }
    }

    @Test(.enabled(if: Needs.processMemory, "\(Needs.processMemoryAdvice)"))
    func `with little memory an endless response reaches the limits first`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try callWithLittleMemory() } }
    }

    @Test func `signals to a calling thread neither end a call nor delay its deadline`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try callUnderSignals() } }
    }

    @Test(arguments: 1...4) func `a process that exits during calls of every style exits`(round: Int) async {
        await #expect(processExitsWith: .exitCode(7)) { try exitDuringCalls() }
    }
}

/// The outcome of one call of `style`, and how long it took.
private func outcome(
    of style: EntryStyle, _ draft: MutableRequest, over client: any HTTPClient, beside neighbor: MutableRequest
) throws -> (words: String, time: Duration) {
    let end = FaultCallEnd()
    let start = ContinuousClock.now
    _ = style.begin(
        try Request(draft), over: client, beside: try Request(neighbor), receive: end.receive, receiveNeighbor: { _ in }
    )
    guard let (result, time) = end.wait() else { throw Refusal("\(style): it did not end") }
    return (FaultOutcome.errorMessage(for: result), start.duration(to: time))
}

// MARK: Descriptors

private func callWithFewDescriptors() throws {
    let server = try MockServer { _ in .text("ok") }
    let draft = MutableRequest.get(server.url("/")) |> .timeout(.milliseconds(500))
    for style in EntryStyle.allCases {
        for free in 0..<8 {
            let (words, time) = try withDescriptors(free) {
                try outcome(of: style, draft, over: CurlTransport.plain(), beside: draft)
            }
            // The server has no descriptors either, and may not accept the connection.
            guard ["connection outOfDescriptors", "timedOut total", "200"].contains(words) else {
                throw Refusal("\(style), \(free) descriptors: \(words)")
            }
            guard time < .seconds(5) else { throw Refusal("\(style), \(free) descriptors: after \(time)") }
        }
        let (words, _) = try outcome(
            of: style, draft |> .timeout(.seconds(10)), over: CurlTransport.plain(), beside: draft)
        guard words == "200" else { throw Refusal("\(style), with descriptors again: \(words)") }
    }
}

/// The limit is low at first, so that it takes few to use all but `free` of them.
private func withDescriptors<Value>(_ free: Int, _ body: () throws -> Value) rethrows -> Value {
    var limit = rlimit()
    getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = 256
    setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [CInt] = []
    while case let number = open("/dev/null", O_RDONLY), number >= 0 { taken.append(number) }
    for number in taken.suffix(free) { close(number) }
    taken.removeLast(min(free, taken.count))
    defer { for number in taken { close(number) } }
    return try body()
}

private func callInsteadOfAwaited() async throws {
    let servers = try (0..<6).map { _ in try MockServer { _ in .text("ok") } }
    let client = CurlTransport()
    // The kept connections of all servers but one, on both sides.
    for server in servers.dropLast() { try await client.get(server.url("/")) }
    let draft = MutableRequest.get(servers[5].url("/")) |> .timeout(.seconds(10))
    let result = withDescriptors(0) { blockingCall(client, draft) }
    guard case .success = result else { throw Refusal("\(result)") }
}

private func retryWithoutDescriptors() throws {
    let policy = RetryPolicy(limit: 2, backoff: Backoff(base: .milliseconds(300), jitter: { 1 }))
    let client = CurlTransport().intercepted(by: .retry(policy))
    let start = ContinuousClock.now
    let result = withDescriptors(0) {
        let (ended, result) = (Signal(), Locked<Result<Response, HTTPError>?>(nil))
        client.executeRequest(.get("http://127.0.0.1:9/"), callbackQueue: .immediate) { outcome in
            result.withLock { $0 = outcome }
            ended.fire()
        }
        _ = ended.wait()
        return result.withLock(\.self)
    }
    guard case .failure(.connection(let failure))? = result, failure.reason == .outOfDescriptors else {
        throw Refusal("\(result as Any)")
    }
    let time = start.duration(to: .now)
    guard time >= .milliseconds(900) else { throw Refusal("after \(time)") }
}

// MARK: Threads

private func callWithoutThreads() async throws {
    let port = try startServerOfOneThread()
    let (client, warm) = (try CurlTransport.plain(), Dispatcher())
    let draft = MutableRequest.get("http://127.0.0.1:\(port)/") |> .timeout(.seconds(10))
    _ = (blockingCall(client, draft), batchOfOne(client, draft))
    _ = try await client.send(draft, on: warm)
    try forbidThreads()
    let (single, batch) = (blockingCall(client, draft), batchOfOne(client, draft))
    guard case .success = single else { throw Refusal("blocking: \(single)") }
    guard case .success? = batch else { throw Refusal("batch: \(batch.map(String.init(describing:)) ?? "nothing")") }
    _ = try await client.send(draft, on: warm)
    // libcurl looks names up on threads.
    let named = blockingCall(client, .get("http://name.invalid/") |> .timeout(.seconds(10)))
    let text = "\(named)"
    guard text.contains("name.invalid was not looked up") else { throw Refusal("a name: \(text)") }
    // A client without a thread, and work that takes one of the dispatcher's.
    let others = (try CurlTransport.plain(), try CurlTransport.plain())
    try await expectNoThreads { () async throws(HTTPError) in try await others.0.send(draft, on: Dispatcher())
    }
    try await expectNoThreads { () async throws(HTTPError) in
        try await Dispatcher().run { client.executeRequest(draft) }
    }
    let result = await withCheckedContinuation { continuation in
        _ = others.1.executeRequest(draft, callbackQueue: .immediate, on: Dispatcher()) {
            continuation.resume(returning: $0)
        }
    }
    guard case .failure(.other(is Overload)) = result else { throw Refusal("a callback without threads: \(result)") }
}

/// RLIMIT_NPROC, a macro that Swift does not import everywhere.
#if canImport(Darwin)
private let threadLimit: CInt = 7
#else
private let threadLimit: CInt = 6
#endif

private func expectNoThreads(_ call: () async throws(HTTPError) -> Response) async throws {
    let response: Response
    do throws(HTTPError) {
        response = try await call()
    } catch .other(let failure as Overload) where failure.reason == .noThreads {
        return
    } catch {
        throw Refusal("\(error)")
    }
    throw Refusal("\(response)")
}

/// Serves one connection after the other, each with one answer, and returns the port.
private func startServerOfOneThread() throws -> Int {
    let listener = try LoopbackListener(binding: .ipv4(port: 0), backlog: 16)
    let never = try WakeSignal()
    let code = ServerThread.start {
        while listener.waitForConnection(or: never) {
            guard case .connection(let socket) = listener.accept() else { continue }
            _ = socket.readSome()
            socket.write(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8))
            socket.finishWriting()
        }
    }
    if code != 0 { throw Refusal("no thread for the server: \(code)") }
    return listener.endpoint.port
}

private func blockingCall(_ client: CurlTransport, _ draft: MutableRequest) -> Result<Response, HTTPError> {
    client.executeRequest(draft)
}

private func batchOfOne(_ client: CurlTransport, _ draft: MutableRequest) -> Result<Response, HTTPError>? {
    client.executeRequests([draft]).first
}

/// From now on. Root has no limit, so the process changes its user.
private func forbidThreads() throws {
    if getuid() == 0, setuid(65_534) != 0 { throw Refusal("setuid: \(errno)") }
    var limit = rlimit(rlim_cur: 1, rlim_max: 1)
    setrlimit(threadLimit, &limit)
    guard ServerThread.start({}) != 0 else { throw Refusal("threads are not limited") }
}

// MARK: Memory

private func callWithLittleMemory() throws {
    let faults = Fault.heads + Fault.bodies
    let names = [
        "endless", "a bomb", "endless fields", "an endless line", "endless 103 Early Hints", "endless trailers",
    ]
    let cells = faults.filter { names.contains($0.name) }.flatMap {
        FaultMatrix.cells(of: $0, inEveryStyle: true).filter { $0.engine == .http1 }
    }
    guard cells.count >= names.count * EntryStyle.allCases.count else { throw Refusal("\(cells.count) cells") }
    // Once without a limit, so that threads and libraries are loaded.
    for cell in cells.suffix(EntryStyle.allCases.count) { _ = try cell.run() }
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmSize:") } ?? ""
    let size = UInt((Int(line.filter(\.isNumber)) ?? 0) << 10) + 400 << 20
    var limit = rlimit(rlim_cur: numericCast(size), rlim_max: numericCast(size))
    setrlimit(numericCast(RLIMIT_AS.rawValue), &limit)
    for cell in cells {
        if let problem = try cell.run().problem { throw Refusal("\(cell): \(problem)") }
    }
}

// MARK: Signals

private func callUnderSignals() throws {
    signal(SIGUSR1) { _ in }
    let server = try MockServer { request in
        request.path == "/slow"
            ? MockResponse.text("ok").taking(.milliseconds(200)) : .fault(.stall(.beforeHead))
    }
    let client = try CurlTransport.plain()
    let caller = pthread_self()
    let isOver = Locked(false)
    let bombardment = TestThread { while !isOver.withLock({ $0 }) { pthread_kill(caller, SIGUSR1); usleep(500) } }
    for _ in 0..<3 {
        guard case .success = client.executeRequest(.get(server.url("/slow"))) else { throw Refusal("blocking") }
        let batch = client.executeRequests([MutableRequest.get(server.url("/slow")), .get(server.url("/slow"))])
        guard batch.allSatisfy({ (try? $0.get()) != nil }) else { throw Refusal("batch: \(batch)") }
        let start = ContinuousClock.now
        let result = client.executeRequest(.get(server.url("/silent")) |> .timeout(.milliseconds(200)))
        guard case .failure(.timedOut) = result, start.duration(to: .now) < .seconds(2) else {
            throw Refusal("\(result) after \(start.duration(to: .now))")
        }
    }
    isOver.withLock { $0 = true }
    bombardment.join()
}

// MARK: The end

private func exitDuringCalls() throws {
    let plain = try MockServer(acceptsConnections: true) { _ in .fault(.stall(.midBody(after: 1))) }
    var options = MockServer.TLS()
    options.authority = FaultServer.authority
    let secure = try MockServer(security: .tls(options), versions: [.http2, .http1_1]) { _ in
        MockResponse.text(String(repeating: "x", count: 10_000)).failing(.trickle(bytes: 1, every: .milliseconds(1)))
    }
    let client = try FaultEngine.http2TLS.makeClient()
    for style in EntryStyle.allCases {
        for server in [plain, secure] {
            let request = try Request(.get(server.url("/")))
            _ = style.begin(request, over: client, beside: request, receive: { _ in }, receiveNeighbor: { _ in })
        }
    }
    // A batch makes two.
    try plain.wait(for: .requests(EntryStyle.allCases.count + 1))
    try secure.wait(for: .requests(EntryStyle.allCases.count + 1))
    exit(7)
}
