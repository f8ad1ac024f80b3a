import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct MapTests {
    @Test func `A value is transformed, also to another type`() {
        #expect(IntFuture.success(1).map { "\($0)" }.result == .success("1"))
    }

    @Test func `A failure is unchanged`() {
        let calls = Counter()
        let mapped = IntFuture.failure(.other(1)).map { _ in calls.add() }
        #expect(mapped.result == .failure(.other(1)) && calls.value == 0)
    }

    @Test func `A transform may throw the failure`() {
        let promise = IntPromise()
        let mapped = promise.future.map { value throws(Problem) -> Int in throw .other(value) }
        promise.succeed(3)
        #expect(mapped.result == .failure(.other(3)))
    }
}
