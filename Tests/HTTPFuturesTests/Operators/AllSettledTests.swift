import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct AllSettledTests {
    @Test func `The results come in the order of the futures, when the last has ended`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let settled = Future.allSettled(promises.map(\.future))
        promises[2].fail(.other(2))
        promises[0].succeed(0)
        #expect(settled.isPending)
        promises[1].succeed(1)
        #expect(settled.result == .success([.success(0), .success(1), .failure(.other(2))]))
        #expect(Future.allSettled([IntFuture]()).result == .success([]))
    }

    @Test func `Cancelling cancels all`() {
        let promise = IntPromise()
        let settled = Future.allSettled([promise.future])
        settled.cancel()
        #expect(settled.result == .failure(.cancelled))
        #expect(promise.future.result == .failure(.cancelled))
    }
}
