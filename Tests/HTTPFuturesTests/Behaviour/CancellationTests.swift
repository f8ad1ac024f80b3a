import Dispatch
import HTTPAsync
import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    @Test func `Cancelling ends the future and the futures derived from it`() {
        let promise = IntPromise()
        let mapped = promise.future.map { $0 }
        #expect(promise.future.cancel())
        #expect(promise.future.result == .failure(.cancelled))
        #expect(mapped.result == .failure(.cancelled))
        #expect(!promise.future.cancel())
    }

    @Test func `Cancelling travels upstream if nothing else depends on the source`() {
        let promise = IntPromise()
        let stops = Counter()
        promise.onCancel { stops.add() }
        promise.future.map { $0 }.flatMap { .success($0) }.recover { _ throws(Problem) in 1 }.cancel()
        #expect(stops.value == 1)
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `A shared future is cancelled with its last dependent`() {
        let promise = IntPromise()
        let first = promise.future.map { $0 }
        let second = promise.future.map { $0 }
        first.cancel()
        #expect(promise.future.isPending && second.isPending)
        second.cancel()
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `A future with an observer is not cancelled by a dependent`() {
        let promise = IntPromise()
        promise.future.onComplete { _ in }
        promise.future.map { $0 }.cancel()
        #expect(promise.future.isPending)
        promise.succeed(1)
    }

    @Test func `A future that a thread waits for is not cancelled by a dependent`() async {
        let promise = IntPromise()
        let mapped = promise.future.map { $0 }
        let waiting = DispatchSemaphore(value: 0)
        async let value = inThread { () -> Int? in
            waiting.signal()
            return try? promise.future.wait(for: .seconds(20))
        }
        await inThread { waiting.wait() }
        // The thread may not have begun to wait. In either case the value below must reach it.
        promise.future.onComplete { _ in }
        mapped.cancel()
        promise.succeed(3)
        #expect(await value == 3)
    }

    @Test func `Releasing every handle cancels nothing`() {
        let promise = IntPromise()
        let log = Log<Int>()
        do { _ = promise.future.map { log.add($0) }.map { log.add(2) } }
        #expect(promise.succeed(1))
        #expect(log.entries == [1, 2])
    }

    @Test func `A late value is dropped`() {
        let promise = IntPromise()
        promise.future.cancel()
        #expect(!promise.succeed(1))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `A step queued for a cancelled future does not run`() async {
        let queue = DispatchQueue(label: "test")
        queue.suspend()
        let calls = Counter()
        let future = IntFuture.success(1).map(on: .queue(queue)) { _ in calls.add() }
        future.cancel()
        #expect(future.result == .failure(.cancelled))
        queue.resume()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(calls.value == 0)
    }

    @Test func `A future cancelled while its step runs drops the step's value`() async {
        let queue = DispatchQueue(label: "test")
        let running = IntPromise()
        let go = DispatchSemaphore(value: 0)
        let future = IntFuture.success(1).map(on: .queue(queue)) { value in
            running.succeed(1)
            go.wait()
            return value
        }
        _ = try? await running.future.get()
        #expect(future.cancel())
        go.signal()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(future.result == .failure(.cancelled))
    }

    @Test func `A future that a cancelled step starts too late is cancelled`() async {
        let queue = DispatchQueue(label: "test")
        let running = IntPromise()
        let go = DispatchSemaphore(value: 0)
        let inner = IntPromise()
        let stopped = IntPromise()
        inner.onCancel { stopped.succeed(1) }
        let future = IntFuture.success(1).flatMap(on: .queue(queue)) { _ in
            running.succeed(1)
            go.wait()
            return inner.future
        }
        _ = try? await running.future.get()
        future.cancel()
        go.signal()
        // Awaiting the inner future would make it wanted.
        _ = try? await stopped.future.get()
        #expect(inner.future.result == .failure(.cancelled))
    }

    @Test func `Cancelling a flatMap cancels the inner future`() {
        let inner = IntPromise()
        let future = IntFuture.success(1).flatMap { _ in inner.future }
        future.cancel()
        #expect(inner.future.result == .failure(.cancelled))
    }

    @Test func `Cancelling a flatMap leaves an inner future that others need`() {
        let shared = IntPromise()
        let first = IntFuture.success(1).flatMap { _ in shared.future }
        let second = IntFuture.success(1).flatMap { _ in shared.future }
        first.cancel()
        #expect(shared.future.isPending)
        shared.succeed(1)
        #expect(second.result == .success(1))
    }

    @Test func `So it does if the flatMap gets the inner future later`() {
        let shared = IntPromise()
        let source = IntPromise()
        let first = source.future.flatMap { _ in shared.future }
        let second = source.future.flatMap { _ in shared.future }
        source.succeed(1)
        first.cancel()
        #expect(shared.future.isPending && second.isPending)
        shared.succeed(2)
        #expect(first.result == .failure(.cancelled) && second.result == .success(2))
    }

    @Test func `Cancelling passes through a future whose error type has no cancellation`() {
        struct Plain: Error, Equatable {}
        let promise = IntPromise()
        let plain = promise.future.mapError(to: Plain.self) { _ in Plain() }
        let end = plain.mapError(to: Problem.self) { _ in .other(1) }
        end.cancel()
        #expect(promise.future.result == .failure(.cancelled))
        #expect(plain.result == .failure(Plain()))
        #expect(end.result == .failure(.cancelled))
    }

    @Test func `A late handler for cancellation runs at once, and never after a resolution`() {
        let calls = Log<String>()
        let cancelled = IntPromise()
        cancelled.future.cancel()
        cancelled.onCancel { calls.add("cancelled") }
        let resolved = IntPromise()
        resolved.onCancel { calls.add("resolved") }
        resolved.succeed(1)
        let dropped = IntPromise()
        dropped.onCancel { calls.add("failed") }
        dropped.fail(.cancelled)
        #expect(calls.entries == ["cancelled"])
    }

    @Test func `A callback may register, resolve and cancel`() {
        let first = IntPromise()
        let second = IntPromise()
        let third = IntPromise()
        let log = Log<String>()
        second.future.onSuccess { log.add("second \($0)") }
        third.future.onFailure { _ in log.add("third cancelled") }
        first.future.onComplete { _ in
            first.future.onSuccess { log.add("first again \($0)") }
            third.future.cancel()
            second.succeed(2)
            first.future.cancel()
            log.add("end")
        }
        first.succeed(1)
        #expect(log.entries == ["end", "first again 1", "third cancelled", "second 2"])
    }

    @Test func `A promise told to follow passes cancellation on`() {
        let leader = IntPromise()
        let promise = IntPromise()
        promise.follow(leader.future)
        promise.future.cancel()
        #expect(leader.future.result == .failure(.cancelled))
    }
}
