import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct DelayTests {
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

    @Test func `A shorter delay ends first, although it began later`() async {
        let late = IntFuture.success(1).delay(.seconds(600))
        #expect(await resultOf(IntFuture.success(2).delay(.milliseconds(20))) == .success(2))
        #expect(late.isPending)
        late.cancel()
    }

    @Test func `A delayed value can be cancelled`() {
        let future = IntFuture.success(1).delay(.seconds(600))
        future.cancel()
        #expect(future.result == .failure(.cancelled))
    }
}
