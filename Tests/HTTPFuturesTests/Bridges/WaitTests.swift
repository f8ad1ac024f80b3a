import Dispatch
import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct WaitTests {
    @Test func `Waiting for a resolved future returns its result`() throws {
        #expect(try IntFuture.success(1).wait() == 1)
        #expect(throws: Problem.other(2)) { try IntFuture.failure(.other(2)).wait() }
    }

    @Test func `Waiting for a pending future returns when another thread resolves it`() async {
        let promise = IntPromise()
        async let value = inThread { try? promise.future.wait() }
        promise.succeed(3)
        #expect(await value == 3)
    }

    @Test func `A wait with a limit ends at the limit, and the future goes on`() async {
        let promise = IntPromise()
        await inThread {
            #expect(throws: Problem.timedOut(after: .milliseconds(10))) {
                try promise.future.wait(for: .milliseconds(10))
            }
            return
        }
        #expect(promise.future.isPending)
        promise.succeed(1)
        #expect(promise.future.result == .success(1))
    }

    @Test func `A wait with a limit returns a value that comes in time`() async {
        let promise = IntPromise()
        async let value = inThread { try? promise.future.wait(for: .seconds(60)) }
        promise.succeed(4)
        #expect(await value == 4)
    }

    @Test func `A wait without end can have a limit beyond all clocks`() async {
        let promise = IntPromise()
        async let value = inThread { try? promise.future.wait(for: .seconds(Int64.max)) }
        promise.succeed(4)
        #expect(await value == 4)
    }

    @Test func `A waiting thread is not delayed by a slow observer`() async {
        let promise = IntPromise()
        let waiterIsThere = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        promise.future.onComplete { _ in release.wait() }
        async let value = inThread { () -> Int? in
            waiterIsThere.signal()
            let value = try? promise.future.wait()
            release.signal()
            return value
        }
        // The observer ends only after the waiter has its value.
        await inThread {
            waiterIsThere.wait()
            promise.succeed(5)
        }
        #expect(await value == 5)
    }

    @Test func `Waiting on a future whose promise was released fails`() {
        let future = IntPromise(file: "Here.swift", line: 1).future
        #expect(throws: Problem.brokenPromise(file: "Here.swift", line: 1)) { try future.wait() }
    }
}
