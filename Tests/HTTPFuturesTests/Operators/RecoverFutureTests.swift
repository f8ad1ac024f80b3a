import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct RecoverFutureTests {
    @Test func `a failure is replaced by what another future has`() {
        let (first, second) = (IntPromise(), IntPromise())
        let recovered = first.future.recover { _ in second.future }
        first.fail(.other(1))
        #expect(recovered.isPending)
        second.succeed(7)
        #expect(recovered.result == .success(7))
        #expect(IntFuture.success(1).recover { _ in second.future }.result == .success(1))
        #expect(
            IntFuture.failure(.other(1)).recover { _ in IntFuture.failure(.other(2)) }.result == .failure(.other(2)))
    }

    @Test func `a transform that throws gives the new failure`() {
        let recovered = IntFuture.failure(.other(1)).recover { problem throws(Problem) in
            guard problem == .other(2) else { throw problem }
            return IntFuture.success(2)
        }
        #expect(recovered.result == .failure(.other(1)))
    }

    @Test func `steps behind a throwing recover get its failure`() {
        let log = Log<Problem>()
        let recovered = IntFuture.failure(.other(1)).recover { problem throws(Problem) in
            guard problem == .cancelled else { throw .other(2) }
            return 0
        }.flatMapError { problem in
            log.add(problem)
            return .success(3)
        }
        #expect(recovered.result == .success(3))
        #expect(log.entries == [.other(2)])
    }
}
