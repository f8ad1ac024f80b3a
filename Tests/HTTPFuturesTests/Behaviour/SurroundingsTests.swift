import HTTPAsync
import HTTPCore
import HTTPFutures
import HTTPTesting
import Testing

/// Callbacks inherit nothing from the code that resolves their future.
@Suite(.timeLimit(.minutes(5))) struct SurroundingsTests {
    typealias CallFuture = Future<Int, HTTPError>
    typealias CallPromise = Promise<Int, HTTPError>

    private let client = StubClient { .success(Response(request: $0, status: .ok)) }

    func dispatcher(running: Int) -> Dispatcher {
        Dispatcher(.init(running: running, runningPerHost: running, idleTime: .milliseconds(50)))
    }

    @Test func `A cancelled refresh does not cancel unrelated futures`() async throws {
        let (arrived, go) = (IntPromise(), IntPromise())
        let client = StubClient { request in
            arrived.succeed(1)
            _ = try? go.future.wait()
            let isCancelled = CancellationToken.current?.isCancelled == true
            return isCancelled ? .failure(.cancelled) : .success(Response(request: request, status: .ok))
        }
        let refresh = CallPromise()
        let stranger = refresh.future.flatMap { _ in client.future(for: .get("http://example.com/")) }
        let token = CancellationToken()
        token.run { _ = refresh.succeed(1) }
        _ = await resultOf(arrived.future)
        token.cancel()
        go.succeed(1)
        #expect(try await stranger.get().status == .ok)
    }

    /// Records what a callback sees.
    private func look(_ seen: Log<Bool>) {
        seen.add(CancellationToken.current == nil && CallDeadline.current == nil)
    }

    @Test func `A callback sees neither the token nor the deadline of the code that ends its future`() {
        let seen = Log<Bool>()
        let within = { (end: () -> Void) in
            CancellationToken().run { CallDeadline(.seconds(60)).run(end) }
        }
        let register = { (future: IntFuture) in
            future.onComplete { _ in look(seen) }
            future.always { _ in look(seen) }.flatMapError { _ in
                look(seen)
                return IntFuture.success(1)
            }.onComplete { _ in look(seen) }
        }
        let promises = (0..<5).map { _ in IntPromise() }
        for promise in promises { register(promise.future) }
        within { promises[0].fail(.other(1)) }
        within { promises[1].future.cancel() }
        within { promises[2].follow(.failure(.other(2))) }
        promises[3].onCancel { look(seen) }
        let derived = promises[3].future.map { $0 }
        promises[3].future.onComplete { _ in look(seen) }
        within { IntFuture.race([promises[3].future, .failure(.other(1))]).onComplete { _ in look(seen) } }
        within {
            // The callbacks that it causes are not its own.
            _ = IntFuture.success(1).map { promises[4].succeed($0) }
        }
        promises[3].fail(.other(3))
        #expect(derived.result == .failure(.other(3)))
        #expect(seen.entries.count >= 20 && seen.entries.allSatisfy(\.self))
    }

    @TaskLocal private static var trace: String?

    @Test func `A callback sees no task-local value of the code that ends its future, on any thread`() async throws {
        let seen = Log<String>()
        let look = { @Sendable in seen.add((Self.trace ?? "none") + (TraceContext.current == nil ? "" : ", traced")) }
        let register = { (future: IntFuture) in
            future.onComplete { _ in look() }
            _ = future.map { _ in look() }
            _ = future.flatMapError { _ in
                look()
                return IntFuture.success(1)
            }
        }
        let context = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let mine = { @Sendable (end: () -> Void) in
            TraceContext.$current.withValue(context) { Self.$trace.withValue("mine", operation: end) }
        }
        let promises = (0..<6).map { _ in IntPromise() }
        for promise in promises { register(promise.future) }
        mine { promises[0].succeed(1) }
        mine { promises[1].future.cancel() }
        await inThread { mine { promises[2].fail(.other(1)) } }
        let dispatcher = dispatcher(running: 1)
        _ = try await dispatcher.future { () -> Result<Bool, HTTPError> in
            mine { promises[3].succeed(1) }
            return .success(true)
        }.get()
        await Task { mine { promises[4].succeed(1) } }.value
        mine { promises[5].follow(.failure(.other(2))) }
        #expect(seen.entries.count == 12 && seen.entries.allSatisfy { $0 == "none" })
        mine { #expect(Self.trace == "mine") }
    }

    @Test func `Nor do the callbacks that run while it waits`() {
        let seen = Log<Bool>()
        let (first, second) = (IntPromise(), IntPromise())
        let next = second.future.always { _ in look(seen) }
        first.future.onComplete { _ in
            CancellationToken().run {
                second.succeed(1)
                _ = try? next.wait()
                #expect(CancellationToken.current != nil)
            }
        }
        first.succeed(1)
        #expect(seen.entries == [true])
    }

    @Test func `The resolving code has its own surroundings back afterwards`() {
        let promise = IntPromise()
        promise.future.onComplete { _ in }
        let token = CancellationToken()
        token.run {
            CallDeadline(.seconds(60)).run {
                promise.succeed(1)
                #expect(CancellationToken.current === token && CallDeadline.current?.allowance == .seconds(60))
            }
        }
    }

    @Test func `A call within the resolving call is still made at once, even in a full dispatcher`() async throws {
        let dispatcher = dispatcher(running: 1)
        let promise = IntPromise()
        promise.future.onComplete { _ in }
        let outer = dispatcher.future {
            promise.succeed(1)
            return Result { () throws(HTTPError) in
                try dispatcher.future { Result<Int, HTTPError>.success(2) }.wait()
            }
        }
        #expect(try await outer.get() == 2)
    }

    @Test func `A callback run within a call of a full dispatcher may wait for calls it makes there`() async throws {
        let dispatcher = dispatcher(running: 1)
        let all = try (0..<3).map { try Request(.get("http://example.com/\($0)")) }
        let refresh = CallPromise()
        let waiting = refresh.future.map { value throws(HTTPError) in
            try dispatcher.future { .success(value + 1) }.wait()
        }
        let batch = refresh.future.map { [client] _ in
            (try? Future.all(all.map { client.future(for: $0, on: dispatcher) }).wait())?.count { $0.status == .ok }
        }
        let call = dispatcher.future {
            refresh.succeed(1)
            return Result<Int, HTTPError>.success(1)
        }
        #expect(try await waiting.get() == 2)
        #expect(try await batch.get() == 3)
        #expect(try await call.get() == 1)
    }

    @Test func `The dispatcher's limit holds after a call has waited without its slot`() async throws {
        let dispatcher = dispatcher(running: 1)
        let refresh = CallPromise()
        let waiting = refresh.future.map { value throws(HTTPError) in
            try dispatcher.future { .success(value + 1) }.wait()
        }
        let call = dispatcher.future { Result<Bool, HTTPError>.success(refresh.succeed(1)) }
        #expect(try await waiting.get() == 2)
        #expect(try await call.get())
        let (held, gate) = (IntPromise(), IntPromise())
        let first = dispatcher.future {
            held.succeed(1)
            return Result<Bool, HTTPError>.success((try? gate.future.wait()) == 1)
        }
        _ = await resultOf(held.future)
        let phase = Promise<CallActivity?, Problem>()
        dispatcher.submit({ Result<Int, HTTPError>.success(1) }) { result in
            if case .failure(.cancelled(let record)) = result {
                phase.succeed(record?.phase)
            } else {
                phase.succeed(nil)
            }
        }.cancel()
        #expect(await resultOf(phase.future) == .success(.queued))
        gate.succeed(1)
        #expect(try await first.get())
    }
}
