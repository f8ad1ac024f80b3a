import HTTPFutures
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct CallbackTests {
    @Test func `A future takes the result of a callback`() {
        let place = Mutex<(@Sendable (Result<Int, Problem>) -> Void)?>(nil)
        let future = IntFuture { promise in place.withLock { $0 = { promise.resolve($0) } } }
        #expect(future.isPending)
        place.withLock { $0 }?(.success(1))
        #expect(future.result == .success(1))
    }

    @Test func `A callback that is released uncalled breaks the promise, with the location of the bridge`() {
        let line = #line + 1
        let future = IntFuture { _ in }
        #expect(future.result == .failure(.brokenPromise(file: #fileID, line: line)))
    }

    @Test func `A future can be made with access to its promise`() {
        let future = IntFuture { promise in promise.succeed(2) }
        #expect(future.result == .success(2))
    }

    @Test func `A result becomes a resolved future`() {
        #expect(IntFuture(.success(1)).result == .success(1))
        #expect(IntFuture(.failure(.other(1))).result == .failure(.other(1)))
    }
}
