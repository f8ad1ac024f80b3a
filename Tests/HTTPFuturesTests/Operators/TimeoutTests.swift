import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct TimeoutTests {
    @Test func `A future that takes too long times out, and its source is cancelled`() async {
        let promise = IntPromise()
        let future = promise.future.timeout(.milliseconds(10))
        #expect(await resultOf(future) == .failure(.timedOut(after: .milliseconds(10))))
        // The same thread cancels the source right afterwards, so this waits for it.
        #expect(await resultOf(promise.future) == .failure(.cancelled))
    }

    @Test func `A future that ends in time keeps its result`() {
        let promise = IntPromise()
        let future = promise.future.timeout(.seconds(600))
        promise.succeed(1)
        #expect(future.result == .success(1))
        #expect(IntFuture.success(2).timeout(.zero).result == .success(2))
    }

    @Test func `A source that others need continues`() async {
        let promise = IntPromise()
        let other = promise.future.map { $0 }
        _ = await resultOf(promise.future.timeout(.milliseconds(5)))
        promise.succeed(1)
        #expect(other.result == .success(1))
    }

    @Test func `A thousand timeouts are cancelled or fire, each once`() async {
        let promises = (0..<1000).map { _ in IntPromise() }
        let futures = promises.enumerated().map { index, promise in
            promise.future.timeout(index % 2 == 0 ? .milliseconds(index % 20) : .seconds(600))
        }
        for (index, promise) in promises.enumerated() where index % 2 == 1 { promise.succeed(index) }
        let results = await resultOf(Future.allSettled(futures))
        guard case .success(let results) = results else {
            Issue.record("\(results)")
            return
        }
        for (index, result) in results.enumerated() {
            #expect(
                result == (index % 2 == 1 ? .success(index) : .failure(.timedOut(after: .milliseconds(index % 20)))))
        }
    }
}
