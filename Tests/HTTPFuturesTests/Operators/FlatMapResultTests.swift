import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct FlatMapResultTests {
    @Test func `A value is replaced by a result`() {
        #expect(IntFuture.success(1).flatMapResult { Result<Int, Problem>.success($0 + 1) }.result == .success(2))
        let failed = IntFuture.success(1).flatMapResult { Result<Int, Problem>.failure(.other($0)) }
        #expect(failed.result == .failure(.other(1)))
    }

    @Test func `A failure is unchanged`() {
        let future = IntFuture.failure(.other(1)).flatMapResult { Result<Int, Problem>.success($0) }
        #expect(future.result == .failure(.other(1)))
    }
}
