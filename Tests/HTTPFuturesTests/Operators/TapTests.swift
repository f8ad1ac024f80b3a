import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct TapTests {
    @Test func `The callback sees the value, and the result stays`() {
        let log = Log<Int>()
        #expect(IntFuture.success(1).tap { log.add($0) }.result == .success(1))
        #expect(IntFuture.failure(.other(1)).tap { log.add($0) }.result == .failure(.other(1)))
        #expect(log.entries == [1])
    }
}
