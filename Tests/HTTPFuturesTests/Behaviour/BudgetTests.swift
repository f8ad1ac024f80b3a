import HTTPCore
import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(1))) struct BudgetTests {
    @Test func `A chain that ends in time is not touched by its budget`() async {
        let future = IntFuture.success(1).budget(.seconds(60)).flatMap {
            IntFuture.success($0 + 1).delay(.milliseconds(5))
        }
        #expect(await resultOf(future) == .success(2))
    }

    @Test func `One budget covers all steps together`() async {
        let inner = IntPromise()
        let started = Counter()
        let limit = Duration.milliseconds(200)
        let began = ContinuousClock.now
        let future = IntFuture.success(1).budget(limit)
            .delay(.milliseconds(20))
            .flatMap { _ in
                started.add()
                return inner.future
            }
        #expect(await resultOf(future) == .failure(.timedOut(after: limit)))
        #expect(ContinuousClock.now - began >= limit)
        // On a machine so busy that the delay took all of it, the step was not started.
        #expect(inner.future.result == (started.value == 0 ? nil : .failure(.cancelled)))
    }

    @Test func `A budget that runs out while its first future is pending cancels that`() async {
        let promise = IntPromise()
        let future = promise.future.budget(.milliseconds(10)).map { $0 }
        #expect(await resultOf(future) == .failure(.timedOut(after: .milliseconds(10))))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `With the budget used up no further work is started, but steps that take no time run`() async {
        let calls = Counter()
        let future = IntFuture.success(1).budget(.zero)
            .recover { _ in 5 }
            .map { $0 + 1 }
            .flatMap { value in
                calls.add()
                return IntFuture.success(value)
            }
            .recover { $0 == .timedOut(after: .zero) ? 7 : 0 }
            .map { $0 + 1 }
        #expect(await resultOf(future) == .success(8))
        #expect(calls.value == 0)
    }

    @Test func `A step sees what is left of the budget, and no other code does`() {
        let promise = IntPromise()
        let left = Log<CallDeadline?>()
        let end = promise.future.budget(.seconds(60)).flatMap { value in
            left.add(CallDeadline.current)
            return IntFuture.success(value)
        }
        promise.future.onComplete { _ in left.add(CallDeadline.current) }
        promise.succeed(1)
        #expect(end.result == .success(1))
        let seen = left.entries.compactMap { $0 }
        #expect(left.entries.count == 2 && seen.count == 1)
        #expect(seen.allSatisfy { $0.allowance == .seconds(60) && $0.instant <= .now + .seconds(60) })
    }
}
