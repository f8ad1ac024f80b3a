import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct RecoverTests {
    @Test func `A future recovered without throwing cannot fail`() async {
        let future: Future<Int, Never> = IntFuture.failure(.other(1)).recover { $0 == .other(1) ? 2 : 3 }
        #expect(await future.get() == 2)
    }

    @Test func `Awaiting one that cannot fail returns the value made from the cancellation`() async {
        let promise = IntPromise()
        let future = promise.future.recover { $0 == .cancelled ? 1 : 0 }
        let task = Task { await future.get() }
        task.cancel()
        #expect(await task.value == 1)
        #expect(promise.future.result == .failure(.cancelled))
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
