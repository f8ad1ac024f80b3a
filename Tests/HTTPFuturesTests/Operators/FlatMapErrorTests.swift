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
}
