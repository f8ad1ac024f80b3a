import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(1))) struct AllTests {
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

    @Test func `A future among those done with others waiting is left alone`() {
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

    @Test func `None are done at once`() {
        #expect(Future.all([IntFuture]()).result == .success([]))
    }

    @Test func `One future may occur twice`() {
        let promise = IntPromise()
        let all = Future.all([promise.future, promise.future])
        promise.succeed(1)
        #expect(all.result == .success([1, 1]))
    }
}
