import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

@testable import HTTPAsync

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tasks on the threads of a client's event loops.
@Suite(.timeLimit(.minutes(5))) struct EventLoopExecutorTests {
    private let client = CurlTransport()
    private let threads = Event()

    /// `ended` is signalled when a thread of it ends.
    private func executor(
        over client: (any HTTPClient)? = nil, threads count: Int = 1, idle: Duration = .seconds(10), ended: Event? = nil
    ) throws -> EventLoopExecutor {
        let executor = EventLoopExecutor(client ?? self.client, threads: count, idleTime: idle) { [threads] body in
            threads.signal()
            return Worker.startThread(stackBytes: 512 << 10) {
                body()
                ended?.signal()
            }
        }
        return try #require(executor)
    }

    @Test func `a call starts on the task's thread, and the same thread goes on with the response`() async throws {
        let server = try MockServer { .text($0.path) }
        let pool = CountedThreads()
        let places = try await Task(executorPreference: try executor()) {
            var places: Set<CurrentThread> = [.here]
            for index in 0..<20 {
                let response = try await client.send(.get(server.url("/\(index)")), on: pool.dispatcher)
                #expect(try response.text() == "/\(index)")
                places.insert(.here)
            }
            return places
        }.value
        #expect(places.count == 1 && !places.contains(.here))
        #expect(threads.count == 1 && pool.started.count == 0)
        #expect(server.requests.map(\.target) == (0..<20).map { "/\($0)" })
        #expect(server.connectionCount == 1)
    }

    @Test func `every verb takes the short way, also of services and behind policies`() async throws {
        let server = try MockServer { $0.method == "HEAD" ? .status(200) : .json(["path": $0.path]) }
        struct Answer: Decodable { let path: String }
        let decorated = client.intercepted(by: .retry(), .rateLimit(1000, per: .seconds(1), burst: 1000))
        try await Task(executorPreference: try executor(over: decorated)) {
            let here = CurrentThread.here
            for client in [client, decorated] as [any HTTPClient] {
                _ = try await client.get(server.url("/get"))
                #expect(CurrentThread.here == here)
                let answer = try await client.execute(.get(server.url("/execute")), as: Answer.self)
                #expect(answer.path == "/execute")
                #expect(CurrentThread.here == here)
                _ = try await client.detached.send(.post(server.url("/detached")) |> .text("1"))
                #expect(CurrentThread.here == here)
            }
        }.value
        #expect(threads.count == 1)
        #expect(server.requestCount == 6)
    }

    @Test func `a policy's wait is a timer of the loop, which needs no other thread`() async throws {
        let server = try MockServer { _ in .text("ok") }
        server.enqueue(.status(503), .status(503))
        let pool = CountedThreads()
        let policy = RetryPolicy(limit: 2, backoff: Backoff(base: .milliseconds(20), jitter: { 1 }))
        let decorated = client.intercepted(by: .retry(policy))
        let isSame = try await Task(executorPreference: try executor()) {
            let here = CurrentThread.here
            let response = try await decorated.send(.get(server.url("/")), on: pool.dispatcher)
            #expect(response.metrics.attemptCount == 3 && response.status == .ok)
            return CurrentThread.here == here
        }.value
        #expect(isSame && threads.count == 1 && pool.started.count == 0)
        #expect(server.requestCount == 3 && server.connectionCount == 1)
    }

    @Test func `a call whose signal a task fires is not held up when that blocks its thread`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let (began, ended, signal) = (Event(), Event(), PolicySignal())
        let client = client.intercepted(by: Interceptor(Turn(signal: signal, began: began)))
        let waiting = Task {
            defer { ended.signal() }
            return try await client.send(.get(server.url("/")) |> .timeout(.seconds(20))).status
        }
        await began.happened()
        let blocking = Task(executorPreference: try executor()) {
            signal.fire()
            ended.block()
        }
        #expect(try await waiting.value == .ok)
        await blocking.value
        #expect(server.requests.map(\.path) == ["/"])
    }

    @Test func `a policy may wait for a call that ends before anything is sent`() async throws {
        var configuration = CurlConfiguration()
        configuration.addressFamily = .ipv6
        let attempts = Tally()
        let policy = RetryPolicy(limit: 2, backoff: Backoff(base: .milliseconds(20), jitter: { 1 }))
        let client = try CurlTransport(configuration).intercepted(
            by: .retry(policy) { _ in
                attempts.add()
                return true
            })
        let start = ContinuousClock.now
        let task = Task(executorPreference: try executor(over: client, idle: .seconds(3600))) {
            try await client.send(.get("http://127.0.0.1:1/"))
        }
        guard case .unsupported? = await task.result.failure as? HTTPError else { throw Unexpected(await task.result) }
        #expect(attempts.count >= 3)
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `a suspending closure around the client runs on the executor, too, with the calls that it makes`()
        async throws
    {
        let server = try MockServer { .text($0.path) }
        let places = Notes<CurrentThread>()
        let closed = client.intercepted(
            by: Interceptor { request, next in
                places.note(.here)
                let response = try await next.send(request)
                places.note(.here)
                return response
            })
        let here = try await Task(executorPreference: try executor()) {
            let text = try await closed.send(.get(server.url("/a"))).text()
            #expect(text == "/a")
            return CurrentThread.here
        }.value
        #expect(places.all == [here, here])
        #expect(threads.count == 1 && server.requestCount == 1)
    }

    @Test func `cancellation and deadlines end a call as elsewhere`() async throws {
        let arrived = Event()
        let server = try MockServer { _ in
            arrived.signal()
            return .fault(.stall(.beforeHead))
        }
        let executor = try executor()
        let task = Task(executorPreference: executor) { try await client.send(.get(server.url("/a"))) }
        await arrived.happened()
        task.cancel()
        guard case .cancelled? = await task.result.failure as? HTTPError else { throw Unexpected(await task.result) }
        let late = Task(executorPreference: executor) {
            try await client.send(.get(server.url("/b")) |> .timeout(.milliseconds(60)))
        }
        guard case .timedOut(let failure)? = await late.result.failure as? HTTPError else {
            throw Unexpected(await late.result)
        }
        #expect(failure.limit == .total && failure.duration == .milliseconds(60))
        #expect(server.requests.map(\.target) == ["/a", "/b"])
    }

    @Test func `the limits of the dispatcher hold, and a waiting call goes on when one ends`() async throws {
        let inside = Locked((now: 0, most: 0))
        let (arrival, gate) = (Event(), Event())
        let server = try MockServer { request in
            guard request.path != "/probe" else { return .text("ok") }
            inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            arrival.signal()
            gate.block()
            inside.withLock { $0.now -= 1 }
            return .text(request.path)
        }
        let dispatcher = Dispatcher(.init(running: 3, runningPerHost: 3))
        try await withTaskExecutorPreference(try executor()) {
            try await withThrowingTaskGroup { group in
                for index in 0..<30 {
                    group.addTask {
                        let draft = MutableRequest.get(server.url("/\(index)")) |> .timeout(nil) |> .idleTimeout(nil)
                        return try await client.send(draft, on: dispatcher).text() == "/\(index)"
                    }
                }
                await arrival.happened(3)
                // A surplus call would have been sent before this.
                _ = try await client.send(.get(server.url("/probe")))
                gate.signal()
                for try await isRight in group { #expect(isRight) }
            }
        }
        #expect(inside.withLock { $0.most } == 3)
        #expect(server.requestCount == 31 && threads.count == 1)
    }

    @Test func `tasks are spread over several threads, and each has its connections`() async throws {
        let server = try MockServer { .text($0.path).taking(.milliseconds(1)) }
        let dispatcher = Dispatcher(.init(running: 100, runningPerHost: 100))
        let places = try await withTaskExecutorPreference(try executor(threads: 2)) {
            try await withThrowingTaskGroup(of: CurrentThread.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        for round in 0..<5 {
                            let text = try await client.send(.get(server.url("/\(index)/\(round)")), on: dispatcher)
                                .text()
                            #expect(text == "/\(index)/\(round)")
                        }
                        return .here
                    }
                }
                return try await group.reduce(into: []) { $0.insert($1) } as Set
            }
        }
        #expect(places.count == 2 && threads.count == 2)
        #expect(server.requestCount == 320 && server.connectionCount <= 128)
    }

    @Test func `a task that goes on without end delays no call, as long as it suspends`() async throws {
        let server = try MockServer { .text($0.path) }
        let text = try await withTaskExecutorPreference(try executor()) {
            let isOver = Tally()
            async let spin: Void = { while isOver.count == 0 { await Task.yield() } }()
            let text = try await client.send(.get(server.url("/a"))).text()
            isOver.add()
            await spin
            return text
        }
        #expect(text == "/a" && server.requestCount == 1)
    }

    @Test func `a task that blocks its thread holds up no call of other tasks`() async throws {
        let server = try MockServer { .text($0.path) }
        let (blocked, gate) = (Event(), Event())
        let task = Task(executorPreference: try executor()) {
            blocked.signal()
            gate.block()
            return try await client.send(.get(server.url("/inside"))).text()
        }
        await blocked.happened()
        #expect(try await client.send(.get(server.url("/outside"))).text() == "/outside")
        gate.signal()
        #expect(try await task.value == "/inside")
        #expect(server.requests.map(\.target) == ["/outside", "/inside"])
    }

    @Test func `a call that waited for long work of a task on its thread says so`() async throws {
        let (arrived, isWorking) = (Event(), Event())
        let server = try MockServer { request in
            arrived.signal()
            isWorking.block()
            return .text(request.path)
        }
        let response = try await withTaskExecutorPreference(try executor()) {
            async let response = client.send(.get(server.url("/a")))
            async let work: Void = {
                await arrived.happened()
                isWorking.signal()
                usleep(60_000)
            }()
            await work
            return try await response
        }
        let wait = try #require(response.history.waits.first)
        #expect(wait.cause == .named("executor") && wait.duration >= .milliseconds(40))
        #expect(
            response.explanation.contains("ran tasks instead of the event loop"),
            "\(response.explanation)")
        #expect(try response.text() == "/a" && server.requestCount == 1)
    }

    @Test func `an executor that nobody holds any more runs its tasks to their end`() async throws {
        let (arrived, release) = (Event(), Event())
        let server = try MockServer { request in
            arrived.signal()
            release.block()
            return .text(request.path)
        }
        let task = {
            Task(executorPreference: CurlTransport().executor) { try await self.client.send(.get(server.url("/a"))) }
        }()
        await arrived.happened()
        release.signal()
        #expect(try await task.value.text() == "/a")
    }

    @Test func `a transport that nobody holds any more ends the thread of its executor`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let ended = Event()
        weak var released: CurlTransport?
        do {
            let transport = CurlTransport()
            released = transport
            let executor = try executor(over: transport, idle: .seconds(3600), ended: ended)
            try await Task(executorPreference: executor) { _ = try await transport.get(server.url) }.value
        }
        // The loop would sleep for an hour.
        await ended.happened(1)
        #expect(released == nil)
    }

    /// Waits for a signal before the request is sent.
    private struct Turn: CallPolicy {
        let signal: PolicySignal
        let began: Event

        mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
            switch event {
            case .started:
                began.signal()
                return .wait(for: signal, because: .named("a turn"))
            case .resumed: return .pass
            case .answered(let outcome): return .finish(outcome)
            case .interrupted(let error): return .finish(.failure(error))
            @unknown default: return .pass
            }
        }
    }

    @Test func `the timer of a wait that is over may be the last to hold the transport`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let (ended, began, signal) = (Event(), Event(), PolicySignal())
        weak var released: CurlTransport?
        do {
            let transport = CurlTransport()
            released = transport
            let executor = try executor(over: transport, idle: .milliseconds(100), ended: ended)
            let client = transport.intercepted(by: Interceptor(Turn(signal: signal, began: began)))
            let task = Task(executorPreference: executor) { try await client.send(.get(server.url("/a"))).status }
            await began.happened()
            signal.fire()
            #expect(try await task.value == .ok)
        }
        // Its timer, set for the deadline, stays until the loop is idle.
        await ended.happened(1)
        #expect(released == nil && server.requestCount == 1)
    }

    @Test(arguments: [Int.min, 0, Int.max])
    func `an executor with a number of threads that makes no sense runs tasks`(count: Int) async throws {
        #expect(await Task(executorPreference: try executor(threads: count)) { 7 }.value == 7)
    }

    @Test func `without any thread the one that resumes a task drives the loop`() async throws {
        let server = try MockServer { .text($0.path) }
        let none = EventLoopExecutor(client, threads: 1, idleTime: .seconds(10)) { _ in false }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 {
                group.addTask(executorPreference: none) {
                    for _ in 0..<200 { await Task.yield() }
                    let text = try await client.send(.get(server.url("/\(index)"))).text()
                    #expect(text == "/\(index)")
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(server.requests.map(\.target)) == Set((0..<20).map { "/\($0)" }))
    }

    @Test func `ten thousand tasks at once, a third of them cancelled, all end`() async throws {
        let server = try MockServer(recording: .none) { .text($0.path) }
        let dispatcher = Dispatcher(.init(running: 64, runningPerHost: 64, queued: 20_000))
        let (answered, ended) = (Tally(), Tally())
        // Under a sanitizer one of the two may have nothing to do for longer than usual.
        let executor = try executor(threads: 2, idle: .seconds(120))
        await withTaskExecutorPreference(executor) {
            await withTaskGroup { group in
                for index in 0..<10_000 {
                    group.addTask {
                        let draft = MutableRequest.get(server.url("/\(index)"))
                        let call = Task(executorPreference: executor) {
                            try await client.send(draft, on: dispatcher).text()
                        }
                        if index.isMultiple(of: 3) { call.cancel() }
                        let text = try? await call.value
                        if let text {
                            #expect(text == "/\(index)")
                            answered.add()
                        }
                        ended.add()
                    }
                }
            }
        }
        #expect(ended.count == 10_000 && answered.count >= 6_666)
        #expect(threads.count == 2 && server.requestCount >= answered.count)
    }

    @Test func `when all calls have ended and their connections are too many to keep, every task goes on`() async throws
    {
        let (arrived, early, late) = (Event(), Event(), Event())
        let server = try MockServer { request in
            arrived.signal()
            (request.path == "/early" ? early : late).block()
            return .text("ok")
        }
        var configuration = CurlConfiguration()
        configuration.pool = PoolConfiguration(idlePerOrigin: 2, idleInAll: 100)
        let client = try CurlTransport(configuration)
        let dispatcher = Dispatcher(.init(running: 300, runningPerHost: 300))
        let (blocked, ended) = (Event(), Tally())
        let executor = try executor(over: client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask(executorPreference: executor) {
                    _ = try await client.send(.get(server.url(index < 150 ? "/early" : "/late")), on: dispatcher)
                    guard ended.add() == 1 else { return }
                    // The rest end in this turn of the loop, while it has more tasks than a turn takes.
                    late.signal()
                    usleep(100_000)
                }
            }
            await arrived.happened(200)
            // The early answers are there when the loop looks at its sockets again.
            group.addTask(executorPreference: executor) {
                early.signal()
                usleep(100_000)
                blocked.signal()
            }
            await blocked.happened()
            try await group.waitForAll()
        }
        #expect(ended.count == 200 && server.requestCount == 200)
    }

    @Test func `a task may leave the executor in the middle of a stream`() async throws {
        let server = try MockServer { _ in .text((0..<100).map { "line \($0)\n" }.joined()) }
        let lines = try await Task(executorPreference: try executor()) {
            var lines: [String] = []
            for try await line in client.stream(.get(server.url("/")), as: .lines) {
                lines.append(line)
                if lines.count.isMultiple(of: 30) { await MainActor.run {} }
                if lines.count == 50 {
                    await withTaskExecutorPreference(Dispatcher(.init(running: 1))) { await Task.yield() }
                }
            }
            return lines
        }.value
        #expect(lines == (0..<100).map { "line \($0)" })
    }

    @Test func `the thread ends when idle, and another is started for the next task`() async throws {
        let server = try MockServer { _ in .text("ok") }
        let ended = Event()
        let executor = EventLoopExecutor(client, threads: 1, idleTime: .milliseconds(20)) { body in
            Worker.startThread(stackBytes: 512 << 10) {
                body()
                ended.signal()
            }
        }
        for round in 1...3 {
            _ = try await Task(executorPreference: executor) { try await client.send(.get(server.url("/"))) }.value
            await ended.happened(round)
        }
        #expect(server.requestCount == 3 && server.connectionCount == 1)
    }

    @Test func `all executors of a transport share its loops; a client without one has none`() async throws {
        let server = try MockServer { _ in .text("ok") }
        for _ in 0..<3 {
            _ = try await Task(executorPreference: client.executor) { try await client.send(.get(server.url("/"))) }
                .value
        }
        #expect(server.connectionCount == 1)
        #expect(client.intercepted(by: .retry()).detached.executor != nil)
        #expect(StubClient { _ in .failure(.cancelled(nil)) }.executor == nil)
    }
}

/// A thread, to compare with others.
private struct CurrentThread: Hashable {
    #if canImport(Darwin)
    private let address = UInt(bitPattern: pthread_self())
    #else
    private let address = pthread_self()
    #endif

    static var here: CurrentThread { CurrentThread() }
}
