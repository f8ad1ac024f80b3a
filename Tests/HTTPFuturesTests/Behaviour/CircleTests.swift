import Dispatch
import HTTPAsync
import HTTPFutures
import Synchronization
import Testing

/// Futures that wait for one another in a circle could never end.
@Suite(.timeLimit(.minutes(1))) struct CircleTests {
    /// A chain of `links` on a `flatMap` whose inner future is the end of the chain.
    private static func circle(of links: Int, on promise: IntPromise, _ link: (IntFuture) -> IntFuture) -> [IntFuture] {
        let end = Mutex<IntFuture?>(nil)
        var futures = [promise.future.flatMap { value in end.withLock { $0 } ?? .success(value) }]
        while futures.count < links { futures.append(link(futures[futures.count - 1])) }
        end.withLock { [last = futures[futures.count - 1]] in $0 = last }
        promise.succeed(1)
        end.withLock { $0 = nil }
        return futures
    }

    @Test(arguments: [1, 2, 3, 4, 10, 1000]) func `A circle of maps is cancelled, all of it`(links: Int) {
        let futures = Self.circle(of: links, on: IntPromise()) { $0.map { $0 + 1 } }
        #expect(futures.count == links)
        #expect(futures.allSatisfy { $0.result == .failure(.cancelled) })
    }

    @Test(arguments: [2, 3, 10]) func `A circle of links on a queue is cancelled`(links: Int) async {
        let queue = DispatchQueue(label: "circle")
        let futures = Self.circle(of: links, on: IntPromise()) { $0.map(on: .queue(queue)) { $0 + 1 } }
        #expect(await resultOf(futures[links - 1]) == .failure(.cancelled))
        #expect(await resultOf(futures[0]) == .failure(.cancelled))
    }

    @Test(arguments: [2, 3, 10]) func `A circle of futures that each adopt the next is cancelled by the last to adopt`(
        links: Int
    ) {
        let futures = Mutex<[IntFuture]>([])
        let promises = (0..<links).map { _ in IntPromise() }
        let made = promises.indices.map { place in
            promises[place].future.flatMap { _ in futures.withLock { $0[(place + 1) % links] } }
        }
        futures.withLock { $0 = made }
        for promise in promises.dropLast() { promise.succeed(1) }
        #expect(made.allSatisfy { $0.isPending })
        promises[links - 1].succeed(1)
        #expect(made.allSatisfy { $0.result == .failure(.cancelled) })
        futures.withLock { $0 = [] }
    }

    @Test(arguments: [1, 2, 3, 10]) func `A promise that follows what waits for it is broken`(links: Int) {
        let promise = IntPromise(file: "Here.swift", line: 3)
        var end = promise.future
        for _ in 1..<links { end = end.map { $0 + 1 } }
        #expect(promise.follow(end))
        #expect(promise.future.result == .failure(.brokenPromise(file: "Here.swift", line: 3)))
        #expect(!end.isPending)
    }

    /// Nobody has the inner `flatMap`, so the inner future takes over the outer one.
    @Test func `A circle through a link that has dissolved is cancelled`() {
        let (first, second) = (IntPromise(), IntPromise())
        let end = Mutex<IntFuture?>(nil)
        let outer = first.future.flatMap { _ in second.future.flatMap { _ in end.withLock { $0 } ?? .success(0) } }
        end.withLock { $0 = outer.map { $0 + 1 }.map { $0 + 1 } }
        first.succeed(1)
        #expect(outer.isPending)
        second.succeed(1)
        #expect(outer.result == .failure(.cancelled))
        #expect(end.withLock { $0?.result } == .failure(.cancelled))
        end.withLock { $0 = nil }
    }

    @Test func `What another waits for is left alone`() {
        let (first, second) = (IntPromise(), IntPromise())
        let inner = second.future.map { $0 + 1 }.map { $0 + 1 }
        let outer = first.future.flatMap { _ in inner }
        let end = outer.map { $0 + 1 }
        let sibling = inner.flatMap { _ in end }
        first.succeed(0)
        #expect(outer.isPending && end.isPending)
        second.succeed(0)
        #expect(end.result == .success(3))
        #expect(sibling.result == .success(3))
    }

    @Test func `A circle leaves nothing behind`() {
        let counter = Counter()
        do {
            let tracked = Tracked(counter)
            let futures = Self.circle(of: 10, on: IntPromise()) { future in
                future.map { [tracked] value in
                    _ = tracked
                    return value
                }
            }
            #expect(futures[9].result == .failure(.cancelled))
        }
        #expect(counter.value == 0)
    }

    /// With a walk over the whole chain for each link, this would take many minutes.
    @Test func `The way up is not walked for each of a hundred thousand futures that adopt the one before`() async {
        let result = await inThread {
            let start = IntPromise()
            let promises = (0..<100_000).map { _ in IntPromise() }
            var end = start.future
            for promise in promises { end = promise.future.flatMap { [end] value in end.map { $0 + value } } }
            for promise in promises { promise.succeed(1) }
            start.succeed(0)
            return end.result
        }
        #expect(result == .success(100_000))
    }

    @Test func `Two threads that close a circle at once are both told`() async {
        for _ in 0..<500 {
            let promises = [IntPromise(), IntPromise()]
            let ends = Mutex<[IntFuture]>([])
            let futures = promises.indices.map { place in
                promises[place].future.flatMap { _ in ends.withLock { $0[1 - place] } }
            }
            ends.withLock { $0 = futures.map { $0.map { $0 + 1 }.map { $0 + 1 } } }
            async let first = inThread { promises[0].succeed(1) }
            async let second = inThread { promises[1].succeed(1) }
            _ = await (first, second)
            #expect(futures.allSatisfy { $0.result == .failure(.cancelled) })
            ends.withLock { $0 = [] }
        }
    }

    @Test func `Sources that end while a circle is looked for are neither lost nor freed`() async {
        for _ in 0..<500 {
            let (root, outer) = (IntPromise(), IntPromise())
            var inner = root.future
            for _ in 0..<20 { inner = inner.map { $0 + 1 } }
            let future = outer.future.flatMap { [inner] _ in inner }
            let end = future.map { $0 + 1 }
            inner = .success(0)
            async let first = inThread { outer.succeed(1) }
            async let second = inThread { root.succeed(1) }
            _ = await (first, second)
            #expect(end.result == .success(22))
        }
    }
}
