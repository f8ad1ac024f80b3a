import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(5))) struct AndTests {
    @Test func `two values are joined, and more of them`() throws {
        let number = IntPromise()
        let text = Promise<String, Problem>()
        let both = number.future.and(text.future)
        let three = number.future.and(text.future).and(IntFuture.success(3)).map { pair, last in pair.0 + last }
        text.succeed("a")
        #expect(both.isPending && three.isPending)
        number.succeed(1)
        #expect(try #require(try both.result?.get()) == (1, "a"))
        #expect(try three.result?.get() == 4)
    }

    @Test(arguments: [0, 1, 2]) func `the first failure cancels what has no other dependent`(kind: Int) {
        let failing = IntPromise()
        let pending = Promise<String, Problem>()
        let joined: Future<Int, Problem> =
            switch kind {
            case 0: failing.future.and(pending.future).map { $0.0 }
            case 1: Future.zip(failing.future, pending.future).map { $0.0 }
            default: Future.zip(failing.future, pending.future, IntFuture.success(1)).map { $0.0 }
            }
        failing.fail(.other(1))
        #expect(joined.result == .failure(.other(1)))
        #expect(pending.future.result == .failure(.cancelled))
    }

    @Test func `cancelling what was joined cancels both`() {
        let (one, other) = (IntPromise(), IntPromise())
        let both = one.future.and(other.future)
        both.cancel()
        #expect(one.future.result == .failure(.cancelled) && other.future.result == .failure(.cancelled))
    }
}
