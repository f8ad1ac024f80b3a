import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct TaskTests {
    @Test func `A future takes the result of an async function`() async {
        let value = IntFuture.task { () async throws(Problem) -> Int in 1 }
        #expect(await resultOf(value) == .success(1))
        let failure = IntFuture.task { () async throws(Problem) -> Int in throw .other(2) }
        #expect(await resultOf(failure) == .failure(.other(2)))
    }

    @Test func `Cancelling the future cancels the task`() async {
        let ended = Promise<Bool, Problem>()
        let future = IntFuture.task { () async throws(Problem) -> Int in
            // Only a cancellation ends it.
            try? await Task.sleep(for: .seconds(600))
            ended.succeed(Task.isCancelled)
            return 1
        }
        future.cancel()
        #expect(await resultOf(ended.future) == .success(true))
        #expect(future.result == .failure(.cancelled))
    }
}
