import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct AllTests {
    @Test func `The values come in the order of the futures`() {
        let promises = (0..<10).map { _ in IntPromise() }
        let all = Future.all(promises.map(\.future))
        for index in promises.indices.reversed() {
            #expect(all.isPending)
            promises[index].succeed(index)
        }
        #expect(all.result == .success(Array(0..<10)))
    }

    @Test func `The first failure ends it and cancels the rest`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let all = Future.all(promises.map(\.future))
        promises[1].fail(.other(1))
        #expect(all.result == .failure(.other(1)))
        #expect(promises[0].future.result == .failure(.cancelled))
        #expect(promises[2].future.result == .failure(.cancelled))
    }

    @Test func `A finished future among pending ones is left alone`() {
        let shared = IntPromise()
        let other = shared.future.map { $0 }
        let all = Future.all([shared.future, .failure(.other(1))])
        #expect(all.result == .failure(.other(1)))
        shared.succeed(1)
        #expect(other.result == .success(1))
    }

    @Test func `Cancelling cancels all`() {
        let promises = (0..<3).map { _ in IntPromise() }
        Future.all(promises.map(\.future)).cancel()
        #expect(promises.allSatisfy { $0.future.result == .failure(.cancelled) })
    }

    @Test func `An empty list is finished at once`() {
        #expect(Future.all([IntFuture]()).result == .success([]))
    }

    @Test func `One future may occur twice`() {
        let promise = IntPromise()
        let all = Future.all([promise.future, promise.future])
        promise.succeed(1)
        #expect(all.result == .success([1, 1]))
    }

    @Test func `Callbacks run in the order of registration, alone or among others`() {
        for isFirst in [true, false] {
            let promise = IntPromise()
            let all = Log<Future<[Int], Problem>>()
            let pending = Log<Bool>()
            func look() { promise.future.onComplete { _ in pending.add(all.entries[0].isPending) } }
            if !isFirst { look() }
            all.add(Future.all([promise.future]))
            look()
            look()
            promise.succeed(1)
            #expect(pending.entries == (isFirst ? [false, false] : [true, false, false]))
            #expect(all.entries[0].result == .success([1]))
        }
    }

    @Test func `A waiting thread is woken even if it came later`() async {
        let promise = IntPromise()
        let all = Future.all([promise.future])
        let waiting = Counter()
        async let value = inThread {
            waiting.add()
            return try? promise.future.wait()
        }
        while waiting.value == 0 { await Task.yield() }
        promise.succeed(1)
        #expect(await value == 1 && all.result == .success([1]))
    }

    @Test func `One future may be in several, with finished ones`() {
        let promise = IntPromise()
        let all = (0..<10).map { Future.all([promise.future, .success($0), promise.future]) }
        promise.succeed(-1)
        for index in all.indices { #expect(all[index].result == .success([-1, index, -1])) }
    }

    @Test func `Finished futures make a finished one, even within a callback`() {
        let futures = (0..<10).map(IntFuture.success)
        #expect(Future.all(futures).result == .success(Array(0..<10)))
        let inner = futures[0].flatMap { _ in Future.all(futures) }
        #expect(inner.result == .success(Array(0..<10)))
    }

    @Test func `After a failure among the finished, the rest are cancelled and not waited for`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let all = Future.all([promises[0].future, .failure(.other(1)), promises[1].future, promises[2].future])
        #expect(all.result == .failure(.other(1)))
        #expect(promises.allSatisfy { $0.future.result == .failure(.cancelled) })
    }

    @Test func `A future that occurs twice and is wanted elsewhere loses one dependent for each`() {
        let shared = IntPromise()
        let other = shared.future.map { $0 }
        Future.all([shared.future, shared.future]).cancel()
        #expect(shared.future.isPending)
        other.cancel()
        #expect(shared.future.result == .failure(.cancelled))
    }
}
