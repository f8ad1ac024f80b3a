import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPPolicies
import HTTPSupport
import HTTPTransfers
import TestSupport
import Testing

@testable import HTTPAsync

/// Bodies that are read as they come, over an event loop.
@Suite(.timeLimit(.minutes(5))) struct StreamsOnLoopTests {
    private let client = CurlTransport()
    private static let thousand = (1...1000).map { "line \($0)\n" }.joined()

    @Test func `a hundred open streams share one thread, and end when their readers leave`() async throws {
        let server = try MockServer { _ in .text(Self.thousand).failing(.stall(.midBody(after: 20))) }
        let counted = CountedThreads()
        let (begun, gate) = (Event(), Event())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    for try await line in client.stream(.get(server.url), as: .lines, on: counted.dispatcher) {
                        #expect(line == "line 1")
                        begun.signal()
                        await gate.happened()
                        break
                    }
                }
            }
            await begun.happened(100)
            #expect(counted.started.count == 1 && server.openConnectionCount == 100)
            gate.signal()
            try await group.waitForAll()
        }
        try await server.wait(for: .openConnections(atMost: 0))
        #expect(server.requestCount == 100)
    }

    @Test func `refusals that a format includes share one thread, too, with their heads and bodies`() async throws {
        let server = try MockServer { _ in
            .text(Self.thousand, status: .serviceUnavailable).header("Retry-After", "7")
                .failing(.stall(.midBody(after: 20)))
        }
        let counted = CountedThreads()
        let (begun, gate) = (Event(), Event())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let response = try await client.stream(
                        .get(server.url), as: .chunks.includingRefusals(), on: counted.dispatcher
                    ).response()
                    #expect(response.status == .serviceUnavailable && response.headers["Retry-After"] == "7")
                    for try await bytes in response {
                        #expect(Self.thousand.hasPrefix(String(decoding: bytes, as: UTF8.self)))
                        begun.signal()
                        await gate.happened()
                        break
                    }
                }
            }
            await begun.happened(20)
            #expect(counted.started.count == 1 && server.openConnectionCount == 20)
            gate.signal()
            try await group.waitForAll()
        }
        #expect(server.requestCount == 20)
    }

    @Test func `a reader that takes its time stops the server, whose silence then is not its own`() async throws {
        let line = String(repeating: "a", count: 999)
        let server = try MockServer { _ in .text(String(repeating: line + "\n", count: 20_000)) }
        let request = MutableRequest.get(server.url) |> .idleTimeout(.seconds(2))
        var count = 0
        for try await next in client.stream(request, as: .lines, buffering: 4) {
            #expect(next == line)
            count += 1
            // Longer than the idle limit.
            if count == 3 { try await Task.sleep(for: .milliseconds(2500)) }
        }
        #expect(count == 20_000 && server.requestCount == 1)
    }

    @Test func `a server that is silent while its reader waits fails the call after the idle limit`() async throws {
        let server = try MockServer { _ in .text(Self.thousand).failing(.stall(.midBody(after: 20))) }
        let request = MutableRequest.get(server.url) |> .idleTimeout(.seconds(2))
        var lines: [String] = []
        let error = await #expect(throws: HTTPError.self) {
            for try await line in client.stream(request, as: .lines, buffering: 1) { lines.append(line) }
        }
        guard case .timedOut(let failure)? = error else { throw Unexpected(error as Any) }
        #expect(failure.limit == .idle && lines == ["line 1", "line 2"])
    }

    @Test func `a coded body is decoded as its reader takes it`() async throws {
        let server = try MockServer { MockResponse.data($0.body).header("Content-Encoding", "gzip") }
        let draft = MutableRequest.post(server.url) |> .text(Self.thousand) |> .compressed()
        var lines: [String] = []
        for try await line in client.stream(draft, as: .lines, buffering: 2) { lines.append(line) }
        #expect(lines == (1...1000).map { "line \($0)" })
        #expect(server.requests.first?.headers["Content-Encoding"] == "gzip")
    }

    @Test func `cancelling the task ends the exchange and says so`() async throws {
        let server = try MockServer { _ in .text(Self.thousand).failing(.stall(.midBody(after: 20))) }
        let begun = Event()
        let task = Task {
            for try await _ in client.stream(.get(server.url), as: .lines) { begun.signal() }
        }
        await begun.happened()
        task.cancel()
        guard case .cancelled? = await task.result.failure as? HTTPError else { throw Unexpected(await task.result) }
        try await server.wait(for: .openConnections(atMost: 0))
    }

    @Test func `behind policies each attempt is a call of the loop, until an element has come`() async throws {
        let server = try MockServer { _ in .text(Self.thousand) }
        server.enqueue(.status(503))
        let counted = CountedThreads()
        let retrying = client.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .milliseconds(1)))))
        var lines: [String] = []
        for try await line in retrying.stream(.get(server.url), as: .lines, on: counted.dispatcher) {
            lines.append(line)
        }
        #expect(lines == (1...1000).map { "line \($0)" })
        #expect(server.requestCount == 2)
        // The second keeps the time if the test's own thread was still with the policies when the first answer came.
        #expect(counted.started.count <= 2)
    }

    @Test func `a format of one's own, whose code may take long, has a worker's thread`() async throws {
        let server = try MockServer { _ in .text("a\nb\n") }
        let counted = CountedThreads()
        let places = Notes<Bool>()
        let shouting = StreamFormat<String> { take in
            .lines { line in
                places.note(Worker.current?.pool === counted.dispatcher.pool)
                try take(line.uppercased())
            }
        }
        var lines: [String] = []
        for try await line in client.stream(.get(server.url), as: shouting, on: counted.dispatcher) {
            lines.append(line)
        }
        #expect(lines == ["A", "B"] && places.all == [true, true] && server.requestCount == 1)
    }

    @Test func `on the client's executor nothing is handed over`() async throws {
        let server = try MockServer { _ in .text(Self.thousand) }
        let counted = CountedThreads()
        let lines = try await Task(executorPreference: client.executor) {
            var lines: [String] = []
            for try await line in client.stream(.get(server.url), as: .lines, on: counted.dispatcher) {
                #expect(ThreadRole.agent != nil)
                lines.append(line)
            }
            return lines
        }.value
        #expect(lines == (1...1000).map { "line \($0)" })
        #expect(counted.started.count == 0 && server.requestCount == 1)
    }
}
