import TestSupport
import HTTPSupport
import HTTPCore
import Testing

@testable import HTTPAsync

/// The pool with its threads, driven by submitted closures.
@Suite(.timeLimit(.minutes(5))) struct DispatcherTests {
    /// A submission whose result can be awaited.
    private func result<Value: Sendable>(
        on dispatcher: Dispatcher, _ work: @escaping @Sendable () -> Result<Value, HTTPError>
    ) async -> Result<Value, HTTPError> {
        await withCheckedContinuation { continuation in
            dispatcher.submit(work) { continuation.resume(returning: $0) }
        }
    }

    @Test func `work runs on a thread of the dispatcher, and its result arrives once`() async {
        let dispatcher = Dispatcher.limited(to: 2)
        let value = await result(on: dispatcher) { .success(Worker.current?.pool === dispatcher.pool) }
        #expect((try? value.get()) == true)
        #expect(Worker.current == nil)
    }

    @Test func `a call with a callback says that it runs the caller's code, also when that has run`() {
        let work = ClosureWork<Int>(hostName: nil) { .success(1) }
        let received = Locked<[Int]>([])
        let completion = Completion<Int>.callback(.immediate) { result in
            received.withLock { $0.append((try? result.get()) ?? 0) }
        }
        let job = Job(
            work, in: Dispatcher.limited(to: 1).pool, deadline: nil, keepsDeadline: false,
            for: .caller(Settlement(completion)))
        #expect(!job.isPrompt)
        job.run(hasWaited: false) {}
        #expect(received.withLock { $0 } == [1])
        #expect(!job.isPrompt)
    }

    @Test func `a slot is free before the callback runs, so a callback may wait for another call`() async {
        let dispatcher = Dispatcher.limited(to: 1)
        let (inner, done) = (Event(), Event())
        dispatcher.submit({ .success(1) }) { _ in
            dispatcher.submit({ .success(2) }) { _ in inner.signal() }
            inner.block()
            done.signal()
        }
        await done.happened()
    }

    @Test func `a nested call that its caller waits for runs on the caller's thread, even in a full pool`() async {
        let dispatcher = Dispatcher.limited(to: 1)
        let order = await result(on: dispatcher) { () -> Result<[Int], HTTPError> in
            let values = Locked<[Int]>([])
            let worker = Worker.current
            let done = Event()
            dispatcher.submit({ () -> Result<Int, HTTPError> in
                values.withLock { $0.append(Worker.current === worker ? 1 : 0) }
                dispatcher.submit({ .success(2) }) { result in
                    values.withLock { $0.append((try? result.get()) ?? 0) }
                }
                return .success(3)
            }) { result in
                values.withLock { $0.append((try? result.get()) ?? 0) }
                done.signal()
            }
            done.block()
            return .success(values.withLock { $0 })
        }
        #expect((try? order.get()) == [1, 2, 3])
    }

    @Test func `the callback of a nested call may wait for a call that it makes`() async {
        let dispatcher = Dispatcher.limited(to: 1)
        let end = await result(on: dispatcher) { () -> Result<Int, HTTPError> in
            let (further, done) = (Event(), Event())
            dispatcher.submit({ .success(1) }) { _ in
                dispatcher.submit({ .success(2) }) { _ in further.signal() }
                further.block()
                done.signal()
            }
            done.block()
            return .success(3)
        }
        #expect((try? end.get()) == 3)
    }

    @Test func `a chain of nested calls, each made by the callback of the last, uses a constant stack`()
        async
    {
        let dispatcher = Dispatcher.limited(to: 1)
        let links = Event()
        @Sendable func link() {
            links.signal()
            guard links.count < 50_000 else { return }
            dispatcher.submit({ .success(()) }) { _ in link() }
        }
        _ = await result(on: dispatcher) { () -> Result<Int, HTTPError> in
            link()
            return .success(links.count)
        }
        #expect(links.count == 50_000)
    }

    @Test func `a call to a full host waits while calls to others run`() async {
        let dispatcher = Dispatcher.limited(to: 8, perHost: 1)
        let (gate, started) = (Event(), Event())
        dispatcher.submit(host: "a.example") { () -> Result<Int, HTTPError> in
            gate.block()
            return .success(1)
        } completion: { _ in
        }
        dispatcher.submit(host: "A.example") { () -> Result<Int, HTTPError> in
            #expect(gate.count == 1)
            return .success(2)
        } completion: { _ in
            started.signal()
        }
        await withCheckedContinuation { continuation in
            dispatcher.submit(host: "b.example", { .success(3) }) { (_: Result<Int, HTTPError>) in
                continuation.resume()
            }
        }
        gate.signal()
        await started.happened()
    }

    @Test func `a surplus call fails at once, with the number of waiting calls`() async throws {
        let dispatcher = Dispatcher.limited(to: 1, queued: 2)
        let (gate, done) = (Event(), Event())
        for _ in 0..<3 {
            dispatcher.submit { () -> Result<Int, HTTPError> in
                gate.block()
                return .success(1)
            } completion: { _ in
                done.signal()
            }
        }
        let outcome = Locked<HTTPError?>(nil)
        dispatcher.submit({ Result<Int, HTTPError>.success(1) }) { result in outcome.withLock { $0 = result.failure } }
        let error = try #require(outcome.withLock { $0 })
        guard case .other(let overload as Overload) = error else { throw error }
        #expect(overload.limit == 2)
        #expect(overload.queued == 2)
        #expect("\(error)".contains("a call was not sent: 2 calls are waiting already and the limit is 2"))
        gate.signal()
        await done.happened(3)
    }

    @Test func `if the system grants only one thread, it makes all calls`() async {
        let threads = Event()
        let dispatcher = Dispatcher(.init(running: 8, runningPerHost: 8)) { body in
            threads.signal()
            return threads.count == 1 && Worker.startThread(stackBytes: 512 << 10, body)
        }
        let (gate, done) = (Event(), Event())
        for _ in 0..<100 {
            dispatcher.submit { () -> Result<Int, HTTPError> in
                gate.block()
                return .success(1)
            } completion: { result in
                if result.failure == nil { done.signal() }
            }
        }
        gate.signal()
        await done.happened(100)
        #expect(threads.count > 1)
    }

    @Test func `if the system grants no thread, a call fails and says so`() async throws {
        let dispatcher = Dispatcher(.init()) { _ in false }
        let outcome = await result(on: dispatcher) { Result<Int, HTTPError>.success(1) }
        guard case .other(let overload as Overload)? = outcome.failure else { throw try #require(outcome.failure) }
        #expect(overload.reason == .noThreads)
    }

    @Test func `idle threads end, and a released dispatcher ends with them`() async {
        let (started, ended) = (Event(), Event())
        var dispatcher: Dispatcher? = Dispatcher(
            .init(running: 4, runningPerHost: 4, idleTime: .milliseconds(20))
        ) { body in
            started.signal()
            return Worker.startThread(stackBytes: 512 << 10) {
                body()
                ended.signal()
            }
        }
        let done = Event()
        weak let pool = dispatcher?.pool
        for _ in 0..<20 { dispatcher?.submit({ .success(1) }) { _ in done.signal() } }
        dispatcher = nil
        await done.happened(20)
        await ended.happened(started.count)
        while pool != nil { await Task.yield() }
    }

    @Test(arguments: [Int.min, -1, 0, 1, 1 << 40, Int.max])
    func `a stack that cannot be had is another one`(stackBytes: Int) async throws {
        var configuration = Dispatcher.Configuration()
        configuration.stackBytes = stackBytes
        let value = await result(on: Dispatcher(configuration)) { Result<Int, HTTPError>.success(1) }
        #expect(try value.get() == 1)
    }

    /// For its thread of timers.
    private final class Bell: Alarm {
        let isPending = false

        func fire() {}
    }

    @Test func `the idle threads of a released dispatcher end at once`() async {
        let (ended, done) = (Event(), Event())
        var dispatcher: Dispatcher? = Dispatcher(.init(idleTime: .seconds(3600))) { body in
            Worker.startThread(stackBytes: 512 << 10) {
                body()
                ended.signal()
            }
        }
        weak let pool = dispatcher?.pool
        dispatcher?.submit({ .success(1) }) { _ in done.signal() }
        dispatcher?.runCallback { done.signal() }
        dispatcher?.set(Bell(), for: TimePoint.now + .seconds(3600))
        await done.happened(2)
        #expect(ended.count == 0)
        dispatcher = nil
        await ended.happened(3)
        while pool != nil { await Task.yield() }
    }

    @Test func `what waits in a released dispatcher is done, and its threads end after it`() async {
        let (gate, inside, ended, done) = (Event(), Event(), Event(), Event())
        var dispatcher: Dispatcher? = Dispatcher(.init(running: 1, idleTime: .seconds(3600))) { body in
            Worker.startThread(stackBytes: 512 << 10) {
                body()
                ended.signal()
            }
        }
        for _ in 0..<20 {
            dispatcher?.submit { () -> Result<Int, HTTPError> in
                inside.signal()
                gate.block()
                return .success(1)
            } completion: { _ in
                done.signal()
            }
        }
        await inside.happened(1)
        dispatcher = nil
        gate.signal()
        await done.happened(20)
        await ended.happened(1)
        #expect(inside.count == 20)
    }

    @Test func `calls submitted by many threads at once are each made once`() async {
        let dispatcher = Dispatcher.limited(to: 16, perHost: 3)
        let runs = Event()
        let ends = Event()
        await withTaskGroup { group in
            for host in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        dispatcher.submit(host: "\(host)") { () -> Result<Int, HTTPError> in
                            runs.signal()
                            return .success(1)
                        } completion: { _ in
                            ends.signal()
                        }
                    }
                }
            }
        }
        await ends.happened(4_000)
        #expect(runs.count == 4_000)
        #expect(ends.count == 4_000)
    }
}
