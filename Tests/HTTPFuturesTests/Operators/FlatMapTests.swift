import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct FlatMapTests {
    @Test func `A transform may throw the failure`() {
        let future = IntFuture.success(1).flatMap { value throws(Problem) -> IntFuture in throw .other(value) }
        #expect(future.result == .failure(.other(1)))
    }

    @Test func `An inner future keeps its own observers`() {
        let outer = IntPromise()
        let inner = IntPromise()
        let log = Log<Int>()
        inner.future.onSuccess { log.add($0) }
        let future = outer.future.flatMap { _ in inner.future }
        future.onSuccess { log.add($0 + 1) }
        outer.succeed(0)
        inner.succeed(5)
        #expect(log.entries == [5, 6])
    }
}
