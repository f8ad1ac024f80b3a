import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(1))) struct DelayTests {
    @Test func `A value comes later`() async {
        let began = ContinuousClock.now
        let future = IntFuture.success(1).delay(.milliseconds(20))
        #expect(future.isPending)
        #expect(await resultOf(future) == .success(1))
        #expect(ContinuousClock.now - began >= .milliseconds(20))
    }

    @Test func `A failure comes at once`() {
        #expect(IntFuture.failure(.other(1)).delay(.seconds(600)).result == .failure(.other(1)))
    }

    @Test func `Values come in the order of their times`() async {
        let log = Log<Int>()
        let futures = [30, 10, 20].map { number in
            IntFuture.success(number).delay(.milliseconds(number * 3)).tap { log.add($0) }
        }
        _ = await resultOf(Future.all(futures))
        #expect(Set(log.entries) == [10, 20, 30] && log.entries.first == 10)
    }

    @Test func `A delayed value can be cancelled`() {
        let future = IntFuture.success(1).delay(.seconds(600))
        future.cancel()
        #expect(future.result == .failure(.cancelled))
    }
}
