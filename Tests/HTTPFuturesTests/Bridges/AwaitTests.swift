import HTTPSupport
import HTTPCore
import Testing

import HTTPFutures

/// An actor that counts the parts in which its functions run.
private actor Caller {
    private final class Executor: SerialExecutor {
        let parts = Counter()
        let endedParts = Counter()

        func enqueue(_ job: consuming ExecutorJob) {
            parts.add()
            let job = UnownedJob(job)
            Task.detached {
                job.runSynchronously(on: self.asUnownedSerialExecutor())
                self.endedParts.add()
            }
        }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether its first function has returned or been suspended.
    nonisolated var hasPaused: Bool { executor.endedParts.value > 0 }

    /// How often it was resumed meanwhile.
    func resumptions(awaiting future: IntFuture) async -> (count: Int, result: Result<Int, Problem>) {
        let before = executor.parts.value
        do throws(Problem) {
            let value = try await future.get()
            return (executor.parts.value - before, .success(value))
        } catch {
            return (executor.parts.value - before, .failure(error))
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct AwaitTests {
    @Test func `Awaiting a resolved future returns its result`() async throws {
        #expect(try await IntFuture.success(1).get() == 1)
        await #expect(throws: Problem.other(2)) { try await IntFuture.failure(.other(2)).get() }
    }

    @Test func `Awaiting a resolved future does not suspend, and does not leave the actor`() async {
        for result in [Result<Int, Problem>.success(1), .failure(.other(2))] {
            let found = await Caller().resumptions(awaiting: IntFuture(result))
            #expect(found.count == 0 && found.result == result)
        }
    }

    @Test func `An actor that awaits a pending future is resumed once`() async {
        let promise = IntPromise()
        let caller = Caller()
        async let found = caller.resumptions(awaiting: promise.future)
        // Registered is not yet suspended: what is resumed in between needs no resumption.
        while !caller.hasPaused { await Task.yield() }
        promise.succeed(1)
        #expect(await found.count == 1)
        #expect(await found.result == .success(1))
    }

    @Test func `A cancelled task does not wait for the handlers of the cancellation`() async {
        let (promise, gone) = (IntPromise(), IntPromise())
        promise.onCancel { _ = try? gone.future.wait() }
        let caller = Caller()
        let task = Task { await caller.resumptions(awaiting: promise.future).result }
        while !caller.hasPaused { await Task.yield() }
        async let cancellation: Void = inThread { task.cancel() }
        #expect(await task.value == .failure(.cancelled))
        gone.succeed(1)
        await cancellation
    }

    @Test func `Awaiting a pending future returns when it is resolved`() async throws {
        let promise = IntPromise()
        let task = Task { try await promise.future.get() }
        await Task.yield()
        promise.succeed(3)
        #expect(try await task.value == 3)
    }

    @Test func `A task cancelled before it awaits throws at once and cancels the future`() async {
        let promise = IntPromise()
        let gate = IntPromise()
        let task = Task {
            _ = try? await gate.future.get()
            return await resultOf(promise.future)
        }
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `A task cancelled while it awaits throws at once and cancels the future`() async {
        let promise = IntPromise()
        let task = Task { await resultOf(promise.future) }
        // An await is a dependent. Without it the future is cancelled, whether or not the task has reached it.
        await Task.yield()
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `A cancelled task does not cancel a future that others need`() async {
        let promise = IntPromise()
        let mapped = promise.future.map { $0 }
        let task = Task { await resultOf(promise.future) }
        await Task.yield()
        task.cancel()
        #expect(await task.value == .failure(.cancelled))
        #expect(promise.succeed(1))
        #expect(mapped.result == .success(1))
    }

    @Test func `A task cancelled after the result is set gets it`() async {
        let promise = IntPromise()
        let task = Task { await resultOf(promise.future) }
        promise.succeed(1)
        let first = await task.value
        task.cancel()
        #expect(first == .success(1))
        let late = Task { () -> Result<Int, Problem> in
            withUnsafeCurrentTask { $0?.cancel() }
            return await resultOf(promise.future)
        }
        #expect(await late.value == .success(1))
    }

    @Test func `Tasks cancelled and resolved concurrently end once, in either way`() async {
        for _ in 0..<200 {
            let promise = IntPromise()
            let task = Task { await resultOf(promise.future) }
            async let resolution: Bool = Task { promise.succeed(1) }.value
            task.cancel()
            let result = await task.value
            _ = await resolution
            #expect(result == .success(1) || result == .failure(.cancelled))
        }
    }

    @Test func `With an error type without cancellation a cancelled task waits for the result`() async {
        struct Plain: Error, Equatable {}
        let promise = IntPromise()
        let plain = promise.future.mapError(to: Plain.self) { _ in Plain() }
        let task = Task { await resultOf(plain) }
        task.cancel()
        #expect(await task.value == .failure(Plain()))
        #expect(promise.future.result == .failure(.cancelled))
    }
}
