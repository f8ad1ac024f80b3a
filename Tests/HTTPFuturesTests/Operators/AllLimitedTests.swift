import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct AllLimitedTests {
    @Test func `No more than the limit are running, and the values keep their order`() {
        let promises = (0..<10).map { _ in IntPromise() }
        let started = Log<Int>()
        let all = Future.all(Array(0..<10), maxConcurrent: 3) { index in
            started.add(index)
            return promises[index].future
        }
        #expect(started.entries == [0, 1, 2])
        promises[1].succeed(1)
        #expect(started.entries == [0, 1, 2, 3])
        for index in [3, 0, 4, 2, 5, 6, 7, 8, 9] { promises[index].succeed(index) }
        #expect(all.result == .success(Array(0..<10)))
    }

    @Test func `A failure cancels the running ones, and the rest are not made`() {
        let promises = (0..<10).map { _ in IntPromise() }
        let started = Counter()
        let all = Future.all(Array(0..<10), maxConcurrent: 2) { index in
            started.add()
            return promises[index].future
        }
        promises[0].fail(.other(1))
        #expect(all.result == .failure(.other(1)))
        #expect(promises[1].future.result == .failure(.cancelled) && started.value == 2)
    }

    @Test func `Many finished ones need no stack`() async {
        let result = await inThread {
            Future.all(Array(0..<10_000), maxConcurrent: 4) { IntFuture.success($0) }.result
        }
        #expect(result == .success(Array(0..<10_000)))
    }

    @Test func `One that has already failed when it is made ends it`() {
        let all = Future.all([1, 2], maxConcurrent: 1) { IntFuture.failure(.other($0)) }
        #expect(all.result == .failure(.other(1)))
        #expect(Future.all([Int](), maxConcurrent: 0) { IntFuture.success($0) }.result == .success([]))
    }

    @Test func `After an immediate failure no more are made`() {
        let made = Counter()
        let all = Future<[Int], Problem>.all(Array(0..<100), maxConcurrent: 2) { input in
            made.add()
            return input == 0 ? .failure(.cancelled) : .success(input)
        }
        #expect(all.result == .failure(.cancelled))
        #expect(made.value == 1)
    }
}
