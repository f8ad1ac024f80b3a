import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct AlwaysTests {
    @Test func `The callback runs on success, failure and cancellation, and the result stays`() {
        let log = Log<Result<Int, Problem>>()
        #expect(IntFuture.success(1).always { log.add($0) }.result == .success(1))
        #expect(IntFuture.failure(.other(1)).always { log.add($0) }.result == .failure(.other(1)))
        let promise = IntPromise()
        let end = promise.future.always { log.add($0) }
        promise.future.cancel()
        #expect(end.result == .failure(.cancelled))
        #expect(log.entries == [.success(1), .failure(.other(1)), .failure(.cancelled)])
    }

    @Test func `The next step runs after the callback`() {
        let log = Log<String>()
        let promise = IntPromise()
        promise.future.always { _ in log.add("always") }.onComplete { _ in log.add("after") }
        promise.succeed(1)
        #expect(log.entries == ["always", "after"])
    }
}
