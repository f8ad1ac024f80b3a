import TestSupport
import HTTPSupport
import HTTPCore
import HTTPTesting
import HTTPTransfers
import Testing

import HTTPAsync

@Suite(.timeLimit(.minutes(5))) struct AwaitCancellationTests {
    let url = "http://example.com/"

    /// The error of a task that must fail.
    func failure(_ task: Task<Response, any Error>) async throws -> CallRecord {
        let error = try #require(await task.result.failure as? HTTPError)
        guard case .cancelled(let record?) = error else { throw error }
        return record
    }

    @Test func `a task cancelled before its call sends nothing`() async throws {
        let client = GatedClient()
        let (request, go) = (try Request(.get(url)), Event())
        let dispatcher = Dispatcher.starting(Dispatcher.Configuration()) { _ in
            Issue.record("there is nothing to do")
            return false
        }
        let task = Task {
            await go.happened()
            return try await client.send(request, on: dispatcher)
        }
        task.cancel()
        go.signal()
        #expect(try await failure(task).phase == .queued)
        #expect(client.arrived.count == 0)
    }

    @Test(arguments: [false, true])
    func `a stream of a task cancelled before sends nothing, nor does its head`(isHead: Bool) async throws {
        let stub = StubClient().on("**", answer: .text("1\n2\n"))
        // As a thread that begins before anybody can cancel the call.
        let dispatcher = Dispatcher.starting(Dispatcher.Configuration(idleTime: .zero)) { body in
            body()
            return true
        }
        let stream = stub.stream(.post(url), as: .jsonLines(of: Int.self), on: dispatcher)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            if isHead { _ = try await stream.response() } else { for try await _ in stream {} }
        }
        guard case .failure(HTTPError.cancelled) = await task.result else { return unexpected(await task.result) }
        #expect(stub.requestCount == 0)
        var numbers: [Int] = []
        for try await number in stream { numbers.append(number) }
        #expect(numbers == [1, 2] && stub.requestCount == 1)
    }

    @Test func `cancelling a waiting call ends it at once, and it never runs`() async throws {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        async let first = client.send(.get(url + "first"), on: dispatcher)
        await client.arrived.happened()
        let request = try Request(.get(url + "second"))
        let task = Task { try await client.send(request, on: dispatcher) }
        while dispatcher.calls.queued == 0 { await Task.yield() }
        task.cancel()
        let record = try await failure(task)
        #expect(record.phase == .queued)
        #expect(record.url.hasSuffix("/second"))
        #expect(dispatcher.calls.queued == 0)
        client.gate.signal()
        _ = try await first
        #expect(client.served.withLock { $0 } == ["/first"])
    }

    @Test func `a running call is notified by its token`() async throws {
        let client = PatientClient()
        let request = try Request(.get(url))
        let task = Task { try await client.send(request) }
        await client.arrived.happened()
        task.cancel()
        #expect(try await failure(task).phase == .waiting)
    }

    @Test func `a call that ignores its token is abandoned, and its slot stays taken until it returns`()
        async throws
    {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        let request = try Request(.get(url))
        let task = Task { try await client.send(request, on: dispatcher) }
        await client.arrived.happened()
        let start = ContinuousClock.now
        task.cancel()
        #expect(try await failure(task).phase == .starting)
        #expect(start.duration(to: .now) >= .milliseconds(100))
        #expect(dispatcher.calls.running == 1)
        async let second = StubClient.ok.send(request, on: dispatcher)
        client.gate.signal()
        #expect(try await second.status == .ok)
    }

    @Test func `cancelling after the response changes nothing`() async throws {
        let request = try Request(.get(url))
        let task = Task { try await StubClient.ok.send(request) }
        let response = try await task.value
        task.cancel()
        #expect(response.status == .ok)
        #expect(try await task.value.status == .ok)
    }

    @Test func `a call ends once, whenever it is cancelled`() async throws {
        let dispatcher = Dispatcher.limited(to: 2)
        let request = try Request(.get(url))
        let ends = Event()
        await withTaskGroup { group in
            for index in 0..<2_000 {
                let task = Task {
                    defer { ends.signal() }
                    return try await StubClient.ok.send(request, on: dispatcher)
                }
                group.addTask {
                    for _ in 0..<(index % 8) { await Task.yield() }
                    task.cancel()
                    _ = await task.result
                }
            }
        }
        #expect(ends.count == 2_000)
        #expect(dispatcher.calls == (0, 0))
    }

    @Test func `a token around the call cancels it too, and the call releases it afterwards`() async throws {
        let client = PatientClient()
        let request = try Request(.get(url))
        let token = CancellationToken()
        let task = Task {
            try await CancellationToken.$current.withValue(token) { try await client.send(request) }
        }
        await client.arrived.happened()
        token.cancel()
        #expect(try await failure(task).phase == .waiting)
        let late = Task {
            try await CancellationToken.$current.withValue(token) { try await client.send(request) }
        }
        #expect(try await failure(late).phase == .queued)
        #expect(client.arrived.count == 1)
    }
}
