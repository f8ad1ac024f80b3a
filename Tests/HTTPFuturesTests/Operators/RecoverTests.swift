import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(1))) struct RecoverTests {
    @Test func `A failure is replaced by a value`() {
        #expect(IntFuture.failure(.other(1)).recover { _ in 2 }.result == .success(2))
    }

    @Test func `A failure can be replaced by another`() {
        let future = IntFuture.failure(.other(1)).recover { _ throws(Problem) -> Int in throw .other(2) }
        #expect(future.result == .failure(.other(2)))
    }

    @Test func `A value is left alone`() {
        #expect(IntFuture.success(1).recover { _ in 2 }.result == .success(1))
    }
}
