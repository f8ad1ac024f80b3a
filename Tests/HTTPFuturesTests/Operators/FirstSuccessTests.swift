import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct FirstSuccessTests {
    @Test func `The first value wins over earlier failures`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let first = Future.firstSuccess(promises.map(\.future))
        promises[0].fail(.other(0))
        #expect(first.isPending)
        promises[2].succeed(2)
        #expect(first.result == .success(2))
        #expect(promises[1].future.result == .failure(.cancelled))
    }

    @Test func `If all fail, the failures are in the order of the futures`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let first = Future.firstSuccess(promises.map(\.future))
        for index in [2, 0, 1] {
            #expect(first.isPending)
            promises[index].fail(.other(index))
        }
        #expect(first.result == .failure(AllFailed([.other(0), .other(1), .other(2)])))
    }

    @Test func `Cancelling cancels all`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let first = Future.firstSuccess(promises.map(\.future))
        first.cancel()
        #expect(first.result == .failure(AllFailed([.cancelled])))
        #expect(promises.allSatisfy { $0.future.result == .failure(.cancelled) })
    }

    @Test func `A time limit for all is a separate failure`() async {
        let promise = IntPromise()
        let first = await resultOf(Future.firstSuccess([promise.future]).timeout(.milliseconds(5)))
        #expect(first == .failure(AllFailed([.timedOut(after: .milliseconds(5))])))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `An empty list is broken, not pending forever`() {
        let none = Future.firstSuccess([IntFuture](), file: "a", line: 1)
        #expect(none.result == .failure(AllFailed([.brokenPromise(file: "a", line: 1)])))
    }
}
