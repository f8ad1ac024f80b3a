import Dispatch
import Foundation
import HTTPAsync
import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct OrderingTests {
    @Test func `A callback registered during the callbacks of a future runs after all of them`() {
        let promise = IntPromise()
        let log = Log<Int>()
        promise.future.onSuccess { _ in
            log.add(1)
            promise.future.onSuccess { _ in log.add(4) }
        }
        promise.future.onSuccess { _ in log.add(2) }
        promise.future.onSuccess { _ in log.add(3) }
        promise.succeed(0)
        #expect(log.entries == [1, 2, 3, 4])
    }

    @Test func `A callback registered on another thread during the callbacks keeps the order`() async {
        let promise = IntPromise()
        let log = Log<Int>()
        promise.future.onSuccess { future in
            onThread { promise.future.onSuccess { _ in log.add(3) } }
            log.add(1)
        }
        promise.future.onSuccess { _ in log.add(2) }
        await inThread { _ = promise.succeed(0) }
        #expect(log.entries == [1, 2, 3])
    }

    @Test func `A transform registered on another thread during the callbacks keeps the order`() async {
        let promise = IntPromise()
        let log = Log<Int>()
        promise.future.onSuccess { _ in
            onThread { promise.future.map { _ in log.add(3) }.onComplete { _ in } }
            log.add(1)
        }
        promise.future.onSuccess { _ in log.add(2) }
        await inThread { _ = promise.succeed(0) }
        #expect(log.entries == [1, 2, 3])
    }

    @Test func `Callbacks run on the resolving thread, and on the registering one afterwards`() async {
        let promise = IntPromise()
        let log = Log<ObjectIdentifier>()
        promise.future.onSuccess { _ in log.add(ObjectIdentifier(Thread.current)) }
        await inThread {
            let thread = ObjectIdentifier(Thread.current)
            promise.succeed(0)
            #expect(log.entries == [thread])
            promise.future.onSuccess { _ in log.add(ObjectIdentifier(Thread.current)) }
            #expect(log.entries == [thread, thread])
        }
    }

    @Test func `A callback on a queue runs there, in order`() async {
        let queue = DispatchQueue(label: "test")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let promise = IntPromise()
        let log = Log<Int>()
        for index in 0..<50 {
            promise.future.onSuccess(on: .queue(queue)) { _ in
                if DispatchQueue.getSpecific(key: key) == true { log.add(index) }
            }
        }
        let last = promise.future.map(on: .queue(queue)) { _ in DispatchQueue.getSpecific(key: key) == true }
        promise.succeed(0)
        #expect(await resultOf(last) == .success(true))
        #expect(log.entries == Array(0..<50))
    }

    @Test func `Every transform can run on a queue`() async {
        let queue = CallbackQueue.queue(DispatchQueue(label: "test"))
        let failing = IntFuture.success(1)
            .map(on: queue) { $0 + 1 }
            .flatMap(on: queue) { IntFuture.success($0 + 1) }
            .flatMapResult(on: queue) { Result<Int, Problem>.failure(.other($0)) }
        let value =
            await failing
            .mapError(on: queue) { $0 == .other(3) ? Problem.other(9) : $0 }
            .flatMapError(on: queue) { IntFuture.failure($0 == .other(9) ? .other(10) : $0) }
            .recover(on: queue) { $0 == .other(10) ? 11 : 0 }
            .tap(on: queue) { #expect($0 == 11) }
            .always(on: queue) { #expect($0 == .success(11)) }
            .get()
        #expect(value == 11)
    }

    @Test func `A callback that resolves the future it waits for gets its result`() async {
        // The map is due on this thread: waiting for it must run it first.
        let value = await inThread {
            let outer = IntPromise()
            let inner = IntPromise()
            let mapped = inner.future.map { $0 + 1 }
            let log = Log<Int>()
            outer.future.onSuccess { _ in
                inner.succeed(1)
                if let value = try? mapped.wait() { log.add(value) }
            }
            outer.succeed(0)
            return log.entries
        }
        #expect(value == [2])
    }

    @Test func `A callback that waits for a later callback of its own future gets its result`() async {
        let value = await inThread {
            let promise = IntPromise()
            let log = Log<Int>()
            promise.future.onSuccess { _ in
                if let value = try? promise.future.map({ $0 + 1 }).wait() { log.add(value) }
            }
            promise.future.onSuccess { log.add($0) }
            promise.succeed(1)
            return log.entries
        }
        #expect(value == [1, 2])
    }
}
