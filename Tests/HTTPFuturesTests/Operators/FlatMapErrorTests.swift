import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct FlatMapErrorTests {
    @Test func `A failure is replaced by the result of another future`() {
        let fallback = IntPromise()
        let future = IntFuture.failure(.other(1)).flatMapError { _ in fallback.future }
        #expect(future.isPending)
        fallback.succeed(2)
        #expect(future.result == .success(2))
    }

    @Test func `A value is unchanged`() {
        let calls = Counter()
        let future = IntFuture.success(1).flatMapError { failure in
            calls.add()
            return .failure(failure)
        }
        #expect(future.result == .success(1) && calls.value == 0)
    }

    @Test(arguments: [false, true])
    func `A fallback is begun only if somebody waits, also for a failure that cannot say cancelled`(isWanted: Bool) {
        let promise = IntPromise()
        // It is not cancelled with its dependent.
        promise.future.onComplete { _ in }
        let calls = Counter()
        let future = promise.future.plain.flatMapError { (_: Plain) -> Future<Int, Plain> in
            calls.add()
            return .success(2)
        }
        future.cancellable.cancel()
        if isWanted { future.onComplete { _ in } }
        promise.fail(.other(1))
        #expect(calls.value == (isWanted ? 1 : 0))
        #expect(future.result == (isWanted ? .success(2) : .failure(Plain())))
    }

    @Test func `a transform that throws gives the new failure`() {
        let recovered = IntFuture.failure(.other(1)).flatMapError { problem throws(Problem) in
            guard problem == .other(2) else { throw problem }
            return IntFuture.success(2)
        }
        #expect(recovered.result == .failure(.other(1)))
    }
}
