import HTTPFutures
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct AdoptionTests {
    @Test func `2.3.1 A promise that follows its own future is broken, with its location`() {
        let promise = IntPromise(file: "Here.swift", line: 3)
        promise.follow(promise.future)
        #expect(promise.future.result == .failure(.brokenPromise(file: "Here.swift", line: 3)))
    }

    @Test func `2.3.1 A flatMap that returns its own future is cancelled`() {
        let promise = IntPromise()
        let place = Mutex<IntFuture?>(nil)
        let future = promise.future.flatMap { value in place.withLock { $0 } ?? .success(value) }
        place.withLock { $0 = future }
        promise.succeed(1)
        #expect(future.result == .failure(.cancelled))
    }

    @Test func `2.3.2.1 A future that adopts a pending one stays pending until it ends`() {
        let inner = IntPromise()
        let future = IntFuture.success(1).flatMap { _ in inner.future }
        #expect(future.isPending)
        inner.succeed(2)
        #expect(future.result == .success(2))
    }

    @Test func `2.3.2.2 A future that adopts a fulfilled one has its value`() {
        let outer = IntPromise()
        let future = outer.future.flatMap { .success($0 + 1) }
        outer.succeed(1)
        #expect(future.result == .success(2))
        #expect(IntFuture.success(1).flatMap { .success($0 + 1) }.result == .success(2))
    }

    @Test func `2.3.2.3 A future that adopts a rejected one has its reason`() {
        let outer = IntPromise()
        let future = outer.future.flatMap { value -> IntFuture in .failure(.other(value)) }
        outer.succeed(1)
        #expect(future.result == .failure(.other(1)))
    }

    @Test func `2.3.2 A promise that follows a pending future is resolved, and ends as that one does`() {
        let leader = IntPromise()
        let promise = IntPromise()
        #expect(promise.follow(leader.future))
        #expect(!promise.succeed(1))
        #expect(!promise.follow(.success(1)))
        #expect(promise.future.isPending)
        leader.succeed(2)
        #expect(promise.future.result == .success(2))
    }

    @Test func `2.3.2 A promise may be released after it was told to follow`() {
        let leader = IntPromise()
        let future = { () -> IntFuture in
            let promise = IntPromise()
            promise.follow(leader.future)
            return promise.future
        }()
        leader.succeed(2)
        #expect(future.result == .success(2))
    }

    @Test func `2.3.2 The observers of the adopting future keep their order`() {
        let inner = IntPromise()
        let log = Log<Int>()
        let outer = IntPromise()
        let future = outer.future.flatMap { _ in inner.future }
        for index in 0..<10 { future.onSuccess { _ in log.add(index) } }
        outer.succeed(1)
        for index in 10..<20 { future.onSuccess { _ in log.add(index) } }
        inner.succeed(2)
        #expect(log.entries == Array(0..<20))
    }

    @Test func `2.3.2 A link without a handle passes its observers to the inner future`() {
        let promises = (0..<3).map { _ in IntPromise() }
        // Only the chain holds the futures in the middle.
        let end = promises[0].future
            .flatMap { _ in promises[1].future.flatMap { _ in promises[2].future } }
            .map { $0 + 1 }
        for (index, promise) in promises.enumerated() {
            #expect(end.isPending)
            promise.succeed(index)
        }
        #expect(end.result == .success(3))
    }

    @Test func `2.3.4 A value that is not a future fulfils`() {
        #expect(IntFuture.success(1).map { $0 }.result == .success(1))
    }
}
