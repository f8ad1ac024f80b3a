import HTTPCore
import Testing

@testable import HTTPFutures

@Suite(.timeLimit(.minutes(5))) struct BudgetTests {
    @Test func `A chain that ends in time is not affected by its budget`() async {
        let future = IntFuture.success(1).deadline(.seconds(60)).flatMap {
            IntFuture.success($0 + 1).delay(.milliseconds(5))
        }
        #expect(await resultOf(future) == .success(2))
    }

    @Test func `One budget covers all steps together`() async {
        let inner = IntPromise()
        let started = Counter()
        let limit = Duration.milliseconds(200)
        let began = ContinuousClock.now
        let future = IntFuture.success(1).deadline(limit)
            .delay(.milliseconds(20))
            .flatMap { _ in
                started.add()
                return inner.future
            }
        #expect(await resultOf(future) == .failure(.timedOut(after: limit)))
        #expect(ContinuousClock.now - began >= limit)
        // If the machine is so busy that the delay used the whole budget, the step was not started.
        #expect(inner.future.result == (started.value == 0 ? nil : .failure(.cancelled)))
    }

    @Test func `A budget that expires while its first future is pending cancels that future`() async {
        let promise = IntPromise()
        let future = promise.future.deadline(.milliseconds(10)).map { $0 }
        #expect(await resultOf(future) == .failure(.timedOut(after: .milliseconds(10))))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `With an expired budget no further work starts, but steps that take no time run`() async {
        let calls = Counter()
        // In steps: one chain takes the compiler seconds.
        let five: Future<Int, Never> = IntFuture.success(1).deadline(.zero).recover { _ in 5 }
        let counted: IntFuture = five.map { $0 + 1 }.flatMap { value in
            calls.add()
            return IntFuture.success(value)
        }
        let seven: Future<Int, Never> = counted.recover { error in error == .timedOut(after: .zero) ? 7 : 0 }
        #expect(await resultOf(seven.map { $0 + 1 }) == .success(8))
        #expect(calls.value == 0)
    }

    @Test func `Of two futures that end one, the budget of the second is not that of the result`() {
        let core = FutureCore<Int, Problem>.make()
        #expect(core.end(.success(1), within: Budget(.seconds(60))))
        #expect(!core.end(.success(2), within: Budget(.milliseconds(1))))
        #expect(core.budget?.deadline.allowance == .seconds(60))
    }

    /// The total time of a step after `future`; zero if it was not started.
    private func allowance<Value, Failure: FutureFailure>(after future: Future<Value, Failure>) -> Duration? {
        let seen = Log<Duration?>()
        future.flatMap { _ in
            seen.add(CallDeadline.current?.allowance)
            return future
        }.onComplete { _ in }
        return seen.entries.first ?? .zero
    }

    private let minute = IntFuture.success(1).deadline(.seconds(60))
    private let hour = IntFuture.success(2).deadline(.seconds(3600))

    @Test func `Of several budgets the smallest counts`() {
        #expect(allowance(after: IntFuture.success(1)) == .some(nil))
        #expect(allowance(after: minute.deadline(.seconds(3600))) == .seconds(60))
        #expect(allowance(after: hour.map { $0 }.deadline(.seconds(60))) == .seconds(60))
        let within = CallDeadline(.seconds(60)).run { IntFuture.success(1).deadline(.seconds(3600)) }
        #expect(allowance(after: within) == .seconds(60))
    }

    @Test func `A longer budget does not lengthen a shorter one`() async {
        let promise = IntPromise()
        let end = promise.future.deadline(.milliseconds(5)).map { $0 }.deadline(.seconds(3600))
        #expect(await resultOf(end) == .failure(.timedOut(after: .milliseconds(5))))
        #expect(promise.future.result == .failure(.cancelled))
    }

    @Test func `A budget passes through joined futures`() {
        #expect(allowance(after: Future.all([hour, minute, .success(1)])) == .seconds(60))
        #expect(allowance(after: Future.zip(hour, minute, IntFuture.success(1))) == .seconds(60))
        #expect(allowance(after: Future.zip(minute.map { "\($0)" }, hour)) == .seconds(60))
        #expect(allowance(after: Future.race([minute, hour])) == .seconds(60))
        #expect(allowance(after: Future.allSettled([minute, hour])) == .seconds(60))
        #expect(allowance(after: Future.firstSuccess([IntFuture.failure(.other(1)), minute])) == .seconds(60))
    }

    @Test func `An expired budget does not affect those who continue without its future`() {
        let late = IntFuture.success(1).deadline(.zero).flatMap { IntFuture.success($0) }
        #expect(late.result == .failure(.timedOut(after: .zero)))
        #expect(allowance(after: Future.allSettled([late, minute])) == .seconds(60))
        #expect(allowance(after: Future.firstSuccess([late, minute])) == .seconds(60))
        let calls = Counter()
        let end = Future.all([late, minute]).flatMapError { failure in
            calls.add()
            return .failure(failure)
        }
        #expect(end.result == .failure(.timedOut(after: .zero)) && calls.value == 0)
    }

    @Test func `A budget passes through a promise that follows, whenever it is told to`() {
        for isEarly in [true, false] {
            for other in [minute, minute.map { $0 }.tap { _ in }] {
                let promise = IntPromise()
                if isEarly { promise.follow(other) }
                let future = promise.future.map { $0 + 1 }
                let seen = Log<Duration?>()
                let end = future.flatMap { value in
                    seen.add(CallDeadline.current?.allowance)
                    return IntFuture.success(value)
                }
                if !isEarly { promise.follow(other) }
                #expect(end.result == .success(2))
                #expect(seen.entries == [.seconds(60)])
                #expect(allowance(after: end) == .seconds(60))
            }
        }
    }

    @Test func `A budget passes through a flatMap, from outside and from inside`() {
        let minute = minute
        let source = IntPromise()
        let late = source.future.flatMap { _ in minute }
        #expect(allowance(after: IntFuture.success(1).flatMap { _ in minute }) == .seconds(60))
        #expect(allowance(after: hour.flatMap { _ in minute }) == .seconds(60))
        #expect(allowance(after: minute.flatMap { _ in IntFuture.success(1) }) == .seconds(60))
        source.succeed(1)
        #expect(allowance(after: late) == .seconds(60))
    }

    @Test func `A recursion in the tail position keeps its budget`() {
        let source = IntPromise()
        let gates = (0..<5).map { _ in IntPromise() }
        @Sendable func wait(_ index: Int) -> IntFuture {
            guard index < gates.count else { return .success(index) }
            let next = gates[index].future.flatMap { _ in wait(index + 1) }
            return index == 2 ? next.deadline(.seconds(60)) : next
        }
        let end = source.future.flatMap { wait($0) }
        source.succeed(0)
        for gate in gates { gate.succeed(1) }
        #expect(end.result == .success(5))
        #expect(allowance(after: end) == .seconds(60))
    }

    @Test func `The budget of an attempt does not apply to the next, nor that of an element to another`() {
        let attempts = Counter()
        let future = IntFuture.retrying(3) { attempt in
            attempts.add()
            return IntFuture.success(attempt).deadline(.zero).flatMap { .success($0) }
        }
        #expect(future.result == .failure(.timedOut(after: .zero)))
        #expect(attempts.value == 4)
        let all = Future.all(Array(0..<4), maxConcurrent: 2) { IntFuture.success($0).deadline(.zero) }
        #expect(all.result == .success([0, 1, 2, 3]))
    }

    @Test func `A future that expires by a shorter limit leaves the rest of its budget to later steps`() async {
        let promise = IntPromise()
        let seen = Log<Duration?>()
        let end = promise.future.deadline(.seconds(60)).timeout(.milliseconds(5)).flatMapError { _ in
            seen.add(CallDeadline.current?.allowance)
            return IntFuture.success(2)
        }
        #expect(await resultOf(end) == .success(2))
        #expect(seen.entries == [.seconds(60)])
    }

    @Test func `A step sees the budget left, and no other code does`() {
        let promise = IntPromise()
        let left = Log<CallDeadline?>()
        let end = promise.future.deadline(.seconds(60)).flatMap { value in
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
