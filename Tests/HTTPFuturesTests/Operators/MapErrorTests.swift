import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct MapErrorTests {
    private struct Plain: Error, Equatable {
        let number: Int
    }

    @Test func `A failure is transformed`() {
        #expect(IntFuture.failure(.other(1)).mapError { _ in .other(2) }.result == .failure(.other(2)))
    }

    @Test func `A failure is transformed to another type, and further steps may follow`() {
        let future = IntFuture.failure(.other(1)).mapError(to: Plain.self) { _ in Plain(number: 2) }.map { $0 + 1 }
        #expect(future.result == .failure(Plain(number: 2)))
    }

    @Test func `A value is unchanged`() {
        #expect(IntFuture.success(1).mapError(to: Plain.self) { _ in Plain(number: 2) }.result == .success(1))
    }
}
