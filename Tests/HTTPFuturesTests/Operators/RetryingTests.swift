import HTTPFutures
import HTTPTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RetryingTests {
    @Test func `Failures are retried until an attempt succeeds`() {
        let attempts = Log<Int>()
        let future = IntFuture.retrying(3) { attempt in
            attempts.add(attempt)
            return attempt < 2 ? .failure(.other(attempt)) : .success(attempt)
        }
        #expect(future.result == .success(2))
        #expect(attempts.entries == [0, 1, 2])
    }

    @Test func `The last failure counts when the retries are used up`() {
        let future = IntFuture.retrying(2) { attempt in .failure(.other(attempt)) }
        #expect(future.result == .failure(.other(2)))
    }

    @Test func `A failure that is not worth a retry ends it`() {
        let attempts = Counter()
        let future = IntFuture.retrying(5, if: { $0 != .other(1) }) { attempt in
            attempts.add()
            return .failure(.other(attempt))
        }
        #expect(future.result == .failure(.other(1)) && attempts.value == 2)
    }

    @Test func `Retries wait for their delay`() async {
        let began = ContinuousClock.now
        let future = IntFuture.retrying(2, after: { .milliseconds(5 * ($0 + 1)) }) { attempt in
            attempt < 2 ? .failure(.other(attempt)) : .success(attempt)
        }
        #expect(await resultOf(future) == .success(2))
        #expect(ContinuousClock.now - began >= .milliseconds(15))
    }

    @Test func `Cancelling ends the running attempt, or the wait`() {
        let promise = IntPromise()
        let trying = IntFuture.retrying(5) { _ in promise.future }
        trying.cancel()
        #expect(promise.future.result == .failure(.cancelled))
        let attempts = Counter()
        let waiting = IntFuture.retrying(5, after: { _ in .seconds(600) }) { _ in
            attempts.add()
            return .failure(.other(1))
        }
        waiting.cancel()
        #expect(waiting.result == .failure(.cancelled) && attempts.value == 1)
    }

    @Test func `Cancelling ends it too if its failure cannot say so`() {
        let promise = IntPromise()
        let attempts = Counter()
        let trying = Future<Int, Plain>.retrying(5) { _ in
            attempts.add()
            return promise.future.plain
        }
        trying.cancellable.cancel()
        #expect(promise.future.result == .failure(.cancelled))
        #expect(trying.result == .failure(Plain()) && attempts.value == 1)
    }

    @Test func `So it does while it waits for the next attempt`() {
        let attempts = Counter()
        let trying = Future<Int, Plain>.retrying(5, after: { _ in .milliseconds(100) }) { _ in
            attempts.add()
            return .failure(Plain())
        }
        trying.cancellable.cancel()
        let begun = attempts.value
        #expect(waited { !trying.isPending })
        #expect(trying.result == .failure(Plain()) && attempts.value == begun)
    }

    @Test func `Many retries at once need no stack`() async {
        let result = await inThread {
            IntFuture.retrying(10_000) { $0 < 10_000 ? .failure(.other($0)) : .success($0) }.result
        }
        #expect(result == .success(10_000))
    }
}
