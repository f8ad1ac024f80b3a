import Dispatch
import HTTPFutures
import Testing

@Suite(.timeLimit(.minutes(1))) struct RacingTests {
    /// Runs `body` on eight threads that begin together.
    private func together(_ body: @escaping @Sendable (Int) -> Void) async {
        let start = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    await inThread {
                        start.wait()
                        body(index)
                    }
                }
            }
            for _ in 0..<8 { start.signal() }
        }
    }

    @Test func `Of eight resolving threads one wins, and each callback runs once`() async {
        for _ in 0..<50 {
            let promise = IntPromise()
            let calls = Counter()
            let wins = Log<Int>()
            let mapped = promise.future.map { $0 }
            for _ in 0..<10 { promise.future.onComplete { _ in calls.add() } }
            await together { index in if promise.succeed(index) { wins.add(index) } }
            #expect(wins.entries.count == 1 && calls.value == 10)
            #expect(wins.entries.first.map { .success($0) } == mapped.result)
        }
    }

    @Test func `Every callback registered while eight threads resolve and cancel runs once`() async {
        for _ in 0..<50 {
            let promise = IntPromise()
            let calls = Counter()
            await together { index in
                switch index {
                case 0: promise.succeed(1)
                case 1: promise.future.cancel()
                default: for _ in 0..<20 { promise.future.onComplete { _ in calls.add() } }
                }
            }
            #expect(calls.value == 120)
        }
    }

    @Test func `Links attached and cancelled on eight threads all end`() async {
        for _ in 0..<50 {
            let promise = IntPromise()
            promise.future.onComplete { _ in }
            let ended = Counter()
            await together { index in
                for turn in 0..<20 {
                    let link = promise.future.flatMap { _ in IntFuture.success(1) }.map { $0 }
                    link.onComplete { _ in ended.add() }
                    if index == 0, turn == 10 { promise.succeed(1) }
                    if index % 2 == 1 { link.cancel() }
                }
            }
            #expect(ended.value == 160)
        }
    }

    @Test func `Chains that pass on their observers are resolved and cancelled at once`() async {
        for _ in 0..<50 {
            let first = IntPromise()
            let second = IntPromise()
            let third = IntPromise()
            let end = first.future.flatMap { _ in second.future.map { $0 }.flatMap { _ in third.future.map { $0 } } }
            let calls = Counter()
            end.onComplete { _ in calls.add() }
            await together { index in
                switch index {
                case 0: first.succeed(1)
                case 1: second.succeed(2)
                case 2: third.succeed(3)
                case 3: end.cancel()
                default: end.onComplete { _ in calls.add() }
                }
            }
            #expect(end.result == .success(3) || end.result == .failure(.cancelled))
            #expect(calls.value == 5)
        }
    }

    @Test func `Threads that wait are all woken`() async {
        let promise = IntPromise()
        let sum = Counter()
        await together { index in
            if index == 7 { promise.succeed(1) } else if let value = try? promise.future.wait() { sum.add(value) }
        }
        #expect(sum.value == 7)
    }
}
