import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(1))) struct FirstSuccessTests {
    @Test func `The first value wins over earlier failures`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let first = IntFuture.firstSuccess(promises.map(\.future))
        promises[0].fail(.other(0))
        #expect(first.isPending)
        promises[2].succeed(2)
        #expect(first.result == .success(2))
        #expect(promises[1].future.result == .failure(.cancelled))
    }

    @Test func `If all fail, the last failure counts`() {
        let promises = (0..<3).map { _ in IntPromise() }
        let first = IntFuture.firstSuccess(promises.map(\.future))
        for index in [2, 0, 1] { promises[index].fail(.other(index)) }
        #expect(first.result == .failure(.other(1)))
    }

    @Test func `With none it is broken, not pending for ever`() {
        #expect(IntFuture.firstSuccess([], file: "a", line: 1).result == .failure(.brokenPromise(file: "a", line: 1)))
    }
}
